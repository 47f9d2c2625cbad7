// Faults of a former proving daemon in memory, devices and tickets (A), and those of its speed that counters can show
// (B).
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "support/log.h"
#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

std::uint64_t bytes_of(const World& world, memory::MemoryTag tag) {
  return world.budget->snapshot().by_tag[static_cast<std::size_t>(tag)].bytes;
}

// Partitions of the same number and kind stood under one key, and the later one took the place of the earlier.
TEST(Faults, fault_A01_the_device_queue_holds_all_that_was_put_in) {
  World world([](EngineOptions& options) {
    options.workers_per_device = 1;
    options.device_queue = 10;
  });
  world.script.hold(At::start);
  std::vector<std::pair<JobHandle, std::string>> jobs;
  for (const char* text : {"window 1", "window 2", "winning"}) jobs.emplace_back(world.submit(text, 1, "high"), text);
  jobs.emplace_back(world.submit("porep", 4), "porep");
  ASSERT_TRUE(World::eventually([&] { return world.queue_length("device 0") == 6; })) << "of seven, one is on it";
  world.script.release(At::start);
  for (const auto& [job, text] : jobs) {
    EXPECT_EQ(World::proof(job), result_of(text, text == "porep" ? 4 : 1));
  }
}

TEST(Faults, fault_A02_a_failed_job_is_not_worked_on_any_more) {
  World world([](EngineOptions& options) { options.max_witnesses = 1; });
  world.script.fail_next(At::start, Code::device, 2, proof_of(input_of("porep", 3)));
  const JobHandle job = world.submit("porep", 100);
  EXPECT_EQ(World::result(job)->state, JobState::failed);
  EXPECT_TRUE(World::eventually([&] { return world.working_bytes() == 0; }));
  EXPECT_EQ(World::proof(world.submit("after")), result_of("after", 1));
  EXPECT_LT(world.script.count(At::start), 50U);
}

// A batch of two jobs was one circuit of one size: the second had no proof, and the memory was that of one.
TEST(Faults, fault_A08_each_partition_stands_for_itself) {
  for (const unsigned at_once : {1U, 2U, 5U}) {
    World world([&](EngineOptions& options) {
      options.max_witnesses = options.workers_per_device = options.device_queue = at_once;
    });
    world.script.hold(At::start);
    const JobHandle first = world.submit("sector 1", 16);
    const JobHandle second = world.submit("sector 2", 16);
    const std::uint64_t admitted = at_once + at_once;  // those who generate, and those who wait for the device
    ASSERT_TRUE(world.script.wait_for(At::witness, admitted));
    EXPECT_EQ(world.working_bytes(), admitted * kPeakBytes) << "each has a reservation of its own";
    world.script.release(At::start);
    EXPECT_EQ(World::proof(first), result_of("sector 1", 16));
    EXPECT_EQ(World::proof(second), result_of("sector 2", 16));
    EXPECT_EQ(world.script.count(At::start), 32U);
  }
}

// One partition is on the device, the next of its kind waits for memory; then urgent work of another kind needs the
// room of their key. Whoever waits with a key in his hands keeps it from being given up.
TEST(Faults, fault_A11_nobody_waits_for_memory_with_a_key_in_hand) {
  constexpr std::uint64_t kPayloadShare = 8;  // of the total, kept for payloads
  const std::uint64_t of_one_kind = kKeyBytes + kCircuitBytes + kPeakBytes;
  World world([](EngineOptions& options) { options.workers_per_device = 1; },
              of_one_kind * kPayloadShare / (kPayloadShare - 1) + 1);
  world.script.hold(At::start);
  const JobHandle ordinary = world.submit("porep", 3, "normal", "a");
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  const auto waiting = [&](Priority priority) {
    const auto memory = world.budget->snapshot();
    return std::ranges::any_of(memory.waiting, [&](const auto& waiter) { return waiter.priority == priority; });
  };
  ASSERT_TRUE(World::eventually([&] { return waiting(Priority::normal); }));
  const auto only_who_works_holds_it = [&] {
    const EngineSnapshot now = world.engine->snapshot();
    return std::ranges::all_of(now.keys, [](const ResidentSnapshot& key) { return key.users <= 1; });
  };
  ASSERT_TRUE(World::eventually(only_who_works_holds_it));
  const std::uint64_t given_up = world.budget->snapshot().given_up;
  const JobHandle urgent = world.submit("winning", 1, "critical", "b");
  const auto has_its_turn = [&] { return world.budget->snapshot().given_up > given_up && waiting(Priority::critical); };
  ASSERT_TRUE(World::eventually(has_its_turn)) << "the loader gave up, and its own lane waits";
  world.script.release(At::start);
  EXPECT_EQ(World::proof(urgent), result_of("winning", 1));
  EXPECT_EQ(World::proof(ordinary), result_of("porep", 3));
}

