// Where a partition is proven, when the CPU stands in for an accelerator, and how that is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/estimates.h"
#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
/// A partition as large as a WindowPoSt's is: the first guess for two cores is 53.7 s.
constexpr CircuitSizes kLarge = {.key_bytes = kKeyBytes,
                                 .circuit_bytes = kCircuitBytes,
                                 .witness_bytes = 200,
                                 .start_bytes = kGiB,
                                 .finish_bytes = 300};

constexpr unsigned kAccelerator = 0;
constexpr unsigned kCpu = 1;

/// "gpu" and "cpu"; circuits of kSizes, and "large".
struct TwoDevices : World {
  explicit TwoDevices(CpuFallback policy = CpuFallback::foreseen)
      : World(
            [policy](EngineOptions& of) {
              of.devices.resize(2);
              of.devices[kAccelerator].name = "gpu";
              of.devices[kAccelerator].is_cpu = false;
              of.devices[kCpu].name = "cpu";
              of.cpu_fallback = policy;
            },
            16 * kGiB) {
    catalogue.add(std::make_shared<FakeCircuit>(script, "large", kLarge));
  }

  JobHandle submit_until(const std::string& text, std::chrono::nanoseconds time, const std::string& circuit) {
    auto job = request(text, 1, "normal", circuit);
    job.deadline = Deadline::after(time);
    return must(engine->submit(std::move(job)));
  }
  std::size_t starts_on(unsigned device) const {
    const auto starts = script.happened(At::start);
    return static_cast<std::size_t>(std::ranges::count(starts, device, &Happened::device));
  }
  std::uint64_t fallbacks() const { return engine->snapshot().metrics.kinds.at("normal").cpu_fallbacks; }
};

TEST(DeviceChoice, AnAcceleratorGoesFirst) {
  TwoDevices world;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(World::result(world.submit(std::to_string(i)))->notes.size(), 0U);
  EXPECT_EQ(world.starts_on(kCpu), 0U);
  EXPECT_EQ(world.fallbacks(), 0U);
}

TEST(DeviceChoice, TheCpuSavesSmallWorkAndSaysSo) {
  TwoDevices world;
  world.script.fail_on_device(kAccelerator, Code::device);
  const JobHandle job = world.submit("winning");
  EXPECT_EQ(World::proof(job), result_of("winning", 1));
  EXPECT_EQ(world.starts_on(kCpu), 1U);
  EXPECT_EQ(world.fallbacks(), 1U);
  const auto result = World::result(job);
  ASSERT_EQ(result->notes.size(), 1U);
  EXPECT_THAT(result->notes[0], HasSubstr("partition 0: attempt 1 on gpu failed: "));
  EXPECT_THAT(result->notes[0], HasSubstr("; proved again on cpu instead of gpu (failed at it): 0.0 s are foreseen"));
  const PartitionStatus partition = job.status().partitions[0];
  EXPECT_EQ(partition.timeline.device, "cpu");
  EXPECT_EQ(partition.timeline.attempts, 2U);
  EXPECT_EQ(partition.failed.at(0).device, "gpu");
  EXPECT_THAT(partition.error, HasSubstr("on gpu: "));
  EXPECT_THAT(partition.instead, HasSubstr("instead of gpu"));
}

TEST(DeviceChoice, LargeWorkWithoutADeadlineDoesNotMove) {
  TwoDevices world;
  world.script.fail_on_device(kAccelerator, Code::device);
  const auto result = World::result(world.submit("porep", 2, "normal", "large"));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::transient);
  EXPECT_EQ(world.starts_on(kCpu), 0U);
  EXPECT_EQ(world.fallbacks(), 0U);
  EXPECT_THAT(result->error, HasSubstr("on gpu, then on gpu"));
  EXPECT_THAT(result->error, HasSubstr("cpu does not stand in for gpu"));
  EXPECT_THAT(result->error, HasSubstr(" s are foreseen"));
}

TEST(DeviceChoice, LargeWorkMovesWhereTheCpuMeetsItsDeadline) {
  TwoDevices world;
  world.script.fail_on_device(kAccelerator, Code::device);
  const JobHandle late = world.submit_until("too late for the CPU", 50s, "large");
  EXPECT_EQ(World::result(late)->state, JobState::failed);
  EXPECT_THAT(World::result(late)->error, HasSubstr(" s are left"));
  EXPECT_EQ(world.starts_on(kCpu), 0U);
  const JobHandle early = world.submit_until("early enough", 10min, "large");
  EXPECT_EQ(World::proof(early), result_of("early enough", 1));
  EXPECT_THAT(early.status().partitions[0].instead, HasSubstr("instead of gpu (out of service): 53.7 s are foreseen"));
  // By now it is known that this CPU is much faster than was guessed.
  EXPECT_EQ(World::proof(world.submit_until("not too late", 50s, "large")), result_of("not too late", 1));
  EXPECT_EQ(world.fallbacks(), 2U);
}

