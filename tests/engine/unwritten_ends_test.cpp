// What becomes of jobs whose records and ends the journal cannot take at the moment: nothing is proven twice.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "store/sqlite.h"
#include "support/log.h"
#include "tests/engine/process.h"
#include "tests/store/child_process.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine::test {
namespace {

using cuzk::test::ChildProcess;
using store::JobSummary;

/// Another process that writes into the journal for as long as this lives, longer than anybody waits.
class Writer {
 public:
  explicit Writer(const std::string& folder) : database_(must(store::Database::open(folder + "/journal", 60s))) {
    must(database_->execute("BEGIN IMMEDIATE"));
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { static_cast<void>(database_->execute("ROLLBACK")); }

 private:
  const std::unique_ptr<store::Database> database_;
};

store::SqliteJournalOptions impatient() {
  store::SqliteJournalOptions options;
  options.busy_timeout = 20ms;
  return options;
}

/// A process that does not wait long for others who write.
struct Impatient : Process {
  explicit Impatient(const std::string& folder, std::function<void(EngineOptions&)> change = {})
      : Process(folder, std::move(change), {}, impatient()) {}

  std::size_t unwritten() const { return world.engine->snapshot().unwritten_ends; }
};

class UnwrittenEnds : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(live);
    reader = must(store::open_sqlite_journal(live + "/journal"));
  }

  /// As the journal has it.
  JobSummary journalled(const std::string& job_id = "job") const {
    return must(reader->find_id(job_id)).value().summary;
  }
  bool lease_has_ended(const std::string& job_id) const {
    return journalled(job_id).lease_until.value() < std::chrono::system_clock::now();
  }
  /// The next process has the result, and proves nothing.
  void expect_nothing_is_proven_again(std::uint32_t partitions) const {
    Process next(live);
    EXPECT_TRUE(next.world.engine->list().empty()) << "nothing is open";
    EXPECT_EQ(World::proof(next.world.submit("job", partitions)), result_of("job", partitions));
    EXPECT_EQ(next.world.script.count(At::witness), 0U);
  }

  cuzk::test::TemporaryFolder folder;
  const std::string live = folder.file("live");
  std::unique_ptr<store::Journal> reader;
};

TEST_F(UnwrittenEnds, AnEndBringsTheRecordsThatAreMissing) {
  {
    Impatient process(live);
    process.world.script.hold(At::verify);
    process.world.script.hold(At::witness, "job/1");
    const JobHandle job = process.world.submit("job", 2);
    ASSERT_TRUE(process.world.script.wait_for(At::verify, 1));
    ASSERT_TRUE(process.world.script.wait_for(At::witness, 2));
    {
      const Writer other(live);
      process.world.script.release(At::verify);
      ASSERT_TRUE(World::eventually([&] { return job.status().finished_partitions == 1; }));
      EXPECT_EQ(journalled().finished_partitions, 0U);
    }
    process.world.script.release(At::witness, "job/1");
    EXPECT_EQ(World::proof(job), result_of("job", 2));
    EXPECT_EQ(process.unwritten(), 0U);
    EXPECT_EQ(journalled().state, JobState::completed);
    EXPECT_EQ(journalled().finished_partitions, 2U);
  }
  expect_nothing_is_proven_again(2);
}

TEST_F(UnwrittenEnds, AResultIsDeliveredAtOnceAndWrittenLater) {
  {
    Impatient process(live, [](EngineOptions& options) { options.result_age = 0ms; });
    process.world.script.hold(At::finish);
    const JobHandle job = process.world.submit("job", 2);
    ASSERT_TRUE(process.world.script.wait_for(At::finish, 2));
    {
      const Writer other(live);
      process.world.script.release(At::finish);
      EXPECT_EQ(World::proof(job), result_of("job", 2));
      EXPECT_EQ(process.unwritten(), 1U);
      ASSERT_TRUE(World::eventually([&] { return process.world.engine->list().empty(); })) << "no longer in memory";
      EXPECT_EQ(process.unwritten(), 1U);
    }
    ASSERT_TRUE(World::eventually([&] { return process.unwritten() == 0; }));
    EXPECT_EQ(journalled().state, JobState::completed);
    EXPECT_EQ(process.world.script.count(At::witness), 2U);
  }
  expect_nothing_is_proven_again(2);
}

