// a, b, c on the host: which memory they take, who pays, what is counted, and what happens where page-locking is
// refused.
#include <random>

#include <gtest/gtest.h>

#include "tests/engine/fakes.h"
#include "tests/gen/seed.h"
#include "tests/memory/pool_fixture.h"

namespace cuzk::engine::test {
namespace {

using memory::FaultSite;
using memory::MemoryTag;
using memory::test::CountingLocker;
using memory::test::kLarge;
using memory::test::kSmall;

constexpr std::uint64_t kAbcBytes = 2 * kLarge + kSmall + 100;
constexpr std::uint64_t kFootprint = 2 * kLarge + 2 * kSmall;
constexpr std::uint64_t kFootprintAtMost = 2 * kLarge + 4 * kSmall;  // of any size up to that
constexpr CircuitSizes kWithAbc = {.key_bytes = kKeyBytes,
                                   .circuit_bytes = kCircuitBytes,
                                   .witness_bytes = 200,
                                   .abc_bytes = kAbcBytes,
                                   .start_bytes = 800,
                                   .finish_bytes = 300};

/// A device that wants a, b, c of circuit "a", and a pool whose locker only pretends.
struct InputsWorld {
  explicit InputsWorld(std::function<void(EngineOptions&)> change = {}, std::uint64_t budget_bytes = 1'000'000,
                       std::optional<std::uint64_t> pinned_limit = {})
      : world([&](EngineOptions& options) { set_up(options, change, budget_bytes, pinned_limit); }, budget_bytes) {}

  void set_up(EngineOptions& options, const std::function<void(EngineOptions&)>& change, std::uint64_t budget_bytes,
              std::optional<std::uint64_t> pinned_limit) {
    memory::BudgetOptions of_budget;
    of_budget.total_bytes = budget_bytes;
    of_budget.faults = faults;
    budget = must(memory::MemoryBudget::create(std::move(of_budget)));
    memory::PoolOptions of_pool;
    of_pool.large_chunk_bytes = kLarge;
    of_pool.small_chunk_bytes = kSmall;
    of_pool.locker = locker;
    of_pool.pinned_limit_bytes = pinned_limit;
    pool = must(memory::PinnedPool::create(budget, std::move(of_pool)));
    options.budget = budget;
    options.pool = pool;
    world.catalogue.add(std::make_shared<FakeCircuit>(world.script, "a", kWithAbc));
    if (change) change(options);
  }

  static PartitionTimeline timeline(const JobHandle& job, std::size_t partition = 0) {
    return job.status().partitions.at(partition).timeline;
  }
  std::uint64_t bytes_of(MemoryTag tag) const { return budget->snapshot().by_tag[static_cast<std::size_t>(tag)].bytes; }
  KindMetrics metrics() const { return world.engine->snapshot().metrics.kinds.at("normal"); }