TEST(DeviceChoice, WithoutAnAcceleratorAllPartitionsOfAJobCount) {
  TwoDevices world;
  world.script.fail_on_device(kAccelerator, Code::device);
  World::result(world.submit("makes it sick", 1, "normal", "large"));
  ASSERT_FALSE(world.engine->snapshot().devices[kAccelerator].in_service);
  const auto in_100_s = [&](const std::string& text, std::uint32_t partitions) {
    auto request = World::request(text, partitions, "normal", "large");
    request.deadline = Deadline::after(100s);
    return World::result(must(world.engine->submit(std::move(request))))->state;
  };
  EXPECT_EQ(in_100_s("ten", 10), JobState::failed);
  EXPECT_EQ(in_100_s("one", 1), JobState::completed);
}

TEST(DeviceChoice, WorkThatCanWaitNoLongerLeavesABusyAccelerator) {
  TwoDevices world;
  for (const std::uint32_t k : {0U, 1U}) world.script.hold(At::start, proof_of(input_of("porep", k)));
  const JobHandle porep = world.submit("porep", 2);
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  std::this_thread::sleep_for(200ms);
  world.script.release(At::start, world.script.happened(At::start)[0].who);
  ASSERT_TRUE(World::eventually([&] { return porep.status().finished_partitions == 1; }));  // after 0.2 s
  ASSERT_TRUE(world.script.wait_for(At::start, 2));
  const JobHandle winning = world.submit("winning", 1, "critical");
  EXPECT_EQ(World::proof(winning), result_of("winning", 1));
  EXPECT_THAT(winning.status().partitions[0].instead, HasSubstr("(too busy)"));
  const JobHandle large = world.submit("can wait", 1, "normal", "large");
  for (const std::uint32_t k : {0U, 1U}) world.script.release(At::start, proof_of(input_of("porep", k)));
  EXPECT_EQ(World::proof(large), result_of("can wait", 1));
  EXPECT_EQ(large.status().partitions[0].timeline.device, "gpu");
}

TEST(DeviceChoice, NeverAndAlways) {
  TwoDevices never(CpuFallback::never);
  never.script.fail_on_device(kAccelerator, Code::device);
  const auto refused = World::result(never.submit("winning"));
  EXPECT_EQ(refused->state, JobState::failed);
  EXPECT_THAT(refused->error, HasSubstr("it is not allowed to"));
  TwoDevices always(CpuFallback::always);
  always.script.fail_on_device(kAccelerator, Code::device);
  EXPECT_EQ(World::proof(always.submit("porep", 2, "normal", "large")), result_of("porep", 2));
}

TEST(DeviceChoice, ARetryNamesBothDevices) {
  World world([](EngineOptions& options) {
    options.devices.resize(2);
    for (Device& device : options.devices) device.is_cpu = false;
    options.devices[0].name = "gpu 0";
    options.devices[1].name = "gpu 1";
  });
  world.script.fail_on_device(0, Code::device);
  const JobHandle job = world.submit("job");
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  EXPECT_THAT(World::result(job)->notes.at(0), HasSubstr("attempt 1 on gpu 0 failed: "));
  EXPECT_THAT(World::result(job)->notes.at(0), HasSubstr("; proved again on gpu 1"));
  EXPECT_EQ(world.engine->snapshot().metrics.kinds.at("normal").cpu_fallbacks, 0U);
}

// Estimates.

Device device_of(unsigned ordinal, bool is_cpu) {
  Device device;
  device.ordinal = ordinal;
  device.is_cpu = is_cpu;
  return device;
}

TEST(Estimates, GuessMeasureAndScale) {
  Script script;
  const FakeCircuit small(script, "small", kSizes);
  const FakeCircuit large(script, "large", kLarge);
  const Device gpu = device_of(0, false);
  const Device cpu = device_of(1, true);
  Estimates estimates(4);
  EXPECT_EQ(estimates.partition_ns(small, gpu), std::nullopt);
  EXPECT_EQ(estimates.partition_ns(small, cpu), 100U * kSizes.start_bytes / 4);
  estimates.note(small, 1, 8'000);
  EXPECT_EQ(estimates.partition_ns(small, cpu), 8'000U);
  EXPECT_EQ(estimates.partition_ns(large, cpu), 10 * kGiB) << "10 ns for each byte";
  EXPECT_EQ(estimates.mean_ns(1), 8'000U);
  EXPECT_EQ(estimates.mean_ns(0), std::nullopt);
  for (int i = 0; i < 50; ++i) estimates.note(small, 1, 4'000);
  EXPECT_NEAR(static_cast<double>(*estimates.partition_ns(small, cpu)), 4'000, 10) << "the old is forgotten";
}

TEST(Estimates, WaitsAreNoWork) {
  PartitionTimeline timeline;
  timeline[Phase::queue] = {.begin_ns = 1, .end_ns = 1'000'000};
  timeline[Phase::witness] = {.begin_ns = 1'000'000, .end_ns = 1'000'010};
  timeline[Phase::device_queue] = {.begin_ns = 1'000'010, .end_ns = 9'000'000};
  timeline[Phase::start] = {.begin_ns = 9'000'000, .end_ns = 9'000'200};
  EXPECT_EQ(work_ns(timeline), 210U);
}

}  // namespace
}  // namespace cuzk::engine::test
