// The union of intervals against a count of marked moments, and where a device's clock stands in the host's.
#include "backend/busy_time.h"

#include <random>

#include <gtest/gtest.h>

#include "backend/cuda/clock_anchor.h"
#include "tests/gen/seed.h"

namespace cuzk::backend {
namespace {

TEST(BusyTime, NothingRan) {
  const BusyTime busy;
  EXPECT_EQ(busy.total_ns(), 0u);
  EXPECT_FALSE(busy.share());
}

TEST(BusyTime, WhatOverlapsCountsOnce) {
  BusyTime busy;
  busy.add(100, 200);
  busy.add(300, 400);
  EXPECT_EQ(busy.total_ns(), 200u);
  EXPECT_DOUBLE_EQ(*busy.share(), 200.0 / 300);
  busy.add(150, 350);
  EXPECT_EQ(busy.total_ns(), 300u);
  EXPECT_DOUBLE_EQ(*busy.share(), 1);
  busy.add(120, 130);
  busy.add(500, 500);
  busy.add(700, 600);
  EXPECT_EQ(busy.total_ns(), 300u);
  busy.add(400, 410);
  EXPECT_EQ(busy.total_ns(), 310u);
}

TEST(BusyTime, TheShareOfAWindowBeginsWithWhatRunsInIt) {
  BusyTime busy;
  busy.add(0, 100);
  busy.add(900, 1000);
  busy.add(1100, 1200);
  EXPECT_DOUBLE_EQ(*busy.share(50), 250.0 / 1150);
  EXPECT_DOUBLE_EQ(*busy.share(100), 200.0 / 300);
  EXPECT_DOUBLE_EQ(*busy.share(1150), 1);
  EXPECT_FALSE(busy.share(1200));
}

TEST(BusyTime, InAnyOrderItIsTheUnion) {
  std::mt19937_64 random(test::run_seed());
  for (unsigned round = 0; round < 50; ++round) {
    constexpr std::size_t kMoments = 500;
    std::vector<bool> runs(kMoments);
    BusyTime busy;
    for (unsigned i = 0; i < 40; ++i) {
      const std::size_t begin = random() % kMoments;
      const std::size_t end = std::min(kMoments, begin + random() % 30);
      busy.add(begin, end);
      for (std::size_t t = begin; t < end; ++t) runs[t] = true;
    }
    const auto marked = static_cast<std::uint64_t>(std::ranges::count(runs, true));
    ASSERT_EQ(busy.total_ns(), marked);
    const auto first = std::ranges::find(runs, true);
    const auto last = std::find(runs.rbegin(), runs.rend(), true).base();
    ASSERT_DOUBLE_EQ(*busy.share(), static_cast<double>(marked) / static_cast<double>(last - first));
  }
}

TEST(BusyTime, WhatIsForgottenIsNotCountedTwice) {
  BusyTime busy;
  constexpr std::uint64_t kMost = BusyTime::kIntervals;
  for (std::uint64_t i = 0; i < 3 * kMost; ++i) busy.add(10 * i, 10 * i + 5);
  EXPECT_EQ(busy.total_ns(), 15 * kMost);
  busy.add(0, 10);  // forgotten
  EXPECT_EQ(busy.total_ns(), 15 * kMost);
  const std::uint64_t kept = 10 * (2 * kMost);  // the beginning of what is known
  EXPECT_DOUBLE_EQ(*busy.share(), static_cast<double>(5 * kMost) / static_cast<double>(10 * (kMost - 1) + 5));
  busy.add(0, kept);  // but for the last gap before it
  EXPECT_EQ(busy.total_ns(), 15 * kMost + 5);
}

TEST(BusyTime, CopiesAndTheHostAreNoKernels) {
  DeviceTimes times;
  times.spans = {{DevicePhase::h2d_witness, 0, 10}, {DevicePhase::h2d_abc, 10, 20},  {DevicePhase::h2d_key, 20, 30},
                 {DevicePhase::split, 30, 40},      {DevicePhase::msm_b_g2, 35, 60}, {DevicePhase::finish, 60, 90}};
  BusyTime busy;
  busy.add(times);
  EXPECT_EQ(busy.total_ns(), 30u);
}

TEST(DeviceTimes, SumsAndExtents) {
  DeviceTimes times;
  times.spans = {{DevicePhase::ntt, 100, 130}, {DevicePhase::msm_h, 120, 190}, {DevicePhase::ntt, 150, 160}};
  EXPECT_EQ(times.ns(DevicePhase::ntt), 40u);
  EXPECT_EQ(times.ns(DevicePhase::evaluate), 0u);
  const auto all = times.extent(is_computed_on_device);
  EXPECT_EQ(all->ns(), 90u);
  EXPECT_FALSE(times.extent([](DevicePhase phase) { return phase == DevicePhase::finish; }));
}

TEST(DeviceTimes, EveryWayHasAPhaseOfItsKind) {
  for (std::size_t i = 0; i < kWays; ++i) {
    const std::string_view phase = to_string(phase_of(static_cast<Way>(i)));
    const std::string_view way = to_string(static_cast<Way>(i));
    EXPECT_TRUE(phase.starts_with("h2d_") && way.ends_with(phase.substr(4))) << way << ' ' << phase;
  }
}

TEST(ClockAnchor, TellsTheTimeOfOthers) {
  const cuda::ClockAnchor anchor(1'000'000'000);
  EXPECT_EQ(anchor.host_ns(1.5), 1'001'500'000u);
  EXPECT_EQ(anchor.host_ns(-2), 998'000'000u);
  EXPECT_EQ(anchor.host_ns(-2000), 0u);
}

TEST(ClockAnchor, DriftIsTakenFromTheHost) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  for (const double rate : {1 - 1e-4, 1.0, 1 + 1e-4}) {
    cuda::ClockAnchor anchor(kSecond);
    for (std::uint64_t i = 1; i <= 1000; ++i) anchor.move(10'000 * rate, kSecond + i * 10 * kSecond);
    EXPECT_EQ(anchor.host_ns(0), kSecond + 10'000 * kSecond);
  }
}

TEST(ClockAnchor, ADeviceThatIsLateIsNoDrift) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  cuda::ClockAnchor anchor(kSecond);
  anchor.move(10'500, 11 * kSecond);  // other work came before it for half a second
  EXPECT_EQ(anchor.host_ns(0), kSecond * 23 / 2);
}

}  // namespace
}  // namespace cuzk::backend
