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

// What proofs work in comes from the high end: it is counted as free, but is not to be had now.
TEST(RangeAllocator, RoomIsWhatWillBeFreeInOnePiece) {
  constexpr std::uint64_t kSize = 256;
  RangeAllocator ranges(10 * kSize, kSize);
  EXPECT_TRUE(ranges.leaves_room(4 * kSize, 6 * kSize));
  EXPECT_FALSE(ranges.leaves_room(5 * kSize, 6 * kSize));
  EXPECT_FALSE(ranges.leaves_room(11 * kSize, 0));
  ASSERT_EQ(ranges.take(8 * kSize, End::high), 2 * kSize);
  EXPECT_TRUE(ranges.leaves_room(2 * kSize, 8 * kSize));
  EXPECT_FALSE(ranges.leaves_room(2 * kSize, 9 * kSize));
  EXPECT_FALSE(ranges.leaves_room(3 * kSize, 0));
  EXPECT_EQ(ranges.free_bytes(), 2 * kSize);
}

// What a key leaves behind when it goes is another's, though what is free beside it is all that proofs want, or less.
TEST(RangeAllocator, AHoleIsTakenWhateverRoomThereIsBesideIt) {
  constexpr std::uint64_t kSize = 256;
  for (const std::uint64_t beside : {2U, 4U}) {
    RangeAllocator ranges((4 + beside) * kSize, kSize);
    ASSERT_EQ(ranges.take(3 * kSize, End::low), 0U);
    ASSERT_EQ(ranges.take(kSize, End::low), 3 * kSize);
    EXPECT_FALSE(ranges.leaves_room(kSize, 4 * kSize));
    ranges.give_back(0, 3 * kSize);
    EXPECT_EQ(ranges.leaves_room(2 * kSize, 4 * kSize), beside == 4);  // else the hole is the longest
    ASSERT_EQ(ranges.take(beside * kSize, End::high), 4 * kSize);      // by a proof
    EXPECT_EQ(ranges.leaves_room(2 * kSize, 4 * kSize), beside == 4);
  }
  RangeAllocator ranges(8 * kSize, kSize);
  ASSERT_EQ(ranges.take(2 * kSize, End::low), 0U);
  ASSERT_EQ(ranges.take(3 * kSize, End::low), 2 * kSize);
  ranges.give_back(0, 2 * kSize);
  EXPECT_TRUE(ranges.leaves_room(2 * kSize, 4 * kSize)) << "three are left for proofs, as before";
  EXPECT_FALSE(ranges.leaves_room(3 * kSize, 4 * kSize));
}

// Against a map of the granules.
TEST(RangeAllocator, RangesNeverOverlap) {
  constexpr std::uint64_t kGranule = 16, kCells = 200;
  std::mt19937_64 random(test::run_seed());
  RangeAllocator ranges(kCells * kGranule, kGranule);
  std::vector<bool> used(kCells);
  struct Held {
    std::uint64_t offset, bytes;
    End end;
  };
  std::vector<Held> held;
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
  // All is done as it would be, then undone.
  const auto leaves_room = [&](RangeAllocator then, std::uint64_t bytes, std::uint64_t room) {
    const auto without_high = [&](RangeAllocator all) {
      for (const Held& range : held) {
        if (range.end == End::high) all.give_back(range.offset, range.bytes);
      }
      return all.largest_free_bytes();
    };
    const std::uint64_t before = without_high(then);
    if (!then.take(bytes, End::low)) return false;
    const std::uint64_t after = without_high(then);
    return after >= room || after == before;
  };
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0 || held.empty()) {
      const std::uint64_t bytes = 1 + random() % (20 * kGranule);
      const End end = random() % 2 == 0 ? End::low : End::high;
      const auto offset = ranges.take(bytes, end);
      ASSERT_EQ(offset.has_value(), ranges.padded(bytes) <= longest_gap());
      if (!offset) continue;
      mark(*offset, bytes, true);
      held.push_back({*offset, bytes, end});
    } else {
      std::swap(held[random() % held.size()], held.back());
      const auto [offset, bytes, end] = held.back();
      held.pop_back();
      ranges.give_back(offset, bytes);
      mark(offset, bytes, false);
    }
    ASSERT_EQ(ranges.largest_free_bytes(), longest_gap());
    const std::uint64_t bytes = 1 + random() % (20 * kGranule), room = random() % (kCells * kGranule);
    ASSERT_EQ(ranges.leaves_room(bytes, room), leaves_room(ranges, bytes, room));
  }
}

}  // namespace
}  // namespace cuzk::memory