// What is reserved in each phase is what the circuit's sizes say, until the phase has ended.
TEST(Faults, fault_A12_the_budget_holds_what_a_partition_holds) {
  World world;
  const auto key = kKeyBytes, circuit = kCircuitBytes;
  for (const At at : {At::witness, At::start, At::finish, At::verify}) world.script.hold(at);
  const JobHandle job = world.submit("job");
  const auto expect = [&](At at, std::uint64_t working) {
    ASSERT_TRUE(world.script.wait_for(at, 1));
    EXPECT_EQ(world.working_bytes(), working) << static_cast<int>(at);
    EXPECT_EQ(bytes_of(world, memory::MemoryTag::key), key);
    EXPECT_EQ(bytes_of(world, memory::MemoryTag::circuit), circuit);
    world.script.release(at);
  };
  expect(At::witness, kSizes.partition_peak());
  expect(At::start, kSizes.partition_peak());
  expect(At::finish, kSizes.finish_bytes);
  expect(At::verify, 0);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  const auto after = world.budget->snapshot();
  std::uint64_t sum = 0;
  for (const auto& use : after.by_tag) sum += use.bytes;
  EXPECT_EQ(after.used, sum);
}

// Numbers that devices have in another world (a tool's list, a former start) name no device of ours.
TEST(Faults, fault_A14_devices_are_known_by_what_they_are) {
  const std::vector<std::string> names = {"GPU-c", "GPU-a", "GPU-b"};
  World world([&](EngineOptions& options) {
    options.device_queue = 12;  // so that two devices, held, leave the third one work
    options.devices.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      options.devices[i].name = names[i];
      options.devices[i].ordinal = 7;
    }
  });
  world.script.hold(At::start);
  std::vector<std::pair<JobHandle, std::string>> jobs;
  for (int i = 0; i < 12; ++i) {
    const std::string text = "job " + std::to_string(i);
    jobs.emplace_back(world.submit(text), text);
  }
  ASSERT_TRUE(world.script.wait_for(At::start, 3));
  const auto devices = world.engine->snapshot().devices;
  ASSERT_EQ(devices.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(devices[i].ordinal, i);
    EXPECT_EQ(devices[i].name, names[i]);
  }
  world.script.release(At::start);
  for (const auto& [job, text] : jobs) {
    EXPECT_EQ(World::proof(job), result_of(text, 1));
    const auto starts = world.script.happened(At::start);
    const auto start = std::ranges::find(starts, proof_of(input_of(text, 0)), &Happened::who);
    ASSERT_NE(start, starts.end());
    EXPECT_EQ(job.status().partitions[0].timeline.device, names.at(start->device));
  }
}

// Every call of a device may fail, at any time; what comes of it is an error with its text, never a proof.
TEST(Faults, fault_A18_an_error_of_any_device_call_is_reported) {
  for (const At at : {At::load_circuit, At::load_key, At::start, At::finish}) {
    World world;
    world.script.fail_next(at, Code::device, 2);
    const auto failed = World::result(world.submit("job"));
    EXPECT_EQ(failed->state, JobState::failed) << static_cast<int>(at);
    EXPECT_TRUE(failed->proof.empty());
    EXPECT_EQ(failed->code, Code::device);
    EXPECT_EQ(failed->failure, FailureClass::transient);
    EXPECT_NE(failed->error.find("failed on purpose"), std::string::npos) << failed->error;
    EXPECT_EQ(World::proof(world.submit("job")), result_of("job", 1));
  }
}

