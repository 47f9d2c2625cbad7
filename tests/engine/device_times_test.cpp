// What a device's clock tells of a proof comes to all who show it: timeline, metrics, the device's own line, records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

using backend::DevicePhase;
using testing::HasSubstr;

std::size_t place(DevicePhase phase) { return static_cast<std::size_t>(phase); }

struct Accelerated : World {
  Accelerated()
      : World([this](EngineOptions& of) {
          of.devices[0].is_cpu = false;
          of.timing_sink = [this](std::string_view record, auto&&...) {
            const MutexLock lock(mutex);
            records.emplace_back(record);
          };
        }) {}

  Mutex mutex;
  std::vector<std::string> records CUZK_GUARDED_BY(mutex);
};

TEST(TimesOnDevice, ComeToTheTimelineAndTheRecord) {
  Accelerated world;
  const JobHandle job = world.submit("job", 2);
  World::result(job);
  for (const PartitionStatus& partition : job.status().partitions) {
    ASSERT_NE(partition.timeline.on_device, nullptr);
    EXPECT_EQ(partition.timeline.on_device->ns(DevicePhase::msm_h), kFakeKernelNs - 1'000'000);
  }
  const MutexLock lock(world.mutex);
  ASSERT_EQ(world.records.size(), 2U);
  for (const std::string& record : world.records) {
    EXPECT_THAT(record, HasSubstr("ntt_msm_h_ms=3 "));
    EXPECT_THAT(record, HasSubstr(" h2d_key_bytes=70 "));
  }
}

TEST(TimesOnDevice, AreCountedByKindPhaseAndWay) {
  Accelerated world;
  World::result(world.submit("job", 3));
  const MetricsSnapshot metrics = world.engine->snapshot().metrics;
  const KindMetrics& kind = metrics.kinds.at("normal");
  EXPECT_EQ(kind.device_phases[place(DevicePhase::msm_h)].count, 3U);
  EXPECT_EQ(kind.device_phases[place(DevicePhase::msm_h)].sum_ns, 3 * (kFakeKernelNs - 1'000'000));
  EXPECT_EQ(kind.device_phases[place(DevicePhase::evaluate)].count, 0U);
  const auto crossed = [&](backend::Way way) { return kind.crossed[static_cast<std::size_t>(way)]; };
  EXPECT_EQ(crossed(backend::Way::packed_witness).bytes, 3000U);
  EXPECT_EQ(crossed(backend::Way::packed_witness).ns, 3 * 500'000U);
  EXPECT_EQ(crossed(backend::Way::key).bytes, 210U);
  EXPECT_EQ(crossed(backend::Way::key).ns, 3 * 300'000U);
}

TEST(TimesOnDevice, AreTheDevicesBusyTime) {
  Accelerated world;
  EXPECT_FALSE(world.engine->snapshot().devices[0].kernel_share);
  World::result(world.submit("one"));
  const DeviceSnapshot after_one = world.engine->snapshot().devices[0];
  EXPECT_EQ(after_one.kernel_ns, kFakeKernelNs);
  EXPECT_EQ(after_one.kernel_share, 1.0);
  World::result(world.submit("others", 5));
  const DeviceSnapshot after_all = world.engine->snapshot().devices[0];
  EXPECT_GT(after_all.kernel_ns, kFakeKernelNs);
  EXPECT_LE(after_all.kernel_ns, 6 * kFakeKernelNs);
  EXPECT_GT(after_all.kernel_share.value(), 0.0);
  EXPECT_LE(after_all.kernel_share.value(), 1.0);
}

TEST(TimesOnDevice, AProcessorHasNone) {
  World world;
  const JobHandle job = world.submit("job");
  World::result(job);
  EXPECT_EQ(job.status().partitions[0].timeline.on_device, nullptr);
  EXPECT_EQ(world.engine->snapshot().devices[0].kernel_ns, 0U);
}

}  // namespace
}  // namespace cuzk::engine::test
