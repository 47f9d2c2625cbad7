// The lines that readers of logs know.
#include "engine/timing_record.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

PartitionTimeline timeline_of_seconds() {
  constexpr std::uint64_t kMs = 1'000'000;
  PartitionTimeline timeline;
  std::uint64_t now = 1;
  const auto add = [&](Phase phase, std::uint64_t ms) {
    timeline[phase] = {.begin_ns = now, .end_ns = now + ms * kMs + kMs / 2};
    now = timeline[phase].end_ns;
  };
  add(Phase::witness, 100);
  add(Phase::evaluate, 20);
  add(Phase::device_queue, 3000);
  add(Phase::start, 700);
  add(Phase::finish, 50);
  timeline.pinned_bytes = 1000;
  timeline.pageable_bytes = 24;
  return timeline;
}

constexpr const char* kExpected =
    "CUZK_TIMING: split_vectors_ms=0 setup_to_split_ms=0 job=j part=3 gpu=1\n"
    "CUZK_TIMING: prep_msm_ms=0 job=j part=3 gpu=1\n"
    "CUZK_TIMING: b_g2_msm_ms=0 num_circuits=1 job=j part=3 gpu=1\n"
    "CUZK_TIMING: pre_lock_cpu_ms=20 mutex_wait_ms=3000 job=j part=3 gpu=1\n"
    "CUZK_TIMING: gpu_tid=0 ntt_msm_h_ms=0 job=j part=3 gpu=1\n"
    "CUZK_TIMING: gpu_tid=0 barrier_wait_ms=0 job=j part=3 gpu=1\n"
    "CUZK_TIMING: gpu_tid=0 batch_add_ms=0 job=j part=3 gpu=1\n"
    "CUZK_TIMING: gpu_tid=0 tail_msm_ms=0 gpu_total_ms=750 job=j part=3 gpu=1\n"
    "CUZK_TIMING: mutex_held_ms=700 total_start_fn_ms=3700 job=j part=3 gpu=1\n"
    "CUZK_TIMING: async_dealloc_ms=0 job=j part=3 gpu=1\n"
    "CUZK_TIMING: h2d_abc_ms=0 h2d_abc_bytes=1024 h2d_key_bytes=0 pageable_bytes=24 compute_ms=750 idle_ms=0 job=j "
    "part=3 gpu=1\n"
    "CUZK_NTT_H: d_b_alloc=0ms ntt_kernels=0ms coset_intt_sync=0ms msm_init=0ms msm_invoke=0ms msm_dtor=0ms total=0ms "
    "job=j part=3 gpu=1\n";

TEST(TimingRecord, NamesAndOrder) {
  EXPECT_EQ(timing_record({.job = "j", .partition = 3, .device = 1, .is_cpu = false}, timeline_of_seconds()),
            kExpected);
}

// Milliseconds of a partition whose scalars cross plain and whose rows come from the host, a part of l with them.
backend::DeviceTimes times_on_device() {
  using backend::DevicePhase;
  backend::DeviceTimes times;
  const auto add = [&](DevicePhase phase, std::uint64_t begin_ms, std::uint64_t end_ms) {
    times.spans.push_back({phase, (1000 + begin_ms) * 1'000'000, (1000 + end_ms) * 1'000'000});
  };
  add(DevicePhase::h2d_witness, 0, 30);
  add(DevicePhase::split, 30, 32);
  add(DevicePhase::subset_sums, 32, 40);
  add(DevicePhase::msm_general, 40, 55);
  add(DevicePhase::msm_b_g2, 32, 60);
  add(DevicePhase::h2d_abc, 70, 100);
  add(DevicePhase::ntt, 80, 110);
  add(DevicePhase::ntt, 110, 125);
  add(DevicePhase::msm_h, 125, 325);
  add(DevicePhase::h2d_key, 125, 140);
  add(DevicePhase::subset_sums, 140, 141);
  add(DevicePhase::finish, 330, 335);
  times.bytes[static_cast<std::size_t>(backend::Way::key)] = 77;
  return times;
}

TEST(TimingRecord, ADeviceTellsOfItsPhases) {
  auto timeline = timeline_of_seconds();
  timeline.on_device = std::make_shared<const backend::DeviceTimes>(times_on_device());
  const std::string record = timing_record({.job = "j", .partition = 3, .device = 1, .is_cpu = false}, timeline);
  for (const char* text : {
           "CUZK_TIMING: prep_msm_ms=2 job=",
           "b_g2_msm_ms=28 num_circuits=1",
           "ntt_msm_h_ms=255 ",  // 70 to 325
           "batch_add_ms=9 ",
           "tail_msm_ms=15 gpu_total_ms=325 ",
           "h2d_abc_ms=60 h2d_abc_bytes=1024 h2d_key_bytes=77 pageable_bytes=24 "
           "compute_ms=275 idle_ms=50 ",  // nothing in 0-30 and 60-80
           "ntt_kernels=40ms coset_intt_sync=15ms msm_init=0ms msm_invoke=200ms msm_dtor=0ms total=255ms ",
       }) {
    EXPECT_THAT(record, HasSubstr(text));
  }
}

TEST(TimingRecord, ACpuIsNoGpu) {
  const std::string record = timing_record({.job = "j"}, timeline_of_seconds());
  EXPECT_THAT(record, HasSubstr("gpu_total_ms=0 job=j part=0 gpu=-1\n"));
  EXPECT_THAT(record, HasSubstr("compute_ms=750"));
}

TEST(TimingRecord, IdsOfAnyTextAreOneWord) {
  const std::string record = timing_record({.job = "wdpost-1000-0-[1 2]\n%=\xc3\xa9"}, {});
  EXPECT_THAT(record, HasSubstr(" job=wdpost-1000-0-[1%202]%0A%25%3D%C3%A9 part=0"));
  EXPECT_EQ(std::ranges::count(record, '\n'), 12);
}

TEST(TimingRecord, EveryProvenPartitionHasOne) {
  Mutex mutex;
  std::vector<std::string> records;
  World world([&](EngineOptions& options) {
    options.timing_sink = [&](std::string_view record, const LogSubject& about) {
      const MutexLock lock(mutex);
      EXPECT_EQ(about.job, "job");
      EXPECT_THAT(record, HasSubstr("part=" + std::to_string(about.partition.value()) + " gpu="));
      records.emplace_back(record);
    };
  });
  world.script.fail_next(At::start, Code::device, 1);
  World::result(world.submit("job", 3));
  const MutexLock lock(mutex);
  ASSERT_EQ(records.size(), 3U);
  for (const std::string& record : records) {
    std::istringstream lines(record);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_THAT(line, StartsWith("CUZK_"));
      EXPECT_THAT(line, EndsWith(" gpu=-1"));
      EXPECT_THAT(line, HasSubstr(" job=job part="));
    }
  }
}

}  // namespace
}  // namespace cuzk::engine::test