/// Counts tickets, and whether the memory of each is still reserved when it ends.
struct TicketWatch {
  explicit TicketWatch(World& of) : world(of) {
    world.script.give_tickets([this] {
      ++alive;
      return std::shared_ptr<const void>(this, [this](const void*) {
        if (world.working_bytes() < alive * kSizes.finish_bytes) ++late;
        --alive;
      });
    });
  }

  World& world;
  std::atomic<std::uint64_t> alive = 0;
  std::atomic<int> late = 0;
};

// A proof that is given up still reads its memory until its ticket has ended: errors, exceptions, cancelling, stopping.
TEST(Faults, fault_A19_a_ticket_ends_before_the_memory_that_it_reads) {
  World world([](EngineOptions& options) {
    options.finishers = 1;
    options.workers_per_device = 4;
  });
  TicketWatch watch(world);
  world.script.fail_next(At::finish, Code::device, 2);
  EXPECT_EQ(World::result(world.submit("fails"))->state, JobState::failed);
  world.script.throw_next(At::finish);
  EXPECT_EQ(World::result(world.submit("throws"))->state, JobState::completed);
  EXPECT_EQ(watch.alive, 0U);

  world.script.hold(At::finish);
  const JobHandle first = world.submit("waits");
  ASSERT_TRUE(World::eventually([&] { return watch.alive == 1; }));
  const JobHandle second = world.submit("is cancelled", 2);
  ASSERT_TRUE(World::eventually([&] { return watch.alive == 3; }));
  EXPECT_TRUE(must(world.engine->cancel(second.job_id())));
  EXPECT_TRUE(World::eventually([&] { return watch.alive == 1; }));
  EXPECT_TRUE(must(world.engine->cancel(first.job_id())));
  world.script.release(At::finish);
  ASSERT_TRUE(World::eventually([&] { return watch.alive == 0; }));
  world.script.hold(At::finish);
  const JobHandle third = world.submit("is stopped", 2);
  ASSERT_TRUE(World::eventually([&] { return watch.alive == 2; }));
  world.script.release(At::finish);
  world.engine->stop();
  world.engine.reset();
  EXPECT_EQ(watch.alive, 0U);
  EXPECT_EQ(watch.late, 0) << "tickets whose memory was free for others before they had ended";
}

// What takes long is done without the locks that a status needs.
TEST(Faults, fault_A27_a_status_is_there_while_a_proof_is_verified) {
  World world;
  world.script.hold(At::verify);
  const JobHandle job = world.submit("job");
  ASSERT_TRUE(world.script.wait_for(At::verify, 1));
  std::atomic<bool> seen = false;
  std::jthread observer([&] {
    static_cast<void>(world.engine->snapshot());
    static_cast<void>(job.status());
    EXPECT_FALSE(must(world.engine->submit(World::request("another"))).job_id().empty());
    seen = true;
  });
  EXPECT_TRUE(World::eventually([&] { return seen.load(); }));
  world.script.release(At::verify);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
}

// What read() is given, for what the engine does with it.
class SeeingKind final : public JobKind {
 public:
  explicit SeeingKind(Script& script) : script_(script) {}

  const std::string& name() const noexcept override { return name_; }
  Priority default_priority() const noexcept override { return Priority::normal; }
  Result<std::shared_ptr<const Statement>> read(const JobContent& content, const Reading& reading) const override {
    arena = &reading.arena;
    payload = content.payloads.at(0).bytes.data();
    reading.decoded();
    const std::string text(bytes_text(content.payloads[0].bytes));
    return std::make_shared<const FakeStatement>(script_, content.circuit, text, content.partitions);
  }

  mutable std::atomic<const Arena*> arena = nullptr;
  mutable std::atomic<const std::byte*> payload = nullptr;

 private:
  Script& script_;
  const std::string name_ = "seeing";
};

