// Keys and circuits that are not there yet: who waits for them, and who does not.
#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

std::uint64_t key_bytes_of(const World& world) {
  return world.budget->snapshot().by_tag[static_cast<std::size_t>(memory::MemoryTag::key)].bytes;
}

std::size_t loads_of(const World& world, const std::string& circuit) {
  std::size_t count = 0;
  for (const Happened& step : world.script.happened(At::load_key)) count += step.who == circuit;
  return count;
}

/// A job of circuit "a", for whose key it waits until release().
struct HeldLoad {
  explicit HeldLoad(std::uint32_t partitions = 2) {
    world.script.hold(At::load_key, "a");
    job = world.submit("first", partitions, "normal", "a");
    EXPECT_TRUE(world.script.wait_for(At::load_key, 1));
  }
  /// Another one that waits for it too.
  JobHandle joined() {
    JobHandle second = world.submit("second", 2, "normal", "a");
    EXPECT_TRUE(World::eventually([&] { return world.queue_length("load") == 3; }));
    return second;
  }
  void cancel(const JobHandle& which) { EXPECT_TRUE(must(world.engine->cancel(which.job_id()))); }
  void release() { world.script.release(At::load_key, "a"); }

  World world;
  std::optional<JobHandle> job;
};

TEST(Loading, fault_B10_a_cold_key_delays_no_other_job) {
  World world;
  static_cast<void>(must(world.engine->preload("b")));
  world.script.hold(At::load_key, "a");
  const JobHandle cold = world.submit("porep", 8, "normal", "a");
  ASSERT_TRUE(world.script.wait_for(At::load_key, 2));
  for (const char* kind : {"low", "normal", "high", "critical"}) {
    EXPECT_EQ(World::proof(world.submit(kind, 4, kind, "b")), result_of(kind, 4));
  }
  EXPECT_EQ(cold.status().partitions[0].timeline.attempts, 0U);
  world.script.release(At::load_key, "a");
  EXPECT_EQ(World::proof(cold), result_of("porep", 8));
  EXPECT_EQ(loads_of(world, "a"), 1U);
}

TEST(Loading, fault_B10_nor_does_it_delay_another_cold_key) {
  HeldLoad cold(8);
  EXPECT_EQ(World::proof(cold.world.submit("window", 1, "normal", "b")), result_of("window", 1));
  EXPECT_EQ(World::proof(cold.world.submit("winning", 1, "critical", "c")), result_of("winning", 1));
  cold.release();
  EXPECT_EQ(World::proof(*cold.job), result_of("first", 8));
}

