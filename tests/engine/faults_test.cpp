// One test for each fault of a former proving daemon that an engine can have.
#include <array>
#include <filesystem>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

TEST(Faults, fault_A01_jobs_of_one_partition_do_not_replace_each_other) {
  World world;
  world.script.hold(At::start);
  std::vector<JobHandle> jobs;
  for (const char* text : {"window 1", "window 2", "winning"}) jobs.push_back(world.submit(text, 1, "high"));
  jobs.push_back(world.submit("porep", 4));
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  world.script.release(At::start);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
  EXPECT_EQ(World::proof(jobs[3]), result_of("porep", 4));
}

TEST(Faults, fault_A02_one_failure_ends_a_job_once_and_frees_it) {
  World world([](EngineOptions& options) { options.max_witnesses = 1; });
  const std::string third = proof_of(input_of("porep", 3));
  world.script.fail_next(At::start, Code::device, 2, third);
  const JobHandle job = world.submit("porep", 10);
  const auto result = World::result(job);
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::transient);
  EXPECT_NE(result->error.find("partition 3"), std::string::npos) << result->error;
  EXPECT_TRUE(World::eventually([&] { return world.working_bytes() == 0; }));
  const std::size_t started = world.script.count(At::start);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(world.script.count(At::start), started);
  const auto metrics = world.engine->snapshot().metrics;
  EXPECT_EQ(metrics.kinds.at("normal").failures(), 1u);
  EXPECT_EQ(metrics.kinds.at("normal").partitions_retried, 1u);
}

TEST(Faults, fault_A03_ended_jobs_are_forgotten) {
  World world([](EngineOptions& options) { options.max_results = 20; });
  for (int i = 0; i < 500; ++i) {
    const JobHandle job = world.submit((i % 2 == 0 ? "good " : "bad ") + std::to_string(i));
    EXPECT_EQ(World::result(job)->state, i % 2 == 0 ? JobState::completed : JobState::failed);
  }
  EXPECT_TRUE(World::eventually([&] { return world.engine->list().size() <= 20; }));
  EXPECT_EQ(world.working_bytes(), 0u);
  EXPECT_EQ(world.engine->snapshot().metrics.kinds.at("normal").failures(), 250u);
}

TEST(Faults, fault_A04_failures_do_not_stop_the_pipeline) {
  for (const At at : {At::witness, At::start, At::finish, At::verify}) {
    World world;
    world.script.fail_next(at, Code::device, 16);
    std::vector<JobHandle> failing;
    for (int i = 0; i < 8; ++i) failing.push_back(world.submit("job " + std::to_string(i)));
    for (const JobHandle& job : failing) EXPECT_EQ(World::result(job)->state, JobState::failed);
    EXPECT_EQ(World::proof(world.submit("after")), result_of("after", 1)) << static_cast<int>(at);
  }
}

TEST(Faults, fault_A05_identity_is_the_content_not_the_label) {
  World world;
  world.script.hold(At::start);
  auto first = World::request("sector 7 seed 1", 2);
  auto again = World::request("sector 7 seed 1", 2);
  auto other = World::request("sector 7 seed 2", 2);
  first.label = again.label = other.label = "porep-1000-7";
  const JobHandle a = must(world.engine->submit(std::move(first)));
  const JobHandle b = must(world.engine->submit(std::move(again)));
  const JobHandle c = must(world.engine->submit(std::move(other)));
  EXPECT_EQ(a.job_id(), b.job_id());
  EXPECT_EQ(a.job_id(), "porep-1000-7");
  EXPECT_EQ(c.job_id(), "porep-1000-7#2");
  world.script.release(At::start);
  EXPECT_EQ(World::proof(a), result_of("sector 7 seed 1", 2));
  EXPECT_EQ(World::proof(b), result_of("sector 7 seed 1", 2));
  EXPECT_EQ(World::proof(c), result_of("sector 7 seed 2", 2));
  EXPECT_EQ(world.script.count(At::start), 4u);
  EXPECT_EQ(World::proof(world.submit("sector 7 seed 1", 2)), result_of("sector 7 seed 1", 2));  // kept
  EXPECT_EQ(world.script.count(At::start), 4u);
}