TEST(Faults, fault_B08_a_payload_lies_where_it_came_in_and_once) {
  World world;
  const auto kind = std::make_shared<SeeingKind>(world.script);
  world.options.kinds.push_back(kind);
  world.restart();
  world.script.hold(At::witness);
  auto request = World::request("one payload for ten partitions", 10, "seeing");
  const std::byte* const bytes = request.content.payloads[0].bytes.data();
  const std::weak_ptr<const void> owner = request.content.payloads[0].owner;
  const JobHandle job = must(world.engine->submit(std::move(request)));
  ASSERT_TRUE(world.script.wait_for(At::witness, 2));
  EXPECT_EQ(kind->payload, bytes);
  EXPECT_TRUE(World::eventually([&] { return owner.expired(); })) << "decoded, it is not needed any more";
  world.script.release(At::witness);
  EXPECT_EQ(World::result(job)->state, JobState::completed);
}

TEST(Faults, fault_B11_work_behind_a_slow_one_goes_on) {
  World world;
  static_cast<void>(must(world.engine->preload("b")));
  world.script.hold(At::read, "slow");
  const JobHandle slow = world.submit("slow");
  ASSERT_TRUE(world.script.wait_for(At::read, 1));
  EXPECT_EQ(World::proof(world.submit("winning", 1, "critical", "b")), result_of("winning", 1));
  EXPECT_TRUE(slow.status().is_open());
  world.script.release(At::read, "slow");
  EXPECT_EQ(World::result(slow)->state, JobState::completed);
}

// Nothing is dispatched by a clock: with one that never ticks all is done.
TEST(Faults, fault_B12_no_timer_moves_the_work) {
  World world([](EngineOptions& options) { options.housekeeping = 1h; });
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 40; ++i) jobs.push_back(world.submit("job " + std::to_string(i), 3));
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
}

TEST(Faults, fault_B13_the_device_starts_the_next_while_one_is_finished) {
  World world([](EngineOptions& options) { options.finishers = 1; });
  world.script.hold(At::finish);
  const JobHandle job = world.submit("job", 2);
  EXPECT_TRUE(world.script.wait_for(At::finish, 1));
  EXPECT_TRUE(world.script.wait_for(At::start, 2));
  EXPECT_EQ(world.script.count(At::finish), 1U);
  world.script.release(At::finish);
  EXPECT_EQ(World::proof(job), result_of("job", 2));
}

// Counted where a key comes onto a device: with each partition's proof it would be thirty times.
TEST(Faults, fault_B14_a_key_comes_onto_a_device_once) {
  World world([](EngineOptions& options) {
    options.devices.resize(2);
    options.devices[1].name = "fake 1";
  });
  world.script.hold(At::load_key);
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 10; ++i) jobs.push_back(world.submit("job " + std::to_string(i), 3));
  ASSERT_TRUE(world.script.wait_for(At::load_key, 2)) << "both devices are used";
  world.script.release(At::load_key);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
  for (const At at : {At::load_key, At::load_circuit}) {
    std::vector<unsigned> devices;
    for (const Happened& load : world.script.happened(at)) devices.push_back(load.device);
    std::ranges::sort(devices);
    EXPECT_EQ(devices, (std::vector<unsigned>{0, 1})) << static_cast<int>(at);
  }
}

TEST(Faults, fault_B15_the_status_shows_every_queue) {
  World world([](EngineOptions& options) { options.max_witnesses = 1; });
  world.script.hold(At::finish);
  for (int i = 0; i < 5; ++i) world.submit("job " + std::to_string(i), 8);
  EXPECT_TRUE(World::eventually([&] { return world.queue_length("decode") == 3; }));  // two are decoded
  EXPECT_TRUE(World::eventually([&] { return world.queue_length("partitions") >= 10; }));
  EXPECT_TRUE(World::eventually([&] { return world.queue_length("device 0") >= 1; }));
  const EngineSnapshot now = world.engine->snapshot();
  const auto kind = std::ranges::find(now.kinds, "normal", &KindCount::kind);
  ASSERT_NE(kind, now.kinds.end());
  EXPECT_EQ(kind->waiting + kind->running, 5U);
  EXPECT_GE(kind->running, 1U);
  world.script.release(At::finish);
  EXPECT_TRUE(world.engine->drain(Deadline::after(kPatience)));
}

TEST(Faults, fault_B17_proofs_that_wait_to_be_finished_are_bounded) {
  World world([](EngineOptions& options) { options.workers_per_device = 3; });
  world.script.hold(At::finish);
  const JobHandle job = world.submit("job", 12);
  ASSERT_TRUE(world.script.wait_for(At::start, 3));
  ASSERT_TRUE(World::eventually([&] { return world.engine->snapshot().devices[0].in_flight.size() == 3; }));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(world.script.count(At::start), 3U);
  world.script.release(At::finish);
  EXPECT_EQ(World::proof(job), result_of("job", 12));
}