  std::shared_ptr<memory::ScriptedFaults> faults = std::make_shared<memory::ScriptedFaults>(cuzk::test::run_seed());
  std::shared_ptr<CountingLocker> locker = std::make_shared<CountingLocker>();
  std::shared_ptr<memory::MemoryBudget> budget;
  std::shared_ptr<memory::PinnedPool> pool;
  World world;  // ends first
};

TEST(Inputs, PageLockedWhereNothingIsInTheWay) {
  InputsWorld inputs;
  const JobHandle job = inputs.world.submit("job", 3);
  EXPECT_EQ(World::proof(job), result_of("job", 3));
  for (std::size_t k = 0; k < 3; ++k) {
    const PartitionTimeline timeline = InputsWorld::timeline(job, k);
    EXPECT_EQ(timeline.path, MemoryPath::pinned);
    EXPECT_EQ(timeline.pinned_bytes, kFootprint);
    EXPECT_EQ(timeline.pageable_bytes, 0U);
    EXPECT_GE(timeline[Phase::evaluate].begin_ns, timeline[Phase::witness].end_ns);
    EXPECT_GE(timeline[Phase::device_queue].begin_ns, timeline[Phase::evaluate].end_ns);
    EXPECT_GT(timeline[Phase::evaluate].end_ns, 0U);
  }
  EXPECT_EQ(inputs.metrics().pinned_bytes, 3 * kFootprint);
  EXPECT_EQ(inputs.metrics().pageable_bytes, 0U);
  EXPECT_EQ(inputs.metrics().phases[static_cast<std::size_t>(Phase::evaluate)].count, 3U);
  const auto pool = inputs.world.engine->snapshot().pool;
  EXPECT_EQ(pool->fallback_buffers, 0U);
  EXPECT_EQ(pool->buffers, 3U);
}

TEST(Inputs, OtherCircuitsOfTheSameDeviceTakeTheWitnessAlone) {
  InputsWorld inputs;
  const JobHandle job = inputs.world.submit("job", 1, "normal", "b");
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  const PartitionTimeline timeline = InputsWorld::timeline(job);
  EXPECT_EQ(timeline.path, MemoryPath::host);
  EXPECT_EQ(timeline[Phase::evaluate].begin_ns, 0U);
  EXPECT_EQ(inputs.pool->statistics().buffers, 0U);
}

TEST(Inputs, ReservationsGoWithWhatTheyPayForAndShrinkPhaseByPhase) {
  InputsWorld inputs;
  inputs.world.script.hold(At::witness);
  const JobHandle job = inputs.world.submit("job");
  ASSERT_TRUE(inputs.world.script.wait_for(At::witness, 1));
  EXPECT_EQ(inputs.bytes_of(MemoryTag::workspace), 200 + 800 + kFootprint);
  EXPECT_EQ(inputs.budget->snapshot().expected, kFootprint);

  inputs.world.script.hold(At::start);
  inputs.world.script.release(At::witness);
  ASSERT_TRUE(inputs.world.script.wait_for(At::start, 1));
  EXPECT_EQ(inputs.bytes_of(MemoryTag::witness), 200U);
  EXPECT_EQ(inputs.bytes_of(MemoryTag::abc), kFootprint);
  EXPECT_EQ(inputs.bytes_of(MemoryTag::workspace), 800U);
  EXPECT_EQ(inputs.budget->snapshot().expected, 0U);

  inputs.world.script.hold(At::finish);
  inputs.world.script.release(At::start);
  ASSERT_TRUE(inputs.world.script.wait_for(At::finish, 1));
  EXPECT_EQ(inputs.bytes_of(MemoryTag::witness), 0U);
  EXPECT_EQ(inputs.bytes_of(MemoryTag::abc), 0U);
  EXPECT_EQ(inputs.bytes_of(MemoryTag::workspace), 300U);
  EXPECT_EQ(inputs.pool->statistics().buffers_in_use, 0U);

  inputs.world.script.release(At::finish);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  EXPECT_EQ(inputs.world.working_bytes(), 0U);
}

TEST(Inputs, RefusedPageLockingIsCountedAndGivesTheSameProof) {
  InputsWorld inputs;
  inputs.locker->refuses = true;
  const JobHandle job = inputs.world.submit("job", 4);
  EXPECT_EQ(World::proof(job), result_of("job", 4));
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(InputsWorld::timeline(job, k).path, MemoryPath::pageable);
    EXPECT_EQ(InputsWorld::timeline(job, k).pageable_bytes, kFootprint);
  }
  EXPECT_EQ(inputs.metrics().pinned_bytes, 0U);
  EXPECT_EQ(inputs.metrics().pageable_bytes, 4 * kFootprint);
  const auto pool = inputs.world.engine->snapshot().pool;
  EXPECT_EQ(pool->fallback_buffers, 4U);
  EXPECT_GT(pool->fallbacks.refused, 0U);
  EXPECT_NE(pool->last_refusal.find("no more pages"), std::string::npos);
}

TEST(Inputs, ALimitOfPageLockedMemoryIsCountedApart) {
  InputsWorld inputs({}, 1'000'000, kLarge);
  must(inputs.world.engine->preload("a"));
  ASSERT_TRUE(inputs.pool->wait_prewarmed({}, Deadline::after(kPatience))) << "what may be page-locked is";
  const JobHandle job = inputs.world.submit("job");
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  EXPECT_EQ(InputsWorld::timeline(job).path, MemoryPath::pageable);
  EXPECT_EQ(InputsWorld::timeline(job).pinned_bytes, kLarge);
  EXPECT_EQ(InputsWorld::timeline(job).pageable_bytes, kFootprint - kLarge);
  EXPECT_EQ(inputs.pool->statistics().fallbacks.refused, 0U);
  EXPECT_GT(inputs.pool->statistics().fallbacks.limited, 0U);
}

TEST(Inputs, WithoutAPoolTheJobSaysSo) {
  InputsWorld inputs([](EngineOptions& options) { options.pool = nullptr; });
  const JobHandle job = inputs.world.submit("job");
  const auto result = World::result(job);
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::transient);
  EXPECT_NE(result->error.find("no pool"), std::string::npos) << result->error;
}

