#include "memory/range_allocator.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"

namespace cuzk::memory {
namespace {

using End = RangeAllocator::End;

TEST(RangeAllocator, TakesFromBothEnds) {
  RangeAllocator ranges(1000, 256);
  EXPECT_EQ(ranges.free_bytes(), 768U);
  EXPECT_EQ(ranges.take(1, End::low), 0U);
  EXPECT_EQ(ranges.take(256, End::high), 512U);
  EXPECT_EQ(ranges.largest_free_bytes(), 256U);
  EXPECT_EQ(ranges.take(257, End::low), std::nullopt);
  EXPECT_EQ(ranges.take(~std::uint64_t{0}, End::low), std::nullopt);
  EXPECT_EQ(ranges.take(200, End::high), 256U);
  EXPECT_EQ(ranges.take(1, End::low), std::nullopt);
  EXPECT_EQ(ranges.largest_free_bytes(), 0U);
}

TEST(RangeAllocator, PiecesThatTouchBecomeOne) {
  RangeAllocator ranges(4 * 256, 256);
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_EQ(ranges.take(256, End::low), i * 256);
  for (const std::uint64_t i : {0U, 2U, 1U, 3U}) ranges.give_back(i * 256, 256);
  EXPECT_EQ(ranges.largest_free_bytes(), 1024U);
}

TEST(RangeAllocator, HolesAreFilledFirst) {
  RangeAllocator ranges(8 * 256, 256);
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_EQ(ranges.take(256, End::low), i * 256);
  ranges.give_back(256, 256);
  EXPECT_EQ(ranges.take(512, End::low), 1024U);
  EXPECT_EQ(ranges.take(256, End::low), 256U);
}

// Against a map of the granules.
TEST(RangeAllocator, RangesNeverOverlap) {
  constexpr std::uint64_t kGranule = 16, kCells = 200;
  std::mt19937_64 random(test::run_seed());
  RangeAllocator ranges(kCells * kGranule, kGranule);
  std::vector<bool> used(kCells);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> held;
  const auto mark = [&](std::uint64_t offset, std::uint64_t bytes, bool value) {
    for (std::uint64_t i = offset / kGranule; i < (offset + bytes + kGranule - 1) / kGranule; ++i) {
      ASSERT_EQ(used.at(i), !value);
      used[i] = value;
    }
  };
  const auto longest_gap = [&] {
    std::uint64_t longest = 0, run = 0;
    for (const bool cell : used) {
      run = cell ? 0 : run + 1;
      longest = std::max(longest, run);
    }
    return longest * kGranule;
  };
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0 || held.empty()) {
      const std::uint64_t bytes = 1 + random() % (20 * kGranule);
      const auto offset = ranges.take(bytes, random() % 2 == 0 ? End::low : End::high);
      ASSERT_EQ(offset.has_value(), ranges.padded(bytes) <= longest_gap());
      if (!offset) continue;
      mark(*offset, bytes, true);
      held.emplace_back(*offset, bytes);
    } else {
      std::swap(held[random() % held.size()], held.back());
      const auto [offset, bytes] = held.back();
      held.pop_back();
      ranges.give_back(offset, bytes);
      mark(offset, bytes, false);
    }
    ASSERT_EQ(ranges.largest_free_bytes(), longest_gap());
  }
}

}  // namespace
}  // namespace cuzk::memory