TEST(Faults, fault_A06_wrong_proofs_are_made_again_and_never_delivered) {
  World world;
  for (const char* kind : {"low", "normal", "high", "critical"}) {
    world.script.corrupt_next(1);
    EXPECT_EQ(World::proof(world.submit(std::string("once ") + kind, 1, kind)),
              result_of(std::string("once ") + kind, 1));
    world.script.corrupt_next(2);
    const auto result = World::result(world.submit(std::string("twice ") + kind, 1, kind));
    EXPECT_EQ(result->state, JobState::failed);
    EXPECT_EQ(result->failure, FailureClass::defect);
    EXPECT_TRUE(result->proof.empty());
  }
}

// PoReps alone were verified.
TEST(Faults, fault_A06_no_kind_goes_unverified) {
  constexpr std::array kKinds = {"porep-c2", "snap-update", "window-post", "winning-post", "circom"};
  World world;
  for (const char* kind : kKinds) {
    world.options.kinds.push_back(std::make_shared<FakeKind>(world.script, kind, Priority::normal));
  }
  world.restart();
  for (const char* kind : kKinds) {
    world.script.corrupt_next(2);
    const auto result = World::result(world.submit(std::string("a ") + kind, 1, kind));
    EXPECT_EQ(result->state, JobState::failed) << kind;
    EXPECT_TRUE(result->proof.empty()) << kind;
    EXPECT_EQ(world.engine->snapshot().metrics.kinds.at(kind).proofs_rejected, 2U) << kind;
  }
}