TEST(Inputs, WhatDoesNotFitWithABCFailsAtOnceWithTheNumbers) {
  InputsWorld inputs([](EngineOptions& options) { options.max_payload_bytes = 100; },
                     kKeyBytes + kCircuitBytes + kPeakBytes + kFootprint - 1);
  const auto result = World::result(inputs.world.submit("job"));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_NE(result->error.find("partition 40.9 KiB"), std::string::npos) << result->error;
}

TEST(Inputs, BuffersComeBackWhereverAJobEnds) {
  for (const At at : {At::witness, At::start, At::finish}) {
    InputsWorld inputs;
    inputs.world.script.hold(at);
    const JobHandle job = inputs.world.submit("job", 2);
    ASSERT_TRUE(inputs.world.script.wait_for(at, 1));
    must(inputs.world.engine->cancel(job.job_id()));
    inputs.world.script.release(at);
    EXPECT_TRUE(World::eventually([&] {
      return inputs.world.working_bytes() == 0 && inputs.pool->statistics().buffers_in_use == 0;
    })) << static_cast<int>(at);
  }
}

TEST(Inputs, ASecondAttemptHasItsOwnBuffers) {
  InputsWorld inputs;
  inputs.world.script.fail_next(At::start, Code::device);
  const JobHandle job = inputs.world.submit("job", 2);
  EXPECT_EQ(World::proof(job), result_of("job", 2));
  EXPECT_EQ(inputs.pool->statistics().buffers, 3U);
  EXPECT_EQ(inputs.pool->statistics().buffers_in_use, 0U);
  EXPECT_EQ(inputs.world.working_bytes(), 0U);
}

TEST(Inputs, WithoutMemoryForAChunkThePartitionIsTriedAgain) {
  InputsWorld inputs;
  EXPECT_EQ(World::proof(inputs.world.submit("first")), result_of("first", 1));
  ASSERT_TRUE(inputs.pool->wait_prewarmed({}, Deadline::after(kPatience)));
  inputs.pool->shrink(~std::uint64_t{0});
  inputs.faults->fail_next(FaultSite::map, 1, 2);
  const JobHandle job = inputs.world.submit("job");
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  EXPECT_EQ(InputsWorld::timeline(job).attempts, 2U);
  EXPECT_EQ(inputs.world.working_bytes(), 0U);
}

TEST(Inputs, AnyPinMayFail) {
  InputsWorld inputs;
  inputs.faults->set_rate(FaultSite::page_lock, 0.3);
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(inputs.world.submit("job " + std::to_string(i), 5));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(World::proof(jobs[static_cast<std::size_t>(i)]), result_of("job " + std::to_string(i), 5));
  }
  const KindMetrics metrics = inputs.metrics();
  EXPECT_EQ(metrics.pinned_bytes + metrics.pageable_bytes, 100 * kFootprint);
  EXPECT_EQ(metrics.pageable_bytes, inputs.pool->statistics().pageable_bytes);
  EXPECT_EQ(inputs.pool->statistics().buffers_in_use, 0U);
  EXPECT_EQ(inputs.world.working_bytes(), 0U);
}

TEST(Inputs, fault_B30_no_page_is_locked_for_a_job_after_warming_up) {
  InputsWorld inputs([](EngineOptions& options) { options.prewarm = {"a"}; });
  ASSERT_TRUE(inputs.pool->wait_prewarmed({}, Deadline::after(kPatience)));
  const std::uint64_t most = inputs.world.options.max_witnesses + inputs.world.options.device_queue + 1;
  EXPECT_EQ(inputs.pool->statistics().prewarm_ready_bytes, most * kFootprintAtMost);
  const int locked = inputs.locker->calls;
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 10; ++i) jobs.push_back(inputs.world.submit("job " + std::to_string(i), 6));
  jobs.push_back(inputs.world.submit("urgent", 1, "critical"));
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
  EXPECT_EQ(inputs.pool->statistics().misses, 0U);
  EXPECT_EQ(inputs.locker->calls, locked);
}

TEST(Inputs, fault_B03_the_first_proof_is_page_locked_too) {
  InputsWorld inputs([](EngineOptions& options) { options.prewarm = {"a", "b", "unknown"}; });
  const JobHandle job = inputs.world.submit("job");
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  EXPECT_EQ(InputsWorld::timeline(job).path, MemoryPath::pinned);
  EXPECT_EQ(inputs.metrics().pageable_bytes, 0U);
}

TEST(Inputs, PreloadingMakesBuffersReadyOfTheExactSize) {
  InputsWorld inputs;
  must(inputs.world.engine->preload("a"));
  ASSERT_TRUE(inputs.pool->wait_prewarmed({}, Deadline::after(kPatience)));
  const std::uint64_t most = inputs.world.options.max_witnesses + inputs.world.options.device_queue + 1;
  EXPECT_EQ(inputs.pool->statistics().prewarm_ready_bytes, most * kFootprint);
}