TEST(Faults, fault_B22_phases_of_a_partition_follow_each_other) {
  World world;
  const JobHandle job = world.submit("job", 6);
  ASSERT_EQ(World::result(job)->state, JobState::completed);
  const JobStatus status = job.status();
  for (const PartitionStatus& partition : status.partitions) {
    std::uint64_t before = status.timeline.accepted_ns;
    for (const Phase phase : {Phase::queue, Phase::key, Phase::memory, Phase::witness, Phase::device_queue,
                              Phase::start, Phase::finish, Phase::verify}) {
      const PhaseSpan span = partition.timeline[phase];
      EXPECT_NE(span.begin_ns, 0U) << to_string(phase);
      EXPECT_GE(span.begin_ns, before) << to_string(phase) << " begins where the one before ended, or later";
      EXPECT_GE(span.end_ns, span.begin_ns) << to_string(phase);
      before = span.end_ns;
    }
    EXPECT_GE(status.timeline.finished_ns, before);
  }
}

TEST(Faults, fault_B23_counters_only_grow) {
  World world([](EngineOptions& options) {
    options.max_results = 1;
    options.result_age = 0ms;
  });
  std::uint64_t count = 0, sum = 0, proved = 0;
  for (int i = 0; i < 40; ++i) {
    World::result(world.submit((i % 2 == 0 ? "job " : "bad ") + std::to_string(i)));
    const auto kinds = world.engine->snapshot().metrics.kinds;
    const KindMetrics& now = kinds.at("normal");
    EXPECT_GE(now.job.count, count);
    EXPECT_GE(now.job.sum_ns, sum);
    EXPECT_GE(now.partitions_proved, proved);
    count = now.job.count;
    sum = now.job.sum_ns;
    proved = now.partitions_proved;
  }
  EXPECT_EQ(count, 20U);
  EXPECT_EQ(proved, 20U);
}

// Several workers a device did what streams of one submitter do, and stood in each other's way.
TEST(Faults, fault_B28_a_device_has_one_submitter_however_many_are_in_flight) {
  World world([](EngineOptions& options) {
    options.workers_per_device = 4;
    options.device_queue = 8;
    options.devices[0].is_cpu = false;  // which has no submitter for critical work alone
  });
  world.script.hold(At::start);
  world.script.hold(At::finish);
  const JobHandle job = world.submit("job", 8);
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  ASSERT_TRUE(World::eventually([&] { return world.queue_length("device 0") >= 4; })) << "others could begin";
  EXPECT_EQ(world.script.count(At::start), 1U);
  world.script.release(At::start);
  ASSERT_TRUE(world.script.wait_for(At::start, 4)) << "the next ones while the first is not finished";
  world.script.release(At::finish);
  EXPECT_EQ(World::proof(job), result_of("job", 8));
}

TEST(Faults, fault_B29_critical_work_has_threads_of_its_own) {
  Arena critical(2);
  World world;
  const auto kind = std::make_shared<SeeingKind>(world.script);
  world.options.kinds.push_back(kind);
  world.options.critical_arena = &critical;
  world.restart();
  World::result(world.submit("ordinary", 1, "seeing"));
  EXPECT_EQ(kind->arena, &world.arena);
  auto request = World::request("urgent", 1, "seeing");
  request.priority = Priority::critical;
  World::result(must(world.engine->submit(std::move(request))));
  EXPECT_EQ(kind->arena, &critical);
}

TEST(Faults, fault_B31_partitions_write_no_lines_at_info) {
  std::atomic<int> lines = 0;
  const LogSink former =
      set_log_sink([&](const LogRecord& record) { lines += record.level >= LogLevel::info ? 1 : 0; });
  {
    World world;
    EXPECT_EQ(World::result(world.submit("job", 100))->state, JobState::completed);
  }
  set_log_sink(former);
  EXPECT_LE(lines, 2);
}

}  // namespace
}  // namespace cuzk::engine::test
