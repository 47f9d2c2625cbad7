// Files of former versions are brought up to date, and nothing in them is lost.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "store/sqlite.h"
#include "tests/store/journals.h"

namespace cuzk::store {
namespace {

using test::must;

/// The file as the program of version 1 made it: an accepted job, one whose process has died after a partition of two,
/// one that is completed, and one that failed.
constexpr const char* kVersion1 = R"(
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE jobs (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  digest      BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  job_id      TEXT NOT NULL UNIQUE,
  label       TEXT NOT NULL,
  kind        TEXT NOT NULL,
  circuit     TEXT NOT NULL,
  priority    INTEGER NOT NULL,
  deadline    INTEGER,
  accepted    INTEGER NOT NULL,
  partitions  INTEGER NOT NULL CHECK (partitions BETWEEN 1 AND 65536),
  metadata    BLOB NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('accepted', 'running', 'completed', 'failed', 'cancelled')),
  owner       TEXT,
  lease_until INTEGER,
  generation  INTEGER NOT NULL,
  finished    INTEGER,
  result      BLOB,
  error       TEXT NOT NULL DEFAULT '',
  failure     TEXT CHECK (failure IN ('caller', 'transient', 'defect')),
  delivered   INTEGER NOT NULL DEFAULT 0 CHECK (delivered IN (0, 1)),
  CHECK ((state = 'running') = (owner IS NOT NULL AND lease_until IS NOT NULL)),
  CHECK ((state IN ('accepted', 'running')) = (finished IS NULL)),
  CHECK ((state = 'completed') = (result IS NOT NULL)),
  CHECK ((state = 'failed') = (failure IS NOT NULL))
) STRICT;
CREATE INDEX jobs_open ON jobs (state, priority) WHERE state IN ('accepted', 'running');
CREATE INDEX jobs_finished ON jobs (finished) WHERE finished IS NOT NULL;
CREATE INDEX jobs_counts ON jobs (kind, state);
CREATE INDEX jobs_label ON jobs (label);
CREATE TABLE partitions (
  job      INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  number   INTEGER NOT NULL CHECK (number >= 0),
  state    TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'finished', 'failed')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  proof    BLOB,
  error    TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE payloads (
  job      INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  hash     BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (job, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX payloads_hash ON payloads (hash);
PRAGMA application_id = 1668643435;
PRAGMA user_version = 1;
INSERT INTO jobs (number, digest, job_id, label, kind, circuit, priority, deadline, accepted, partitions, metadata, state,
                  owner, lease_until, generation, finished, result, error, failure)
VALUES (1, x'0000000000000000000000000000000000000000000000000000000000000001', 'first', 'first', 'porep', 'porep-2k', 1, NULL, 1700000000000, 1, x'0a', 'accepted',
        NULL, NULL, 0, NULL, NULL, '', NULL),
       (2, x'0000000000000000000000000000000000000000000000000000000000000002', 'first#2', 'first', 'porep', 'porep-2k', 3, 1900000000000, 1700000000001, 2, x'0b',
        'running', 'cuzk-0123456789abcdef', 1700000060000, 4, NULL, NULL, '', NULL),
       (3, x'0000000000000000000000000000000000000000000000000000000000000003', 'third', 'third', 'snap', 'snap-2k', 1, NULL, 1700000000002, 1, x'0c', 'completed',
        NULL, NULL, 2, 1700000050000, x'aabb', '', NULL),
       (7, x'0000000000000000000000000000000000000000000000000000000000000004', 'fourth', 'fourth', 'snap', 'snap-2k', 1, NULL, 1700000000003, 1, x'', 'failed',
        NULL, NULL, 2, 1700000050001, NULL, 'no luck', 'transient');
INSERT INTO partitions (job, number, state, attempts, proof, error) VALUES (2, 0, 'finished', 2, x'77', 'once'),
                                                                           (2, 1, 'running', 1, NULL, '');
INSERT INTO payloads (job, position, hash) VALUES (1, 0, zeroblob(32)), (2, 0, x'0000000000000000000000000000000000000000000000000000000000000005');
COMMIT;
)";

JobDigest digest_ending(std::uint8_t last) {
  JobDigest digest{};
  digest.back() = std::byte{last};
  return digest;
}

class FormerVersion : public testing::Test {
 protected:
  void SetUp() override { change(kVersion1); }
  void change(const char* statements) const {
    const auto database = must(Database::open(path, milliseconds(1000)));
    const Status done = database->execute(statements);
    ASSERT_TRUE(done) << done.error().to_string();
  }
  std::int64_t version() const {
    return must(must(Database::open(path, milliseconds(1000)))->integer("PRAGMA user_version"));
  }
  using milliseconds = std::chrono::milliseconds;

  cuzk::test::TemporaryFolder folder;
  std::string path = folder.file("journal.db");
};

TEST_F(FormerVersion, IsBroughtUpToDate) {
  const auto journal = test::open(path);
  EXPECT_EQ(version(), 3);
  const JobRecord first = *must(journal->find_id("first"));
  EXPECT_EQ(first.summary.state, JobState::accepted);
  EXPECT_EQ(first.summary.orphan_grace, milliseconds(0));
  EXPECT_FALSE(first.summary.key) << "not known then";
  EXPECT_EQ(first.payloads.size(), 1U);
  EXPECT_EQ(must(journal->find(digest_ending(3)))->result.size(), 2U);
  EXPECT_EQ(must(journal->find_id("fourth"))->summary.failure, FailureClass::transient);
  const auto taken = must(journal->take(10, test::kLease));
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].job.summary.job_id, "first#2") << "the more urgent one";
  EXPECT_EQ(taken[0].lease.generation, 5);
  EXPECT_EQ(taken[0].job.partitions[0].proof.size(), 1U);
  EXPECT_EQ(taken[0].job.partitions[1].state, PartitionState::waiting);
}