TEST(Inputs, WhatIsLoadedForAJobIsExpectedAgain) {
  InputsWorld inputs;
  EXPECT_EQ(World::proof(inputs.world.submit("job")), result_of("job", 1));
  ASSERT_TRUE(inputs.pool->wait_prewarmed({}, Deadline::after(kPatience)));
  const std::uint64_t most = inputs.world.options.max_witnesses + inputs.world.options.device_queue + 1;
  EXPECT_EQ(inputs.pool->statistics().prewarm_ready_bytes, most * kFootprint);
}

TEST(Inputs, NothingIsMadeReadyWhereNothingIsWanted) {
  InputsWorld inputs([](EngineOptions& options) { options.prewarm = {"b"}; });
  EXPECT_EQ(inputs.pool->statistics().prewarm_target_bytes, 0U);
}

TEST(Inputs, WarmingUpLeavesRoomForKeysAndForOneBufferAtLeast) {
  InputsWorld inputs(
      [](EngineOptions& options) {
        options.prewarm = {"a"};
        options.max_payload_bytes = 600;
      },
      600 + kKeyBytes + kCircuitBytes + 2 * (kPeakBytes + kFootprint) + 1000);
  ASSERT_TRUE(inputs.pool->wait_prewarmed({}, Deadline::after(kPatience)));
  EXPECT_EQ(inputs.pool->statistics().prewarm_target_bytes, 2 * kFootprintAtMost);
  const JobHandle job = inputs.world.submit("job", 4);
  EXPECT_EQ(World::proof(job), result_of("job", 4));
  EXPECT_EQ(inputs.pool->statistics().misses, 0U);
}

TEST(Inputs, UnusedBuffersAreGivenBackOnceTheirCircuitHasGone) {
  InputsWorld inputs([](EngineOptions& options) {
    options.buffer_idle = 20ms;
    options.max_witnesses = 1;
    options.device_queue = 1;
  });
  EXPECT_EQ(World::proof(inputs.world.submit("job", 3)), result_of("job", 3));
  EXPECT_TRUE(World::eventually([&] { return inputs.pool->statistics().pinned_bytes == 3 * kFootprint; }))
      << "for two that wait and a critical one, as long as key and circuit are there";
  must(inputs.world.engine->evict("a"));
  EXPECT_TRUE(World::eventually([&] { return inputs.pool->statistics().pinned_bytes == 0; }));
  EXPECT_EQ(inputs.locker->bytes(), 0U);
}

/// Proves a job whose first start fails, on the only device.
JobHandle prove_again(World& world) {
  world.script.fail_next(At::start, Code::device);
  const JobHandle job = world.submit("job");
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  EXPECT_EQ(InputsWorld::timeline(job).attempts, 2U);
  return job;
}

TEST(Inputs, TheOnlyDeviceTriesAgainWithOrdinaryMemory) {
  InputsWorld inputs;
  const JobHandle job = prove_again(inputs.world);
  EXPECT_EQ(InputsWorld::timeline(job).path, MemoryPath::pageable);
  EXPECT_EQ(InputsWorld::timeline(job).pageable_bytes, kFootprint);
  EXPECT_EQ(inputs.world.script.other_means(), (std::vector{false, true}));
  const auto pool = inputs.pool->statistics();
  EXPECT_EQ(pool.buffers, 2U);
  EXPECT_EQ(pool.fallback_buffers, 0U) << "nothing was refused";
  EXPECT_EQ(pool.in_use_pageable_bytes, 0U);
}

// Where all that is not reserved is idle in the pool, ordinary memory takes its place.
TEST(Inputs, OrdinaryMemoryIsWithinTheBudget) {
  InputsWorld inputs({}, 80'000);
  prove_again(inputs.world);
  EXPECT_GT(inputs.pool->statistics().freed, 0U);
  EXPECT_LE(inputs.budget->snapshot().used_peak, 80'000U);
}

TEST(Inputs, AnotherDeviceTriesAsEver) {
  InputsWorld inputs([](EngineOptions& options) {
    options.devices.resize(2);
    options.devices[1].name = "fake 1";
  });
  const JobHandle job = prove_again(inputs.world);
  EXPECT_EQ(InputsWorld::timeline(job).path, MemoryPath::pinned);
  EXPECT_EQ(inputs.world.script.other_means(), (std::vector{false, false}));
}

}  // namespace
}  // namespace cuzk::engine::test
