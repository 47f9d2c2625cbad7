// Files that are no journals, damaged ones, newer ones; disks that are full.
#include <array>
#include <csignal>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "store/sqlite.h"
#include "tests/gen/seed.h"
#include "tests/store/child_process.h"
#include "tests/store/journals.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using namespace test;  // NOLINT: the helpers of these tests
using cuzk::test::ChildProcess;

class JournalFaults : public ::testing::Test {
 protected:
  void make_journal(std::uint64_t jobs) const {
    const auto journal = open(path);
    for (std::uint64_t n = 0; n < jobs; ++n) {
      NewJob job = job_of(n);
      job.metadata.assign(2000, std::byte{7});
      must(journal->accept(job));
    }
  }
  void change(const char* statements) const {
    const auto database = must(Database::open(path, milliseconds(1000)));
    must(database->execute(statements));
  }
  std::string content() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(std::string_view bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  Error refusal() const {
    auto opened = open_sqlite_journal(path);
    if (opened) throw std::runtime_error("the journal was opened");
    return std::move(opened).error();
  }

  cuzk::test::TemporaryFolder folder;
  std::string path = folder.file("journal.db");
};

TEST_F(JournalFaults, GarbageIsNoJournal) {
  overwrite(std::string(8192, 'x'));
  const Error error = refusal();
  EXPECT_EQ(error.code(), Code::malformed);
  EXPECT_EQ(error.kind(), Kind::bad_magic);
  EXPECT_NE(error.to_string().find("move it away"), std::string::npos) << error.to_string();
  EXPECT_EQ(content(), std::string(8192, 'x')) << "nothing of it was changed";
}

TEST_F(JournalFaults, AnotherProgramsDatabaseIsNoJournal) {
  change("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
  const std::string before = content();
  const Error error = refusal();
  EXPECT_EQ(error.code(), Code::malformed);
  EXPECT_EQ(error.kind(), Kind::bad_magic);
  EXPECT_EQ(content(), before);
}

TEST_F(JournalFaults, ANewerVersionIsSaidToBeNewer) {
  make_journal(1);
  change("PRAGMA user_version = 4");
  const Error error = refusal();
  EXPECT_EQ(error.code(), Code::unsupported);
  EXPECT_EQ(error.kind(), Kind::bad_version);
  EXPECT_NE(error.to_string().find("version 4"), std::string::npos) << error.to_string();
}

TEST_F(JournalFaults, OtherTablesAreRefused) {
  make_journal(1);
  change("CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM jobs; END");
  EXPECT_EQ(refusal().code(), Code::malformed);
  change("DROP TRIGGER t; ALTER TABLE jobs ADD COLUMN more TEXT");
  EXPECT_EQ(refusal().code(), Code::malformed);
}

TEST_F(JournalFaults, TruncatedFilesAreRefusedOrEmpty) {
  make_journal(50);
  const std::string whole = content();
  ASSERT_GT(whole.size(), 100'000U);
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{99}, std::size_t{4096}, whole.size() / 2, whole.size() - 4096, whole.size() - 1}) {
    overwrite(whole.substr(0, length));
    const Error error = refusal();
    EXPECT_EQ(error.code(), Code::malformed) << length << ": " << error.to_string();
    EXPECT_NE(error.to_string().find("move it away"), std::string::npos) << error.to_string();
  }
}

/// Any bytes changed: refused, or opened and then read without a fault of ours (errors are allowed, crashes are not).
TEST_F(JournalFaults, ChangedBytesDoNoHarm) {
  make_journal(20);
  const std::string whole = content();
  std::mt19937_64 random(cuzk::test::run_seed());
  int refused = 0;
  for (int round = 0; round < 100; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 1 + round % 20; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path + suffix);
    overwrite(bytes);
    const auto journal = open_sqlite_journal(path);
    if (!journal) {
      ++refused;
      continue;
    }
    (void)(*journal)->list({});
    for (std::uint64_t n = 0; n < 20; ++n) (void)(*journal)->find(digest_of(n));
    (void)(*journal)->take(100, kLease);
    (void)(*journal)->expire({.max_results = 0});
  }
  std::cout << refused << " of 100 refused\n";
}

TEST_F(JournalFaults, AnEmptyFileIsANewJournal) {
  overwrite("");
  must(open(path)->accept(job_of(1)));
}

TEST_F(JournalFaults, ASizeLimitIsExhaustion) {
  SqliteJournalOptions options;
  options.max_bytes = 400'000;
  const auto journal = open(path, options);
  NewJob large = job_of(0);
  large.metadata.resize(1'000'000);
  const auto refused = journal->accept(large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::exhausted) << refused.error().to_string();
  std::uint64_t accepted = 0;
  for (std::uint64_t n = 1;; ++n) {
    NewJob job = job_of(n);
    job.metadata.resize(10'000);
    if (const auto answer = journal->accept(job); !answer) {
      EXPECT_EQ(answer.error().code(), Code::exhausted) << answer.error().to_string();
      break;
    }
    accepted = n;
  }
  EXPECT_GT(accepted, 10U);
  EXPECT_EQ(must(journal->list({.limit = 1000})).jobs.size(), accepted) << "nothing is half there";
  must(prove(*journal, must(journal->acquire(digest_of(1), kLease)).lease, 1, std::string(50'000, 'r')));
  EXPECT_EQ(must(journal->expire({.max_results = 0})).jobs, 1U);
  must(journal->accept(job_of(accepted + 1)));  // there is room again
}

/// RLIMIT_FSIZE stands for a disk that is full: writes beyond it fail, in whatever file of the journal.
TEST_F(JournalFaults, AFullDiskIsExhaustion) {
  make_journal(0);
  ChildProcess child([&](const ChildProcess::Say& say) {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto journal = open(path);
    const rlimit limit{.rlim_cur = 300'000, .rlim_max = RLIM_INFINITY};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit");
    for (std::uint64_t n = 0; n < 10'000; ++n) {
      NewJob job = job_of(n);
      job.metadata.resize(5000);
      const auto answer = journal->accept(job);
      if (!answer && answer.error().code() != Code::exhausted) throw std::runtime_error(answer.error().to_string());
      say(answer ? "A" : "E");
      if (answer) continue;
      if (must(journal->list({.limit = 1000})).jobs.size() != n) throw std::runtime_error("half a job");
      const rlimit none{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
      if (::setrlimit(RLIMIT_FSIZE, &none) != 0) throw std::runtime_error("setrlimit");
      must(journal->accept(job));  // there is room again
      say("B");
      return;
    }
  });
  const auto lines = child.listen();
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back(), "B") << lines.back();
  EXPECT_EQ(must(open(path)->list({.limit = 1000})).jobs.size(), lines.size() - 1);
}

TEST_F(JournalFaults, ALockedFileIsUnavailable) {
  SqliteJournalOptions impatient;
  impatient.busy_timeout = milliseconds(50);
  const auto journal = open(path, impatient);
  const auto database = must(Database::open(path, milliseconds(1000)));
  must(database->execute("BEGIN IMMEDIATE"));
  const auto refused = journal->accept(job_of(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::unavailable) << refused.error().to_string();
  EXPECT_TRUE(must(journal->list({})).jobs.empty()) << "reading needs no lock";
  must(database->execute("ROLLBACK"));
  must(journal->accept(job_of(1)));
}

}  // namespace
}  // namespace cuzk::store