TEST_F(FormerVersion, IsThenAsANewOne) {
  {
    const auto journal = test::open(path);
    NewJob job = test::job_of(9);
    job.orphan_grace = milliseconds(1234);
    must(journal->accept(job));
    EXPECT_EQ(must(journal->find(job.digest))->summary.number, 8) << "no number is given twice";
  }
  const auto again = test::open(path);
  EXPECT_EQ(must(again->find(test::digest_of(9)))->summary.orphan_grace, milliseconds(1234));
}

TEST_F(FormerVersion, ADamagedOneIsRefusedAndNotChanged) {
  change("DROP INDEX jobs_label");
  const auto opened = open_sqlite_journal(path);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Code::malformed);
  EXPECT_NE(opened.error().to_string().find("version 1"), std::string::npos) << opened.error().to_string();
  EXPECT_EQ(version(), 1);
}

TEST_F(FormerVersion, TwoOpenersAtOnceAgree) {
  std::vector<std::jthread> openers;
  std::atomic<int> opened = 0;
  for (int i = 0; i < 4; ++i) openers.emplace_back([&] { opened += open_sqlite_journal(path).has_value() ? 1 : 0; });
  openers.clear();
  EXPECT_EQ(opened, 4);
  EXPECT_EQ(version(), 3);
}

/// A process of version 1 that has the file open goes on beside one of today.
TEST_F(FormerVersion, ItsProcessesGoOn) {
  const auto former = must(Database::open(path, milliseconds(1000)));
  EXPECT_EQ(must(former->integer("SELECT count(*) FROM jobs")), 4);
  const auto journal = test::open(path);
  EXPECT_TRUE(
      former->execute("INSERT INTO jobs (digest, job_id, label, kind, circuit, priority, deadline, accepted, "
                      "partitions, metadata, state, generation) VALUES (randomblob(32), 'later', 'later', "
                      "'porep', 'porep-2k', 1, NULL, 1, 1, x'', 'accepted', 0)"));
  EXPECT_EQ(must(journal->find_id("later"))->summary.orphan_grace, milliseconds(0));
}

}  // namespace
}  // namespace cuzk::store