TEST(Loading, fault_B10_a_key_without_room_waits_for_its_turn_and_stops_nobody) {
  World world(
      [](EngineOptions& options) {
        options.max_witnesses = 1;
        options.min_idle = 500ms;  // the key of a stays between two partitions
      },
      9'000);  // it and that of b do not fit
  world.script.hold(At::start);
  const JobHandle older = world.submit("older", 8, "normal", "a");
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  world.script.hold(At::load_key, "b");
  const JobHandle younger = world.submit("younger", 2, "normal", "b");
  ASSERT_TRUE(World::eventually([&] { return younger.status().partitions[0].timeline[Phase::key].begin_ns != 0; }));
  world.script.release(At::start);
  EXPECT_EQ(World::proof(older), result_of("older", 8));
  world.script.release(At::load_key, "b");
  EXPECT_EQ(World::proof(younger), result_of("younger", 2));
}

/// One of circuit "a" is on the device and keeps its memory; the next one waits, with the turn of the only lane.
struct FullHouse {
  static constexpr CircuitSizes kSmall = {
      .key_bytes = 40, .circuit_bytes = 4, .witness_bytes = 20, .start_bytes = 80, .finish_bytes = 30};
  static constexpr std::uint64_t kUsable = kKeyBytes + kCircuitBytes + kSizes.finish_bytes + kPeakBytes - 100;
  static constexpr std::uint64_t kPayloadShare = 8;  // of the total, kept for payloads

  FullHouse() {
    world.catalogue.add(std::make_shared<FakeCircuit>(world.script, "small", kSmall));
    world.script.hold(At::finish, proof_of(input_of("first", 0)));
    first = world.submit("first", 1, "normal", "a");
    EXPECT_TRUE(world.script.wait_for(At::finish, 1));
    second = world.submit("second", 1, "normal", "a");
    EXPECT_TRUE(World::eventually([&] { return world.budget->snapshot().waiting.size() == 1; }));
  }
  ~FullHouse() { world.script.release(At::finish, proof_of(input_of("first", 0))); }
  void end() {
    EXPECT_TRUE(second->status().is_open());
    world.script.release(At::finish, proof_of(input_of("first", 0)));
    EXPECT_EQ(World::proof(*first), result_of("first", 1));
    EXPECT_EQ(World::proof(*second), result_of("second", 1));
  }

  World world{[](EngineOptions& options) {
                options.max_witnesses = 1;
                options.finishers = 2;
                options.workers_per_device = 2;
              },
              kUsable* kPayloadShare / (kPayloadShare - 1) + 1};
  std::optional<JobHandle> first, second;
};

TEST(Loading, WhoWaitsForMemoryGivesWayToTheMoreUrgent) {
  FullHouse house;
  EXPECT_EQ(World::proof(house.world.submit("urgent", 3, "high", "small")), result_of("urgent", 3));
  house.end();
}

TEST(Loading, WhoWaitsForMemoryGivesWayToWhatBecomesMoreUrgent) {
  FullHouse house;
  const JobHandle job = house.world.submit("joined", 3, "low", "small");
  EXPECT_TRUE(World::eventually([&] { return house.world.queue_length("partitions") == 3; }));
  auto again = World::request("joined", 3, "low", "small");
  again.priority = Priority::high;
  EXPECT_EQ(World::proof(must(house.world.engine->submit(std::move(again)))), result_of("joined", 3));
  EXPECT_EQ(World::proof(job), result_of("joined", 3));
  house.end();
}

TEST(Loading, ACancelledJobEndsItsLoad) {
  HeldLoad held;
  EXPECT_EQ(key_bytes_of(held.world), kKeyBytes);
  held.cancel(*held.job);
  EXPECT_TRUE(World::eventually([&] { return key_bytes_of(held.world) == 0 && held.world.queue_length("load") == 0; }));
}

TEST(Loading, ALoadGoesOnForOthersWhoWaitForIt) {
  HeldLoad held;
  const JobHandle second = held.joined();
  held.cancel(*held.job);
  held.release();
  EXPECT_EQ(World::proof(second), result_of("second", 2));
  EXPECT_EQ(loads_of(held.world, "a"), 1U);
}

TEST(Loading, ALoadGoesOnForWhoWaitsElsewhere) {
  HeldLoad held;
  std::jthread preloading([&] { EXPECT_TRUE(held.world.engine->preload("a")); });
  std::this_thread::sleep_for(20ms);  // it waits by now; if not, less is tried
  held.cancel(*held.job);
  held.release();
  preloading.join();
  EXPECT_EQ(loads_of(held.world, "a"), 1U);
}

TEST(Loading, ALoadEndsWithTheLastJobThatWantsIt) {
  HeldLoad held;
  const JobHandle second = held.joined();
  held.cancel(*held.job);
  held.cancel(second);
  EXPECT_TRUE(World::eventually([&] { return key_bytes_of(held.world) == 0; }));
  EXPECT_EQ(loads_of(held.world, "a"), 1U);
}

TEST(Loading, StoppingEndsALoadThatManyWaitFor) {
  HeldLoad held;
  const JobHandle second = held.joined();
  held.world.engine->stop();
  EXPECT_EQ(World::result(*held.job)->code, Code::unavailable);
  EXPECT_EQ(World::result(second)->code, Code::unavailable);
  EXPECT_EQ(key_bytes_of(held.world), 0U);
}

TEST(Loading, AFailedLoadIsTriedOnceMore) {
  World world;
  world.script.fail_next(At::load_key, Code::device, 1);
  EXPECT_EQ(World::proof(world.submit("once", 3)), result_of("once", 3));
  EXPECT_TRUE(must(world.engine->evict("a")).was_loaded);
  world.script.fail_next(At::load_key, Code::device, 100);
  const auto result = World::result(world.submit("always", 3));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::transient);
}

TEST(Loading, TheTimelineTellsTheLoadApart) {
  HeldLoad held;
  std::this_thread::sleep_for(20ms);
  held.release();
  World::result(*held.job);
  std::uint64_t key_ns = 0;
  for (const PartitionStatus& partition : held.job->status().partitions) {
    const PartitionTimeline& line = partition.timeline;
    const PhaseSpan& key = line[Phase::key];
    key_ns += key.end_ns - key.begin_ns;
    EXPECT_LE(line[Phase::queue].end_ns, key.begin_ns);
    EXPECT_LE(key.end_ns, line[Phase::memory].begin_ns);
    EXPECT_LE(line[Phase::memory].end_ns, line[Phase::witness].begin_ns);
  }
  EXPECT_GE(key_ns, 20'000'000U);
}

TEST(Loading, APreloadThatOneDeviceRefusesGoesOnWithTheOthers) {
  World world([](EngineOptions& options) { options.devices.resize(2); });
  world.script.fail_next(At::load_key, Code::device);
  EXPECT_EQ(world.engine->preload("a").error().code(), Code::device);
  EXPECT_EQ(loads_of(world, "a"), 2u);
  EXPECT_EQ(world.engine->snapshot().keys.size(), 1u);
  EXPECT_FALSE(must(world.engine->preload("a")).already_loaded);
  EXPECT_EQ(world.engine->snapshot().keys.size(), 2u);
}

}  // namespace
}  // namespace cuzk::engine::test
