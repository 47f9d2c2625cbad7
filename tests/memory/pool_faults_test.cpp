// Faults of a former prover's page-locked buffers: that they grow, keep what was in them, and are made while work
// waits.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "tests/memory/pool_fixture.h"
#include "tests/support/eventually.h"

namespace cuzk::memory {
namespace {

using cuzk::test::must;
using test::kLarge;
using test::kSmall;
using test::PoolFixture;

using PoolFaults = testing::Test;
using PoolFaultsDeathTest = testing::Test;

TEST(PoolFaults, fault_A16_a_full_buffer_takes_no_byte_more) {
  const PoolFixture f(16 * kLarge);
  for (const std::uint64_t size : {kSmall - 1, kSmall, kLarge + 1, 2 * kLarge + kSmall}) {
    const HostBuffer buffer = f.buffer(size);
    const std::vector<std::byte> bytes(size, std::byte{7});
    buffer.write(0, Bytes(bytes).first(size - 1));
    buffer.write(0, bytes);
    buffer.write(size, {});
    std::vector<std::byte> back(size);
    buffer.read(0, back);
    EXPECT_EQ(back, bytes);
  }
}

TEST(PoolFaultsDeathTest, fault_A16_what_goes_beyond_ends_the_program_and_is_not_written) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const PoolFixture f(16 * kLarge);
  const HostBuffer buffer = f.buffer(kLarge + 10);
  const std::vector<std::byte> bytes(kLarge + 11);
  EXPECT_DEATH(buffer.write(0, bytes), "offset <= size_");
  EXPECT_DEATH(buffer.write(kLarge + 10, Bytes(bytes).first(1)), "offset <= size_");
  EXPECT_DEATH(buffer.write(~std::uint64_t{0}, Bytes(bytes).first(2)), "offset <= size_");
}

TEST(PoolFaults, fault_A35_nothing_of_one_owner_is_seen_by_the_next) {
  PoolOptions options;
  options.wipe_on_return = true;
  const PoolFixture f(16 * kLarge, options);
  HostBuffer first = f.buffer(kLarge + kSmall);
  for (std::size_t i = 0; i < first.chunk_count(); ++i) std::ranges::fill(first.chunk(i), std::byte{42});
  first.release();
  const HostBuffer second = f.buffer(kLarge + kSmall);
  EXPECT_EQ(f.pool->statistics().hits, 2U) << "the same memory";
  for (std::size_t i = 0; i < second.chunk_count(); ++i) {
    EXPECT_TRUE(std::ranges::all_of(second.chunk(i), [](std::byte b) { return b == std::byte{0}; }));
  }
}

// Sizes known beforehand: not even the first job waits for page-locking, nor does any after it.
TEST(PoolFaults, fault_B03_B30_no_page_is_locked_once_the_pool_is_warm) {
  const PoolFixture f(64 * kLarge);
  const std::uint64_t large = 6 * kLarge + 3 * kSmall, small = kLarge + 100;
  f.pool->prewarm(std::array{large, large, small});
  must(f.pool->wait_prewarmed({}, Deadline::after(cuzk::test::kPatience)));
  const int calls = f.locker->calls;
  for (int round = 0; round < 20; ++round) {
    const HostBuffer a = f.buffer(large);
    const HostBuffer b = f.buffer(small);
    const HostBuffer c = f.buffer(large);
    EXPECT_TRUE(a.is_pinned() && b.is_pinned() && c.is_pinned());
  }
  EXPECT_EQ(f.locker->calls, calls);
  const PoolStatistics now = f.pool->statistics();
  EXPECT_EQ(now.misses, 0U);
  EXPECT_EQ(now.pageable_bytes, 0U);
}

TEST(PoolFaults, fault_B19_B21_alternating_sizes_take_and_give_back_nothing) {
  const PoolFixture f(64 * kLarge);
  f.buffer(8 * kLarge + 3 * kSmall).release();
  const int calls = f.locker->calls;
  for (int round = 0; round < 50; ++round) f.buffer(round % 2 == 0 ? 8 * kLarge : 3 * kLarge + 3 * kSmall).release();
  EXPECT_EQ(f.locker->calls, calls);
  EXPECT_EQ(f.pool->statistics().freed, 0U);
}

}  // namespace
}  // namespace cuzk::memory