TEST_F(UnwrittenEnds, CancelledAndFailedJobsDoNotComeBack) {
  {
    Impatient process(live);
    process.world.script.hold(At::witness);
    process.world.script.hold(At::read, "bad");
    const JobHandle cancelled = process.world.submit("cancelled");
    const JobHandle bad = process.world.submit("bad");
    ASSERT_TRUE(process.world.script.wait_for(At::witness, 1));
    ASSERT_TRUE(process.world.script.wait_for(At::read, 2));
    {
      const Writer other(live);
      EXPECT_TRUE(must(process.world.engine->cancel("cancelled")));
      process.world.script.release(At::read, "bad");
      EXPECT_EQ(World::result(bad)->state, JobState::failed);
      EXPECT_EQ(process.unwritten(), 2U);
      EXPECT_EQ(journalled("cancelled").state, JobState::running);
      EXPECT_EQ(journalled("bad").state, JobState::running);
    }
    ASSERT_TRUE(World::eventually([&] { return process.unwritten() == 0; }));
    process.world.script.release(At::witness);
  }
  EXPECT_EQ(journalled("cancelled").state, JobState::cancelled);
  EXPECT_EQ(journalled("bad").state, JobState::failed);
  EXPECT_EQ(journalled("bad").failure, FailureClass::caller);
  Process next(live);
  EXPECT_TRUE(next.world.engine->list().empty());
}

/// Who ends a job of a process without housekeeping, while another one writes.
void cancel_while_another_writes(Impatient& process, const std::string& folder) {
  process.world.script.hold(At::witness);
  const JobHandle job = process.world.submit("job", 2);
  ASSERT_TRUE(process.world.script.wait_for(At::witness, 1));
  const Writer other(folder);
  EXPECT_TRUE(must(process.world.engine->cancel(job.job_id())));
  process.world.script.release(At::witness);
  EXPECT_EQ(process.unwritten(), 1U);
}

void without_housekeeping(EngineOptions& options) { options.housekeeping = 1h; }

TEST_F(UnwrittenEnds, AStopTriesOnceMore) {
  {
    Impatient process(live, without_housekeeping);
    cancel_while_another_writes(process, live);
  }
  EXPECT_EQ(journalled().state, JobState::cancelled);
}

TEST_F(UnwrittenEnds, AStopDoesNotWaitForEver) {
  {
    Impatient process(live, without_housekeeping);
    cancel_while_another_writes(process, live);
    const Writer other(live);
    process.world.engine->stop();
    EXPECT_EQ(process.unwritten(), 1U);
  }
  Process next(live);
  EXPECT_EQ(World::proof(must(next.world.engine->find("job"))), result_of("job", 2)) << "its work is done again";
}

TEST_F(UnwrittenEnds, AStopWaitsOnceForAJournalThatIsLocked) {
  store::SqliteJournalOptions patient;
  patient.busy_timeout = 1s;
  Process process(live, without_housekeeping, {}, patient);
  process.world.script.hold(At::witness);
  std::vector<JobHandle> jobs;
  for (const char* name : {"a", "b", "c", "d"}) jobs.push_back(process.world.submit(name));
  ASSERT_TRUE(process.world.script.wait_for(At::witness, jobs.size()));
  std::jthread stopping;
  {
    const Writer other(live);
    stopping = std::jthread([&] { process.world.engine->stop(); });
    EXPECT_EQ(World::result(jobs[0])->code, Code::unavailable);
  }
  stopping.join();
  for (const JobHandle& job : jobs) {
    EXPECT_EQ(World::result(job)->code, Code::unavailable);
    EXPECT_EQ(journalled(job.job_id()).state, JobState::running) << "it was not tried again";
  }
}

TEST_F(UnwrittenEnds, TheSameContentComesAgainAfterItsEndIsWritten) {
  Impatient process(live, without_housekeeping);
  cancel_while_another_writes(process, live);
  {
    const Writer other(live);
    const auto refused = process.world.engine->submit(World::request("job", 2));
    EXPECT_EQ(refused.error().code(), Code::unavailable) << refused.error().to_string();
  }
  EXPECT_EQ(World::proof(process.world.submit("job", 2)), result_of("job", 2));
  EXPECT_EQ(process.unwritten(), 0U);
  EXPECT_EQ(journalled().state, JobState::completed);
}

TEST_F(UnwrittenEnds, WhatOthersHaveTakenIsTheirs) {
  Impatient process(live, [](EngineOptions& options) {
    without_housekeeping(options);
    options.lease = 1ms;
  });
  cancel_while_another_writes(process, live);
  const auto other = must(store::open_sqlite_journal(live + "/journal"));
  std::vector<store::TakenJob> taken;
  ASSERT_TRUE(World::eventually([&] {
    taken = must(other->take(1, 1h));
    return !taken.empty();
  }));
  process.world.engine->stop();
  EXPECT_EQ(process.unwritten(), 0U);
  EXPECT_EQ(journalled().state, JobState::running) << "in the hands of the other";
  EXPECT_TRUE(other->complete(taken[0].lease, text_bytes("of the other")));
}

