#include "support/clock.h"

#include <vector>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

TEST(Clock, DoesNotRunBackwards) {
  std::uint64_t last = monotonic_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = monotonic_ns();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(last, 0U);
}

TEST(Clock, ProcessorTimeGrowsWithWork) {
  const std::uint64_t before = process_cpu_ns();
  std::uint64_t after = before;
  while (after == before) after = process_cpu_ns();  // the reading itself is work
  EXPECT_GT(after, before);
}

TEST(Clock, MemoryIsCountedInBytes) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::vector<char> block(kBytes, 1);
  EXPECT_GE(resident_bytes(), kBytes);
  EXPECT_GE(peak_resident_bytes(), kBytes);
  EXPECT_EQ(block.back(), 1);
}

TEST(Stopwatch, MeasuresFromItsStart) {
  Stopwatch watch;
  const std::uint64_t begin = monotonic_ns();
  while (monotonic_ns() - begin < 1'000'000) {
  }
  const std::uint64_t elapsed = watch.elapsed_ns();
  EXPECT_GE(elapsed, 1'000'000U);
  EXPECT_GE(watch.seconds(), 1e-3);
  watch.restart();
  EXPECT_GE(monotonic_ns(), begin + 1'000'000U);
}

}  // namespace
}  // namespace cuzk