TEST(Faults, fault_A09_a_wait_for_memory_sees_keys_grow_old) {
  World world([](EngineOptions& options) { options.min_idle = 300ms; }, 8'000);
  const Stopwatch watch;
  EXPECT_EQ(World::proof(world.submit("first", 1, "normal", "a")), result_of("first", 1));
  EXPECT_EQ(World::proof(world.submit("second", 1, "normal", "b")), result_of("second", 1));  // a and b do not fit
  EXPECT_GE(watch.seconds(), 0.3) << "a was in use after the watch had begun";
}

TEST(Faults, fault_A09_what_can_never_fit_fails_at_once) {
  World world({}, 5'000);
  const auto result = World::result(world.submit("large"));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->code, Code::exhausted);
  EXPECT_NE(result->error.find("key"), std::string::npos) << result->error;
}

TEST(Faults, fault_A09_what_others_keep_for_ever_is_not_waited_for) {
  constexpr std::uint64_t kPayloadPart = 8;  // of the budget, kept for payloads
  const std::uint64_t needed = kKeyBytes + kCircuitBytes + kPeakBytes;
  World world({}, needed + needed / kPayloadPart - 1);  // all of it would be enough, what is left is not
  const JobHandle large = world.submit("large");
  const auto result = World::result(large);
  EXPECT_EQ(result->code, Code::exhausted);
  EXPECT_NE(result->error.find("memory.total_budget"), std::string::npos) << result->error;
}

TEST(Faults, fault_A10_critical_work_overtakes_in_every_queue) {
  World world([](EngineOptions& options) {
    options.workers_per_device = 1;
    options.max_witnesses = options.device_queue = 2;
    options.devices[0].is_cpu = false;  // which has no submitter for critical work alone
  });
  constexpr std::size_t kWithWitness = 2 + 2 - 1;  // one of those that have a place is on the device
  world.script.hold(At::start);
  std::vector<JobHandle> ordinary;
  for (int i = 0; i < 6; ++i) ordinary.push_back(world.submit("porep " + std::to_string(i), 4));
  ASSERT_TRUE(World::eventually([&] { return world.queue_length("device 0") == kWithWitness; }));
  const JobHandle winning = world.submit("winning", 1, "critical");
  ASSERT_TRUE(World::eventually([&] { return world.queue_length("device 0") == kWithWitness + 1; }));
  world.script.release(At::start);
  EXPECT_EQ(World::proof(winning), result_of("winning", 1));
  EXPECT_EQ(world.script.happened(At::start).at(1).who, proof_of(input_of("winning", 0)));
  for (const JobHandle& job : ordinary) EXPECT_EQ(World::result(job)->state, JobState::completed);
}

TEST(Faults, fault_A10_critical_work_passes_a_decoder_and_a_witness_that_are_busy) {
  World world([](EngineOptions& options) { options.max_witnesses = 1; });
  world.script.hold(At::witness);
  const JobHandle slow = world.submit("porep", 4);
  ASSERT_TRUE(world.script.wait_for(At::witness, 1));
  const JobHandle winning = world.submit("winning", 1, "critical");
  ASSERT_TRUE(world.script.wait_for(At::witness, 2));  // in a lane of its own
  world.script.release(At::witness);
  EXPECT_EQ(World::result(winning)->state, JobState::completed);
  EXPECT_EQ(World::result(slow)->state, JobState::completed);
}

TEST(Faults, fault_A10_critical_work_waits_for_no_other_on_a_cpu) {
  World world([](EngineOptions& options) { options.finishers = 1; });
  std::vector<std::string> partitions;
  for (const std::uint32_t k : {0U, 1U, 2U, 3U}) partitions.push_back(proof_of(input_of("porep", k)));
  for (const std::string& partition : partitions) world.script.hold(At::start, partition);
  const JobHandle porep = world.submit("porep", 4);
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  const std::string first = world.script.happened(At::start)[0].who;
  world.script.hold(At::finish, first);
  world.script.release(At::start, first);
  ASSERT_TRUE(world.script.wait_for(At::finish, 1));
  ASSERT_TRUE(world.script.wait_for(At::start, 2));
  EXPECT_EQ(World::proof(world.submit("winning", 2, "critical")), result_of("winning", 2));
  EXPECT_EQ(porep.status().finished_partitions, 0U);
  world.script.release(At::finish, first);
  for (const std::string& partition : partitions) world.script.release(At::start, partition);
  EXPECT_EQ(World::proof(porep), result_of("porep", 4));
}

TEST(Faults, fault_A11_a_budget_of_one_key_and_one_partition_serves_all_kinds) {
  const std::uint64_t payload_share = 7;  // total - total / 8
  World world({}, (kKeyBytes + kCircuitBytes + kPeakBytes) * 8 / payload_share + 1);
  std::vector<std::pair<JobHandle, std::string>> jobs;
  for (int i = 0; i < 4; ++i) {
    for (const char* circuit : {"a", "b", "c"}) {
      const std::string text = std::string(circuit) + std::to_string(i);
      const char* const kind = *circuit == 'c' ? "critical" : "normal";
      jobs.emplace_back(world.submit(text, 2, kind, circuit), text);
    }
  }
  for (const auto& [job, text] : jobs) EXPECT_EQ(World::proof(job), result_of(text, 2)) << World::result(job)->error;
  const auto memory = world.budget->snapshot();
  EXPECT_LE(memory.used_peak, memory.total);
}

TEST(Faults, fault_A17_gauges_are_zero_after_any_mix) {
  World world;
  std::vector<JobHandle> jobs;
  world.script.fail_next(At::start, Code::device, 3);
  world.script.fail_next(At::finish, Code::device, 3);
  world.script.fail_next(At::witness, Code::malformed, 3);
  for (int i = 0; i < 30; ++i) {
    jobs.push_back(world.submit((i % 5 == 0 ? "bad " : "job ") + std::to_string(i), 3, i % 3 == 0 ? "high" : "normal"));
    if (i % 4 == 0) static_cast<void>(world.engine->cancel(jobs.back().job_id()));
  }
  for (const JobHandle& job : jobs) World::result(job);
  const auto at_rest = [&] {  // what was cancelled is dropped by the stage that has it
    const EngineSnapshot now = world.engine->snapshot();
    return world.working_bytes() == 0 && now.devices[0].in_flight.empty() &&
           std::ranges::all_of(now.queues, [](const QueueSnapshot& queue) { return queue.length == 0; }) &&
           std::ranges::all_of(now.keys, [](const ResidentSnapshot& key) { return key.users == 0; });
  };
  ASSERT_TRUE(World::eventually(at_rest));
  const EngineSnapshot all = world.engine->snapshot();
  EXPECT_EQ(all.witnesses, 0u);
  for (const auto& device : all.devices) EXPECT_TRUE(device.in_flight.empty());
  for (const auto& kind : all.kinds) EXPECT_EQ(kind.waiting + kind.running, 0u) << kind.kind;
  for (const auto& key : all.keys) EXPECT_EQ(key.users, 0u);
  std::uint64_t ended = 0;
  for (const auto& [kind, metrics] : all.metrics.kinds) {
    ended += metrics.completed + metrics.cancelled + metrics.failures();
    EXPECT_EQ(metrics.accepted, metrics.completed + metrics.cancelled + metrics.failures()) << kind;
  }
  EXPECT_EQ(ended, jobs.size());
}

TEST(Faults, fault_A20_an_exception_costs_one_job_at_most) {
  World world;
  for (const At at : {At::read, At::load_circuit, At::load_key, At::witness, At::start, At::finish, At::verify}) {
    world.script.throw_next(at);
    const auto result = World::result(world.submit("thrown " + std::to_string(static_cast<int>(at))));
    if (at == At::read) {
      EXPECT_NE(result->error.find("thrown on purpose"), std::string::npos);
    } else {
      EXPECT_EQ(result->state, JobState::completed) << result->error;  // by the second attempt
    }
  }
  EXPECT_EQ(World::proof(world.submit("after")), result_of("after", 1));
}

TEST(Faults, fault_A22_a_sick_device_goes_out_of_service) {
  World world([](EngineOptions& options) {
    options.devices.resize(2);
    options.devices[1].name = "fake 1";
  });
  world.script.fail_on_device(0, Code::device);
  world.script.hold(At::start);
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 12; ++i) jobs.push_back(world.submit("job " + std::to_string(i)));
  ASSERT_TRUE(World::eventually([&] { return world.queue_length("device 0") > 0; })) << "behind the one on it";
  world.script.release(At::start);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
  const auto devices = world.engine->snapshot().devices;
  EXPECT_FALSE(devices[0].in_service);
  EXPECT_TRUE(devices[1].in_service);
  EXPECT_EQ(devices[1].proofs, 12u);
}