/// Leases run out at once, and everybody is quick to take what has none.
void hurried(EngineOptions& options) {
  options.lease = 20ms;
  options.take_over = 1ms;
  options.housekeeping = 1ms;
}

/// The lease has run out before the journal can be written again: whoever of renewal, writing and take-over is first.
TEST_F(UnwrittenEnds, OwnJobsAreNotTakenOver) {
  Impatient process(live, hurried);
  for (int round = 0; round < 10; ++round) {
    const std::string name = "job " + std::to_string(round);
    process.world.script.hold(At::finish);
    const JobHandle job = process.world.submit(name);
    ASSERT_TRUE(process.world.script.wait_for(At::finish, static_cast<std::size_t>(round) + 1));
    {
      const Writer other(live);
      process.world.script.release(At::finish);
      EXPECT_EQ(World::proof(job), result_of(name, 1));
      ASSERT_TRUE(World::eventually([&] { return lease_has_ended(name); }));
    }
    ASSERT_TRUE(World::eventually([&] { return process.unwritten() == 0; }));
    EXPECT_EQ(journalled(name).state, JobState::completed);
  }
  EXPECT_EQ(process.world.script.count(At::witness), 10U) << "each was proven once";
}

/// An open job whose lease has run out goes on, whoever of renewal and take-over is first.
TEST_F(UnwrittenEnds, OwnJobsGoOnAfterTheirLease) {
  Impatient process(live, hurried);
  for (int round = 0; round < 10; ++round) {
    const std::string name = "job " + std::to_string(round);
    process.world.script.hold(At::finish);
    const JobHandle job = process.world.submit(name);
    ASSERT_TRUE(process.world.script.wait_for(At::finish, static_cast<std::size_t>(round) + 1));
    {
      const Writer other(live);
      ASSERT_TRUE(World::eventually([&] { return lease_has_ended(name); }));
    }
    const auto until = *journalled(name).lease_until;
    ASSERT_TRUE(World::eventually([&] { return *journalled(name).lease_until > until; })) << "it is leased again";
    process.world.script.release(At::finish);
    EXPECT_EQ(World::proof(job), result_of(name, 1));
  }
}

TEST_F(UnwrittenEnds, ATroubleIsToldOnce) {
  Mutex mutex;
  std::vector<std::string> told;
  const LogSink former = set_log_sink([&](const LogRecord& record) {
    const MutexLock lock(mutex);
    if (record.message.starts_with("its end is")) told.emplace_back(record.message);
  });
  {
    Impatient process(live, without_housekeeping);
    cancel_while_another_writes(process, live);
    const Writer other(live);
    for (int tries = 0; tries < 3; ++tries) EXPECT_FALSE(process.world.engine->submit(World::request("job", 2)));
  }
  set_log_sink(former);
  EXPECT_THAT(told, testing::ElementsAre(testing::StartsWith("its end is not in the journal yet"),
                                         "its end is in the journal now"));
}

/// RLIMIT_FSIZE stands for a disk that is full: what the journal writes goes beyond it.
TEST_F(UnwrittenEnds, AFullDiskCostsNoProof) {
  reader.reset();  // and its thread: this process forks
  ChildProcess child([&](const ChildProcess::Say& say) {
    ::signal(SIGXFSZ, SIG_IGN);
    Impatient process(live);
    process.world.script.hold(At::finish);
    const JobHandle job = process.world.submit("job", 2);
    if (!process.world.script.wait_for(At::finish, 2)) throw std::runtime_error("nothing is proven");
    const rlimit full{.rlim_cur = std::filesystem::file_size(live + "/journal-wal"), .rlim_max = RLIM_INFINITY};
    const rlimit none{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    if (::setrlimit(RLIMIT_FSIZE, &full) != 0) throw std::runtime_error("setrlimit");
    process.world.script.release(At::finish);
    say(World::proof(job));
    say(std::to_string(process.unwritten()));
    if (::setrlimit(RLIMIT_FSIZE, &none) != 0) throw std::runtime_error("setrlimit");
    say(World::eventually([&] { return process.unwritten() == 0; }) ? "written" : "not written");
  });
  EXPECT_THAT(child.listen(), testing::ElementsAre(result_of("job", 2), "1", "written"));
  expect_nothing_is_proven_again(2);
}

}  // namespace
}  // namespace cuzk::engine::test
