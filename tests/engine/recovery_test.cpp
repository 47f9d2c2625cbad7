// Accepted jobs outlive the process: what a journal gives to the next engine.
#include <csignal>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "engine/books.h"
#include "support/death_note.h"
#include "tests/engine/process.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine::test {
namespace {

namespace fs = std::filesystem;

class Recovery : public testing::Test {
 protected:
  /// The files as they lie: what a machine finds after its process was killed.
  std::string image() {
    const std::string copy = folder.file("image");
    fs::create_directory(copy);
    fs::copy(live, copy, fs::copy_options::recursive);
    return copy;
  }

  cuzk::test::TemporaryFolder folder;
  const std::string live = folder.file("live");

  void SetUp() override { fs::create_directory(live); }
};

std::size_t witnesses_of(const Process& process, const std::string& who) {
  std::size_t count = 0;
  for (const Happened& step : process.world.script.happened(At::witness)) count += step.who == who;
  return count;
}

TEST_F(Recovery, fault_A26_stopped_jobs_go_on_by_partition) {
  std::string id;
  {
    Process first(live);
    for (const char* held : {"job/2", "job/3"}) first.world.script.hold(At::witness, held);
    const JobHandle job = first.world.submit("job", 4);
    id = job.job_id();
    ASSERT_TRUE(World::eventually([&] { return job.status().finished_partitions == 2; }));
    first.world.engine->stop();
    EXPECT_EQ(World::result(job)->code, Code::unavailable);
  }
  Process second(live);
  const JobHandle job = must(second.world.engine->find(id));
  EXPECT_EQ(World::proof(job), result_of("job", 4));
  EXPECT_EQ(witnesses_of(second, "job/0") + witnesses_of(second, "job/1"), 0u);
  EXPECT_EQ(second.world.engine->snapshot().metrics.kinds.at("normal").recovered, 1u);
}

TEST_F(Recovery, AProofThatTheJournalHasIsToldAsFinished) {
  std::string id;
  {
    Process first(live);
    const JobHandle job = first.world.submit("job", 4);
    EXPECT_EQ(World::proof(job), result_of("job", 4));
    id = job.job_id();
  }
  Process second(live);
  EXPECT_EQ(must(second.world.engine->find(id)).status().finished_partitions, 4U);
  EXPECT_EQ(second.world.submit("job", 4).status().finished_partitions, 4U);
}

TEST_F(Recovery, KilledAnywhereNoJobIsLost) {
  for (const At at : {At::read, At::load_key, At::witness, At::start, At::finish, At::verify}) {
    SCOPED_TRACE(static_cast<int>(at));
    fs::remove_all(live);
    fs::remove_all(folder.file("image"));
    fs::create_directory(live);
    Process first(live);
    first.world.script.hold(at);
    const JobHandle job = first.world.submit("job", 3);
    ASSERT_TRUE(first.world.script.wait_for(at, 1));
    Process second(image());
    EXPECT_EQ(World::proof(must(second.world.engine->find(job.job_id()))), result_of("job", 3));
    first.world.script.release(at);
  }
}

TEST_F(Recovery, ResultsComeFromTheJournal) {
  std::string id;
  {
    Process first(live);
    const JobHandle job = first.world.submit("job", 2);
    EXPECT_EQ(World::proof(job), result_of("job", 2));
    EXPECT_TRUE(first.world.engine->mark_delivered(job));
    id = job.job_id();
  }
  Process second(live);
  EXPECT_EQ(World::proof(must(second.world.engine->find(id))), result_of("job", 2));
  EXPECT_EQ(World::proof(second.world.submit("job", 2)), result_of("job", 2));
  EXPECT_EQ(second.world.script.count(At::start), 0u);
  EXPECT_FALSE(must(second.world.engine->cancel(id)));
  EXPECT_EQ(second.world.engine->find("nobody").error().code(), Code::not_found);
}

TEST_F(Recovery, CancelledAndFailedJobsDoNotComeBack) {
  {
    Process first(live);
    first.world.script.hold(At::witness);
    const JobHandle job = first.world.submit("cancelled", 2);
    ASSERT_TRUE(first.world.script.wait_for(At::witness, 1));
    EXPECT_TRUE(must(first.world.engine->cancel(job.job_id())));
    first.world.script.release(At::witness);
    EXPECT_EQ(World::result(first.world.submit("bad"))->state, JobState::failed);
  }
  Process second(live);
  EXPECT_TRUE(second.world.engine->list().empty());
  const auto failed = World::result(must(second.world.engine->find("bad")));
  EXPECT_EQ(failed->state, JobState::failed);
  EXPECT_EQ(failed->failure, FailureClass::caller);
  EXPECT_EQ(World::proof(second.world.submit("cancelled", 2)), result_of("cancelled", 2));
}

TEST_F(Recovery, AFailedJobThatComesAgainKeepsItsFinishedPartitions) {
  Process process(live);
  process.world.script.fail_next(At::witness, Code::device, 2, "job/1");
  process.world.script.hold(At::witness, "job/1");
  const JobHandle job = process.world.submit("job", 2);
  ASSERT_TRUE(World::eventually([&] { return job.status().finished_partitions == 1; }));
  process.world.script.release(At::witness, "job/1");
  EXPECT_EQ(World::result(job)->state, JobState::failed);
  EXPECT_EQ(World::proof(process.world.submit("job", 2)), result_of("job", 2));
  EXPECT_EQ(witnesses_of(process, "job/0"), 1u);
}

TEST_F(Recovery, EqualSubmitsAtOnceAreOneJob) {
  Process process(live);
  process.world.script.hold(At::start);
  std::vector<std::jthread> clients;
  std::array<std::string, 8> proofs;
  for (std::string& proof : proofs) {
    clients.emplace_back([&] { proof = World::proof(process.world.submit("job", 2)); });
  }
  ASSERT_TRUE(process.world.script.wait_for(At::start, 1));
  process.world.script.release(At::start);
  clients.clear();
  for (const std::string& proof : proofs) EXPECT_EQ(proof, result_of("job", 2));
  EXPECT_EQ(process.world.script.count(At::start), 2u);
}

TEST_F(Recovery, AJobThatNobodyWaitsForEndsAlsoAfterARestart) {
  std::string id;
  {
    Process first(live, [](EngineOptions& options) { options.housekeeping = 1h; });  // it is the next one that ends it
    first.world.script.hold(At::start);
    auto request = World::request("job");
    request.orphan_grace = 300ms;
    id = must(first.world.engine->submit(std::move(request))).job_id();
    first.world.engine->stop();
  }
  Process second(live, {}, [](Script& script) { script.hold(At::start); });
  const JobHandle job = must(second.world.engine->find(id));
  ASSERT_TRUE(World::eventually([&] { return !job.status().is_open(); }));
  EXPECT_EQ(job.status().state, JobState::cancelled);
  second.world.script.release(At::start);
}

TEST_F(Recovery, RecoveredPayloadsAreCounted) {
  {
    Process first(live);
    first.world.script.hold(At::read);
    auto request = World::request(std::string(3'000, 'x'));
    request.label = "large";
    static_cast<void>(must(first.world.engine->submit(std::move(request))));
    first.world.engine->stop();
  }
  Process second(live, [](EngineOptions& options) { options.result_age = 1h; });
  const PayloadSnapshot payloads = second.world.engine->snapshot().payloads;
  EXPECT_EQ(payloads.limit_bytes, 10'000U);
  const JobHandle job = must(second.world.engine->find("large"));
  EXPECT_EQ(job.status().payload_bytes, 3'000U);
  World::result(job);
  EXPECT_EQ(second.world.engine->snapshot().payloads.held_bytes(), 0U);
}

TEST_F(Recovery, AJobIsFoundByEveryLabelItCameUnder) {
  const auto came_as = [](const Process& process, const char* label) {
    auto request = World::request("job", 2);
    request.label = label;
    return must(process.world.engine->submit(std::move(request))).job_id();
  };
  {
    Process first(live);
    first.world.script.hold(At::start);
    EXPECT_EQ(came_as(first, "porep-1000-7"), "porep-1000-7");
    EXPECT_EQ(came_as(first, "ps-porep-1000-7-1"), "porep-1000-7");
    EXPECT_EQ(must(first.world.engine->find("ps-porep-1000-7-1")).job_id(), "porep-1000-7");
    first.world.engine->stop();
  }
  Process second(live);
  EXPECT_EQ(World::proof(must(second.world.engine->find("ps-porep-1000-7-1"))), result_of("job", 2));
  EXPECT_EQ(came_as(second, "a third name"), "porep-1000-7");
  EXPECT_EQ(must(second.world.engine->find("a third name")).job_id(), "porep-1000-7");
  second.world.restart();
  EXPECT_EQ(must(second.world.engine->find("a third name")).job_id(), "porep-1000-7");
}

TEST_F(Recovery, WhoJoinsProlongs) {
  const Deadline soon = Deadline::after(100ms);
  const auto housekeeper_sleeps = [](EngineOptions& options) { options.housekeeping = 1h; };
  {
    Process first(live, housekeeper_sleeps);  // however late the second one comes
    first.world.script.hold(At::read);
    auto hasty = World::request("job");
    hasty.deadline = soon;
    hasty.orphan_grace = 100ms;
    static_cast<void>(must(first.world.engine->submit(std::move(hasty))));
    static_cast<void>(must(first.world.engine->submit(World::request("job"))));
    first.world.engine->stop();
  }
  Process second(live, {}, [](Script& script) { script.hold(At::start); });
  const JobHandle job = must(second.world.engine->find("job"));
  std::this_thread::sleep_until(soon.when());
  std::this_thread::sleep_for(200ms);
  second.world.script.release(At::start);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
}

TEST_F(Recovery, WhoJoinsProlongsWhatRuns) {
  Process process(live, [](EngineOptions& options) { options.housekeeping = 1h; });
  process.world.script.hold(At::read);
  auto hasty = World::request("job");
  const Deadline soon = hasty.deadline = Deadline::after(100ms);
  const JobHandle job = must(process.world.engine->submit(std::move(hasty)));
  static_cast<void>(must(process.world.engine->submit(World::request("job"))));
  std::this_thread::sleep_until(soon.when());
  process.world.script.release(At::read);
  EXPECT_EQ(World::proof(job), result_of("job", 1)) << "key and memory are waited for until the later deadline";
}

/// Who joins has the same job, so its end is everybody's; whoever still wants it sends it again.
TEST_F(Recovery, ACancelEndsTheJobForAllWhoJoined) {
  Process process(live);
  process.world.script.hold(At::witness, "job/1");
  const JobHandle first = process.world.submit("job", 2);
  auto request = World::request("job", 2);
  request.label = "another caller";
  const JobHandle second = must(process.world.engine->submit(std::move(request)));
  ASSERT_TRUE(World::eventually([&] { return first.status().finished_partitions == 1; }));
  EXPECT_TRUE(must(process.world.engine->cancel("another caller")));
  EXPECT_EQ(World::result(first)->state, JobState::cancelled);
  EXPECT_EQ(World::result(second)->state, JobState::cancelled);
  process.world.script.release(At::witness, "job/1");
  EXPECT_EQ(World::proof(process.world.submit("job", 2)), result_of("job", 2));
  EXPECT_EQ(witnesses_of(process, "job/0"), 1U) << "what was finished is kept";
}

// While another process runs.

TEST_F(Recovery, JobsOfAProcessThatStopsAreTakenOver) {
  Process other(live, [](EngineOptions& options) { options.take_over = 20ms; });
  Process first(live);
  first.world.script.hold(At::witness, "job/1");
  const JobHandle job = first.world.submit("job", 3);
  ASSERT_TRUE(World::eventually([&] { return job.status().finished_partitions == 2; }));
  EXPECT_EQ(other.world.engine->find(job.job_id()).error().code(), Code::unavailable) << "in other hands";
  first.world.engine->stop();
  ASSERT_TRUE(World::eventually([&] { return other.world.engine->find(job.job_id()).has_value(); }));
  EXPECT_EQ(World::proof(must(other.world.engine->find(job.job_id()))), result_of("job", 3));
  EXPECT_EQ(witnesses_of(other, "job/0") + witnesses_of(other, "job/2"), 0U) << "what was finished is not done again";
  EXPECT_EQ(other.world.engine->snapshot().metrics.kinds.at("normal").recovered, 1U);
}

/// A job in the journal as another process accepted it, of a former version without a key.
store::NewJob accepted_elsewhere(store::Spool& spool, const std::string& text, std::chrono::milliseconds lease) {
  JobContent content = World::request(text).content;
  const auto payloads = payload_hashes(content);
  static_cast<void>(must(spool.put(content.payloads[0].bytes)));
  store::NewJob job;
  job.digest = digest_of(content, payloads);
  job.label = text;
  job.kind = content.kind;
  job.circuit = content.circuit;
  job.priority = 1;
  job.payloads = payloads;
  job.lease = lease;
  return job;
}

TEST_F(Recovery, JobsOfADeadProcessAreTakenOver) {
  Process living(live, [](EngineOptions& options) { options.take_over = 20ms; });
  {
    const auto dies = must(store::open_sqlite_journal(live + "/journal"));
    ASSERT_TRUE(must(dies->accept(accepted_elsewhere(*living.spool, "job", 1h))).lease);
    std::this_thread::sleep_for(60ms);
    EXPECT_EQ(living.world.engine->find("job").error().code(), Code::unavailable) << "its process lives";
  }
  ASSERT_TRUE(World::eventually([&] { return living.world.engine->find("job").has_value(); }));
  EXPECT_EQ(World::proof(must(living.world.engine->find("job"))), result_of("job", 1));
}

TEST_F(Recovery, JobsOfAProcessThatHangsAreTakenOverWhenTheirLeaseHasEnded) {
  Process living(live, [](EngineOptions& options) { options.take_over = 20ms; });
  const auto hangs = must(store::open_sqlite_journal(live + "/journal"));
  const auto lease = must(hangs->accept(accepted_elsewhere(*living.spool, "job", 100ms))).lease;
  ASSERT_TRUE(lease);
  ASSERT_TRUE(World::eventually([&] { return living.world.engine->find("job").has_value(); }));
  EXPECT_EQ(World::proof(must(living.world.engine->find("job"))), result_of("job", 1));
  EXPECT_EQ(hangs->complete(*lease, text_bytes("late")).error().code(), Code::conflict);
}

TEST_F(Recovery, AFullOrStoppingEngineTakesNothingOver) {
  Process full(live, [](EngineOptions& options) {
    options.take_over = 10ms;
    options.max_open_jobs = 1;
  });
  full.world.script.hold(At::start);
  const JobHandle own = full.world.submit("own");
  const auto elsewhere = must(store::open_sqlite_journal(live + "/journal"));
  ASSERT_TRUE(must(elsewhere->accept(accepted_elsewhere(*full.spool, "job", 1ms))).lease);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(full.world.engine->find("job").error().code(), Code::unavailable);
  EXPECT_EQ(full.world.engine->drain(Deadline::after(1ms)).error().code(), Code::deadline);
  full.world.script.release(At::start);
  EXPECT_EQ(World::proof(own), result_of("own", 1));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(full.world.engine->find("job").error().code(), Code::unavailable);
}

TEST_F(Recovery, JobsInOtherHandsCanBeCancelled) {
  Process second(live, [](EngineOptions& options) { options.take_over = 1h; });  // however late leases are renewed
  Process first(live, [](EngineOptions& options) { options.lease = 150ms; });
  first.world.script.hold(At::start);
  const JobHandle job = first.world.submit("job", 2);
  ASSERT_TRUE(first.world.script.wait_for(At::start, 1));
  EXPECT_TRUE(must(second.world.engine->cancel("job")));
  EXPECT_FALSE(must(second.world.engine->cancel("job")));
  ASSERT_TRUE(World::eventually([&] { return !job.status().is_open(); })) << "by the next renewal";
  EXPECT_EQ(World::result(job)->state, JobState::cancelled);
  first.world.script.release(At::start);
}

/// Whose end the journal did not take, because it was out of room for a while.
TEST_F(Recovery, ALeaseWithoutAJobIsGivenBack) {
  Process process(live, [](EngineOptions& options) {
    options.lease = 60ms;
    options.take_over = 20ms;
  });
  ASSERT_TRUE(must(process.journal->accept(accepted_elsewhere(*process.spool, "job", 60ms))).lease);
  ASSERT_TRUE(World::eventually([&] { return process.world.engine->find("job").has_value(); }));
  EXPECT_EQ(World::proof(must(process.world.engine->find("job"))), result_of("job", 1));
}

// Keys that change while nobody runs.

/// The circuit has another key from now on.
void change_key(World& world) {
  world.catalogue.add(std::make_shared<FakeCircuit>(world.script, "a", kSizes, "another key"));
}

TEST_F(Recovery, AResultOfAnotherKeyIsNotGiven) {
  {
    Process first(live);
    EXPECT_EQ(World::proof(first.world.submit("job", 2)), result_of("job", 2));
  }
  {
    Process second(live);
    change_key(second.world);
    const JobHandle again = second.world.submit("job", 2);
    EXPECT_EQ(again.job_id(), "job#2");
    EXPECT_EQ(World::proof(again), result_of("job", 2));
    EXPECT_EQ(second.world.script.count(At::start), 2U) << "proven with the new key";
  }
  Process third(live);
  EXPECT_EQ(third.world.submit("job", 2).job_id(), "job");
  EXPECT_EQ(third.world.script.count(At::start), 0U) << "the former key has its own results";
}

TEST_F(Recovery, PartitionsOfTwoKeysAreNotMixed) {
  std::string id;
  {
    Process first(live);
    first.world.script.hold(At::witness, "job/1");
    const JobHandle job = first.world.submit("job", 2);
    id = job.job_id();
    ASSERT_TRUE(World::eventually([&] { return job.status().finished_partitions == 1; }));
    first.world.engine->stop();
  }
  Script script;
  FakeCatalogue other;
  other.add(std::make_shared<FakeCircuit>(script, "a", kSizes, "another key"));
  Process second(live, [&](EngineOptions& options) { options.catalogue = &other; });
  const auto result = World::result(must(second.world.engine->find(id)));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::transient);
  EXPECT_NE(result->error.find("the key of a was another one when the job was accepted"), std::string::npos)
      << result->error;
  EXPECT_EQ(World::proof(second.world.submit("job", 2)), result_of("job", 2)) << "sent again it is another job";
}

TEST_F(Recovery, WithoutAKeyAJobIsAcceptedAndFails) {
  Process process(live);
  process.world.catalogue.remove("a");
  const JobHandle job = process.world.submit("job");
  const auto result = World::result(job);
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->code, Code::not_found);
  EXPECT_EQ(result->failure, FailureClass::transient);
  process.world.catalogue.add(std::make_shared<FakeCircuit>(process.world.script, "a", kSizes));
  EXPECT_EQ(World::proof(process.world.submit("job")), result_of("job", 1)) << "the key has come";
}

TEST_F(Recovery, AKeyThatComesBetweenAcceptingAndProvingIsNotTaken) {
  Process process(live);
  process.world.script.hold(At::read, "job");
  process.world.catalogue.remove("a");
  const JobHandle job = process.world.submit("job");
  ASSERT_TRUE(process.world.script.wait_for(At::read, 1));
  process.world.catalogue.add(std::make_shared<FakeCircuit>(process.world.script, "a", kSizes));
  process.world.script.release(At::read, "job");
  const auto result = World::result(job);
  EXPECT_NE(result->error.find("the key of a was not there when the job was accepted"), std::string::npos)
      << result->error;
}

TEST_F(Recovery, JobsOfAFormerVersionGoOnWithoutTheirPartitions) {
  Process living(live, [](EngineOptions& options) { options.take_over = 20ms; });
  {
    const auto dies = must(store::open_sqlite_journal(live + "/journal"));
    store::NewJob job = accepted_elsewhere(*living.spool, "job", 1h);
    job.partitions = 2;
    const auto lease = must(dies->accept(job)).lease;
    ASSERT_TRUE(dies->partition_finished(lease.value(), 0, text_bytes("of whatever key")));
  }
  ASSERT_TRUE(World::eventually([&] { return living.world.engine->find("job").has_value(); }));
  EXPECT_EQ(World::proof(must(living.world.engine->find("job"))), result_of("job", 2));
}

// Jobs that processes die of.

/// The process ends while this partition is at work: killed, or of itself.
void die_at(const std::string& live, std::uint32_t partition, std::optional<int> signal = SIGSEGV) {
  const auto dies = must(store::open_sqlite_journal(live + "/journal"));
  const auto taken = must(dies->take(1, 1h));
  ASSERT_EQ(taken.size(), 1U);
  ASSERT_TRUE(dies->partition_started(taken[0].lease, partition));
  if (signal) DeathNote::write_all(*signal);
}

TEST_F(Recovery, APartitionThatProcessesDieOfIsGivenUp) {
  {
    Process first(live);
    first.world.script.hold(At::read);
    static_cast<void>(first.world.submit("job", 3));
    first.world.engine->stop();
  }
  for (int deaths = 0; deaths < 8; ++deaths) die_at(live, 1);
  Process last(live);
  const JobHandle job = must(last.world.engine->find("job"));
  const auto result = World::result(job);
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::defect);
  EXPECT_NE(result->error.find("each time that partition 1 was at work"), std::string::npos) << result->error;
  EXPECT_EQ(last.world.script.count(At::witness), 0U);
  EXPECT_EQ(World::proof(last.world.submit("job", 3)), result_of("job", 3)) << "sent again it is tried again";
}

TEST_F(Recovery, AFewDeathsAreNoReason) {
  {
    Process first(live);
    first.world.script.hold(At::read);
    static_cast<void>(first.world.submit("job", 3));
    first.world.engine->stop();
  }
  for (int deaths = 0; deaths < 7; ++deaths) die_at(live, 1);
  Process last(live);
  EXPECT_EQ(World::proof(must(last.world.engine->find("job"))), result_of("job", 3));
}

TEST_F(Recovery, ManyKillsFromOutsideAreNone) {
  {
    Process first(live);
    first.world.script.hold(At::read);
    static_cast<void>(first.world.submit("job", 3));
    first.world.engine->stop();
  }
  for (int kills = 0; kills < 40; ++kills) die_at(live, 1, std::nullopt);
  Process last(live);
  EXPECT_EQ(World::proof(must(last.world.engine->find("job"))), result_of("job", 3));
}

TEST_F(Recovery, StopsInOrderAreNoDeaths) {
  for (int restarts = 0; restarts < 5; ++restarts) {
    Process process(live, {}, [](Script& script) { script.hold(At::start); });
    if (restarts == 0) static_cast<void>(process.world.submit("job"));
    ASSERT_TRUE(process.world.script.wait_for(At::start, 1));
    process.world.engine->stop();
  }
  Process last(live);
  EXPECT_EQ(World::proof(must(last.world.engine->find("job"))), result_of("job", 1));
}

TEST_F(Recovery, WhoWasHeldUpKeepsItsJobs) {
  Process process(live, [](EngineOptions& options) {
    options.lease = 1ms;  // over whenever anybody looks
    options.housekeeping = options.take_over = 1ms;
  });
  EXPECT_EQ(World::proof(process.world.submit("job", 100)), result_of("job", 100));
}

TEST_F(Recovery, LeasesAreKept) {
  Process process(live, [](EngineOptions& options) { options.lease = 100ms; });
  process.world.script.hold(At::start);
  const JobHandle job = process.world.submit("job");
  ASSERT_TRUE(process.world.script.wait_for(At::start, 1));
  const auto other = must(store::open_sqlite_journal(live + "/journal"));
  const auto leased_until = [&] { return must(other->find_id("job"))->summary.lease_until.value(); };
  const store::WallTime first = leased_until();
  EXPECT_TRUE(World::eventually([&] { return leased_until() > first + 2 * 100ms; })) << "renewed again and again";
  process.world.script.release(At::start);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
}

}  // namespace
}  // namespace cuzk::engine::test