TEST(Faults, fault_A23_cancel_works_wherever_the_job_is) {
  for (const At at : {At::read, At::load_key, At::witness, At::start}) {
    World world;
    world.script.hold(at);
    const JobHandle job = world.submit("job", 3);
    ASSERT_TRUE(world.script.wait_for(at, 1));
    EXPECT_TRUE(must(world.engine->cancel(job.job_id())));
    EXPECT_EQ(World::result(job)->state, JobState::cancelled);
    EXPECT_FALSE(must(world.engine->cancel(job.job_id())));
    EXPECT_TRUE(World::eventually([&] { return world.working_bytes() == 0; })) << static_cast<int>(at);
    world.script.release(at);
    EXPECT_EQ(World::proof(world.submit("job", 3)), result_of("job", 3));
  }
}

TEST(Faults, fault_A23_waiting_ends_in_time_and_the_job_goes_on) {
  World world;
  world.script.hold(At::start);
  const JobHandle job = world.submit("job");
  const auto early = job.await(Deadline::after(20ms));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code(), Code::deadline);
  world.script.release(At::start);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
}

TEST(Faults, fault_A23_a_job_that_nobody_waits_for_ends) {
  World world;
  world.script.hold(At::start);
  auto request = World::request("job");
  request.orphan_grace = 30ms;
  const JobHandle job = must(world.engine->submit(std::move(request)));
  ASSERT_TRUE(World::eventually([&] { return !job.status().is_open(); }));
  EXPECT_EQ(job.status().state, JobState::cancelled);
}

TEST(Faults, fault_A23_deadlines_are_kept) {
  World world;
  world.script.hold(At::witness);
  auto request = World::request("job");
  request.deadline = Deadline::after(30ms);
  const auto result = World::result(must(world.engine->submit(std::move(request))));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->code, Code::deadline);
}

TEST(Faults, fault_A23_eviction_and_preloading_are_real) {
  World world;
  EXPECT_FALSE(must(world.engine->preload("a")).already_loaded);
  EXPECT_TRUE(must(world.engine->preload("a")).already_loaded);
  EXPECT_EQ(world.engine->snapshot().keys.size(), 1u);
  const Evicted evicted = must(world.engine->evict("a"));
  EXPECT_TRUE(evicted.was_loaded);
  EXPECT_EQ(evicted.freed_bytes, kKeyBytes + kCircuitBytes);
  EXPECT_TRUE(world.engine->snapshot().keys.empty());
  EXPECT_FALSE(must(world.engine->evict("a")).was_loaded);
  EXPECT_EQ(world.engine->preload("nothing").error().code(), Code::not_found);
}

TEST(Faults, fault_A24_admission_is_bounded) {
  World world([](EngineOptions& options) { options.max_open_jobs = 50; });
  world.script.hold(At::start);
  std::size_t refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto job = world.engine->submit(World::request("job " + std::to_string(i)));
    if (job) continue;
    EXPECT_EQ(job.error().code(), Code::exhausted);
    ++refused;
  }
  EXPECT_EQ(refused, 950u);
  const auto large = world.engine->submit(World::request(std::string(9'000, 'x')));
  EXPECT_EQ(large.error().code(), Code::exhausted);
  EXPECT_EQ(world.engine->snapshot().metrics.refused, 951u);
  world.script.release(At::start);
}

TEST(Faults, fault_A24_payloads_are_bounded_in_bytes) {
  World world;
  world.script.hold(At::start);
  const JobHandle first = world.submit(std::string(6'000, 'x'));
  const auto second = world.engine->submit(World::request(std::string(6'000, 'y')));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), Code::exhausted);
  world.script.release(At::start);
  World::result(first);
  EXPECT_TRUE(world.engine->submit(World::request(std::string(6'000, 'y'))));
}

TEST(Faults, fault_A24_payloads_on_their_way_are_counted) {
  World world;
  auto room = must(world.engine->receive(6'000));
  EXPECT_EQ(world.engine->snapshot().payloads.receiving_bytes, 6'000U);
  EXPECT_EQ(world.engine->receive(6'000).error().code(), Code::exhausted);
  const auto never = world.engine->receive(10'001);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code(), Code::invalid_argument) << "it would be refused at any time";
  EXPECT_NE(never.error().to_string().find("larger than all payloads together may be"), std::string::npos);
  EXPECT_EQ(world.engine->submit(World::request(std::string(6'000, 'x'))).error().code(), Code::exhausted);
  world.script.hold(At::read);
  auto request = World::request(std::string(6'000, 'y'));
  request.room = std::move(room);
  const JobHandle job = must(world.engine->submit(std::move(request)));
  PayloadSnapshot payloads = world.engine->snapshot().payloads;
  EXPECT_EQ(payloads.receiving_bytes, 0U);
  EXPECT_EQ(payloads.payload_bytes, 6'000U);
  world.script.release(At::read);
  World::result(job);
  room = must(world.engine->receive(6'000));
  room.reset();
  payloads = world.engine->snapshot().payloads;
  EXPECT_EQ(payloads.held_bytes(), 0U);
}

TEST(Faults, fault_A24_decoded_statements_are_counted) {
  World world;
  world.script.hold(At::start);
  world.script.hold(At::read);
  std::vector<JobHandle> jobs;
  for (const char c : {'a', 'b', 'c'}) jobs.push_back(world.submit(std::string(2'500, c)));
  world.script.release(At::read);
  // Beside three payloads there is room for one statement as large; the next is decoded when a job has ended.
  EXPECT_TRUE(World::eventually([&] { return world.engine->snapshot().payloads.statement_bytes == 2'500; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(world.engine->snapshot().payloads.held_bytes(), 10'000U);
  EXPECT_EQ(world.engine->submit(World::request("one more")).error().code(), Code::exhausted);
  world.script.release(At::start);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
  EXPECT_EQ(world.engine->snapshot().payloads.held_bytes(), 0U);
}

TEST(Faults, fault_A26_stopping_ends_and_tells_everybody) {
  World world;
  world.script.hold(At::witness);
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(world.submit("job " + std::to_string(i), 2));
  ASSERT_TRUE(world.script.wait_for(At::witness, 2));
  EXPECT_EQ(world.engine->drain(Deadline::after(10ms)).error().code(), Code::deadline);
  EXPECT_EQ(world.engine->submit(World::request("late")).error().code(), Code::unavailable);
  world.engine->stop();
  for (const JobHandle& job : jobs) {
    EXPECT_EQ(World::result(job)->code, Code::unavailable);
    EXPECT_EQ(World::result(job)->failure, FailureClass::transient);
  }
  EXPECT_EQ(world.working_bytes(), 0u);
}

TEST(Faults, fault_A26_draining_finishes_what_runs) {
  World world;
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(world.submit("job " + std::to_string(i), 2));
  EXPECT_TRUE(world.engine->drain(Deadline::after(kPatience)));
  for (const JobHandle& job : jobs) EXPECT_EQ(job.status().state, JobState::completed);
}

TEST(Faults, fault_A27_status_does_not_wait_for_stages) {
  World world;
  for (const At at : {At::verify, At::load_key, At::read}) world.script.hold(at);
  world.submit("cold", 1, "normal", "b");
  ASSERT_TRUE(world.script.wait_for(At::read, 1));
  world.script.release(At::read);
  ASSERT_TRUE(world.script.wait_for(At::load_key, 1));
  EXPECT_EQ(world.engine->snapshot().keys.size(), 1u);
  EXPECT_TRUE(world.engine->snapshot().keys[0].loading);
  world.script.release(At::load_key);
  ASSERT_TRUE(world.script.wait_for(At::verify, 1));
  static_cast<void>(world.engine->snapshot());
  world.script.release(At::verify);
}

TEST(Faults, fault_A32_A33_bad_payloads_fail_before_anything_is_loaded) {
  World world;
  const auto wrong = World::result(world.submit("bad path", 10));
  EXPECT_EQ(wrong->state, JobState::failed);
  EXPECT_EQ(wrong->failure, FailureClass::caller);
  auto nothing = World::request("nothing");
  nothing.content.payloads.clear();
  EXPECT_EQ(World::result(must(world.engine->submit(std::move(nothing))))->failure, FailureClass::caller);
  EXPECT_EQ(world.script.count(At::load_key), 0u);
  EXPECT_EQ(world.script.count(At::witness), 0u);
}

TEST(Faults, fault_A37_each_caller_gets_his_own_proof) {
  World world;
  world.script.hold(At::start);
  auto one = World::request("partition 0 of the deadline", 1, "high");
  auto two = World::request("partition 1 of the deadline", 1, "high");
  one.label = two.label = "wdpost-1000-0-[1 2 3 4 5 6 7 8]";
  const JobHandle a = must(world.engine->submit(std::move(one)));
  const JobHandle b = must(world.engine->submit(std::move(two)));
  std::string proof_a, proof_b;
  std::jthread wait_a([&] { proof_a = World::proof(a); });
  std::jthread wait_b([&] { proof_b = World::proof(b); });
  world.script.release(At::start);
  wait_a.join();
  wait_b.join();
  EXPECT_EQ(proof_a, result_of("partition 0 of the deadline", 1));
  EXPECT_EQ(proof_b, result_of("partition 1 of the deadline", 1));
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

// Each cold request had a thread of its own, which asked for memory once a second.
TEST(Faults, fault_B09_B10_a_key_is_loaded_once_for_all_who_want_it) {
  World world;
  world.script.hold(At::load_key);
  const std::ptrdiff_t threads = threads_of_this_process();
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 20; ++i) {
    jobs.push_back(world.submit("job " + std::to_string(i), 1, i % 2 == 0 ? "normal" : "critical"));
  }
  ASSERT_TRUE(world.script.wait_for(At::load_key, 1));
  EXPECT_EQ(threads_of_this_process(), threads);
  world.script.release(At::load_key);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
  EXPECT_EQ(world.script.count(At::load_key), 1u);
  EXPECT_EQ(world.script.count(At::load_circuit), 1u);
}

TEST(Faults, fault_B10_a_cold_key_does_not_delay_critical_work) {
  World world;
  static_cast<void>(must(world.engine->preload("b")));
  world.script.hold(At::load_key);
  const JobHandle cold = world.submit("porep", 2, "normal", "a");
  ASSERT_TRUE(world.script.wait_for(At::load_key, 2));
  EXPECT_EQ(World::proof(world.submit("winning", 1, "critical", "b")), result_of("winning", 1));
  EXPECT_TRUE(cold.status().is_open());
  world.script.release(At::load_key);
  EXPECT_EQ(World::result(cold)->state, JobState::completed);
}

}  // namespace
}  // namespace cuzk::engine::test
