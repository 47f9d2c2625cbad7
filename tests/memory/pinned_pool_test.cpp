#include "memory/pinned_pool.h"

#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/log.h"
#include "tests/memory/pool_fixture.h"
#include "tests/support/eventually.h"

namespace cuzk::memory {
namespace {

using cuzk::test::must;
using test::kLarge;
using test::kSmall;
using test::PoolFixture;
using testing::HasSubstr;

constexpr auto kNever = Deadline::Clock::time_point::max();

void wait_prewarmed(PinnedPool& pool) {
  must(pool.wait_prewarmed(StopToken(), Deadline::after(cuzk::test::kPatience)));
}

TEST(PinnedPool, RefusesChunksThatDoNotNest) {
  const auto budget = must(MemoryBudget::create({.total_bytes = kMiB}));
  for (const auto& [large, small] : {std::pair{3 * kSmall, kSmall}, {kLarge, kSmall / 2}, {kSmall, kLarge}}) {
    PoolOptions options;
    options.large_chunk_bytes = large;
    options.small_chunk_bytes = small;
    EXPECT_EQ(PinnedPool::create(budget, options).error().code(), Code::invalid_argument);
  }
}

TEST(PinnedPool, ABudgetHasOnePool) {
  const auto budget = must(MemoryBudget::create({.total_bytes = kMiB}));
  auto pool = must(PinnedPool::create(budget));
  EXPECT_EQ(PinnedPool::create(budget).error().code(), Code::conflict);
  pool.reset();
  EXPECT_TRUE(PinnedPool::create(budget));
}

TEST(PinnedPool, FootprintWastesLessThanASmallChunk) {
  const PoolFixture f(kMiB);
  EXPECT_EQ(f.pool->footprint_bytes(0), 0U);
  EXPECT_EQ(f.pool->footprint_bytes(1), kSmall);
  EXPECT_EQ(f.pool->footprint_bytes(kLarge), kLarge);
  EXPECT_EQ(f.pool->footprint_bytes(kLarge + kSmall + 1), kLarge + 2 * kSmall);
  // a, b, c of a 32 GiB PoRep partition, with the chunks of machines.
  const auto budget = must(MemoryBudget::create({.total_bytes = kMiB}));
  const auto pool = must(PinnedPool::create(budget));
  constexpr std::uint64_t kVector = 130'278'869ULL * 32;
  EXPECT_LT(pool->footprint_bytes(kVector) - kVector, 2 * kMiB);
}

TEST(PinnedPool, ABufferHoldsItsBytesAndItsReservation) {
  const PoolFixture f(kMiB);
  Reservation job = f.reserve(kLarge + 10, 100);
  {
    const HostBuffer buffer = must(f.pool->acquire(kLarge + 10, job));
    EXPECT_EQ(job.bytes(), 100U);
    EXPECT_EQ(buffer.size(), kLarge + 10);
    EXPECT_EQ(buffer.footprint(), kLarge + kSmall);
    EXPECT_EQ(buffer.reservation().tag(), MemoryTag::abc);
    EXPECT_TRUE(buffer.is_pinned());
    ASSERT_EQ(buffer.chunk_count(), 2U);
    EXPECT_EQ(buffer.chunk(0).size(), kLarge);
    EXPECT_EQ(buffer.chunk(1).size(), 10U);
    EXPECT_EQ(f.locker->bytes(), kLarge + kSmall);
    EXPECT_EQ(f.budget->snapshot().used, 100 + kLarge + kSmall);
  }
  const BudgetSnapshot now = f.budget->snapshot();
  EXPECT_EQ(now.reserved, 100U);
  EXPECT_EQ(now.idle, kLarge + kSmall);
  EXPECT_EQ(now.used, 100 + kLarge + kSmall) << "idle bytes are in the books";
}

TEST(PinnedPool, AnEmptyBufferIsOne) {
  const PoolFixture f(kMiB);
  Reservation none = must(f.budget->reserve({}));
  HostBuffer buffer = must(f.pool->acquire(0, none));
  EXPECT_EQ(buffer.chunk_count(), 0U);
  EXPECT_TRUE(buffer.is_pinned());
}

TEST(PinnedPool, AReservationThatIsTooSmallIsRefused) {
  const PoolFixture f(kMiB);
  Reservation paid = must(f.budget->reserve({.bytes = kSmall}));
  EXPECT_EQ(f.pool->acquire(kSmall + 1, paid).error().code(), Code::invalid_argument);
  EXPECT_EQ(paid.bytes(), kSmall);
  const auto other = must(MemoryBudget::create({.total_bytes = kMiB}));
  Reservation foreign = must(other->reserve({.bytes = kSmall}));
  EXPECT_EQ(f.pool->acquire(1, foreign).error().code(), Code::invalid_argument);
  Reservation nothing;
  EXPECT_EQ(f.pool->acquire(1, nothing).error().code(), Code::invalid_argument);
}

TEST(PinnedPool, BuffersComeBackOnEveryPath) {
  const PoolFixture f(kMiB);
  {
    HostBuffer a = f.buffer(kLarge);
    HostBuffer b = std::move(a);
    a = f.buffer(kSmall);  // NOLINT(bugprone-use-after-move): an empty handle may be filled again
    b = std::move(a);      // the large one returns here
    EXPECT_EQ(f.pool->statistics().buffers_in_use, 1U);
    b.release();
    b.release();
    EXPECT_EQ(f.pool->statistics().buffers_in_use, 0U);
    HostBuffer& self = b;
    b = std::move(self);
  }
  const PoolStatistics now = f.pool->statistics();
  EXPECT_EQ(now.idle_bytes, kLarge + kSmall);
  EXPECT_EQ(now.in_use_pinned_bytes, 0U);
  EXPECT_EQ(now.wasted_bytes, 0U);
}

TEST(PinnedPool, OutlivesItsOwnerWithItsBuffers) {
  PoolFixture f(kMiB);
  HostBuffer buffer = f.buffer(kLarge);
  const std::weak_ptr<PinnedPool> watch = f.pool;
  f.pool.reset();
  EXPECT_FALSE(watch.expired());
  std::memset(buffer.chunk(0).data(), 1, buffer.chunk(0).size());
  buffer.release();
  EXPECT_TRUE(watch.expired());
}

TEST(PinnedPool, HitsAndMissesAreCounted) {
  const PoolFixture f(kMiB);
  f.buffer(2 * kLarge + kSmall).release();
  f.buffer(2 * kLarge + kSmall).release();
  f.buffer(3 * kLarge).release();
  const PoolStatistics now = f.pool->statistics();
  EXPECT_EQ(now.buffers, 3U);
  EXPECT_EQ(now.misses, 4U);
  EXPECT_EQ(now.hits, 5U);
  EXPECT_EQ(now.fallback_buffers, 0U);
  EXPECT_EQ(now.pinned_bytes, 3 * kLarge + kSmall);
}

// Steady load at the whole budget: the pool is not emptied and filled again.
TEST(PinnedPool, fault_A31_SteadyLoadFreesNothing) {
  const std::uint64_t abc = 3 * kLarge + kSmall;
  const PoolFixture f(2 * (abc + 1000));
  for (int round = 0; round < 50; ++round) {
    Reservation first = f.reserve(abc, 1000);
    HostBuffer a = must(f.pool->acquire(abc, first));
    Reservation second = f.reserve(abc, 1000);
    HostBuffer b = must(f.pool->acquire(abc, second));
    a.release();
    first.release();
    EXPECT_FALSE(f.budget->try_reserve({.bytes = 2 * kLarge})) << "others would need an eviction";
    Reservation third = f.reserve(abc, 1000);
    HostBuffer c = must(f.pool->acquire(abc, third));
  }
  EXPECT_EQ(f.pool->statistics().freed, 0U);
  EXPECT_EQ(f.pool->statistics().misses, 8U);
}

// What the pool gives back is free for others, and it gives no more than helps, the largest first.
TEST(PinnedPool, fault_A31_EvictsLargestFirstAndOnlyWhatHelps) {
  const PoolFixture f(10 * kLarge);
  f.buffer(6 * kLarge + 3 * kSmall).release();
  const Reservation other = must(f.budget->reserve({.bytes = 4 * kLarge}));
  PoolStatistics now = f.pool->statistics();
  EXPECT_EQ(now.freed, 3U) << "free was one large chunk less three small ones: three small chunks were missing";
  EXPECT_EQ(now.idle_bytes, 6 * kLarge);
  const Reservation more = must(f.budget->reserve({.bytes = kLarge + 1}));
  now = f.pool->statistics();
  EXPECT_EQ(now.idle_bytes, 4 * kLarge);
  EXPECT_EQ(now.evicted_bytes, 2 * kLarge + 3 * kSmall);
  EXPECT_EQ(f.locker->bytes(), 4 * kLarge);
}

TEST(PinnedPool, ShrinksLargeChunksWhereBothSizesWould) {
  const PoolFixture f(20 * kLarge);
  {
    const HostBuffer large = f.buffer(2 * kLarge);
    const HostBuffer a = f.buffer(3 * kSmall);
    const HostBuffer b = f.buffer(3 * kSmall);
  }
  EXPECT_EQ(f.pool->shrink(kLarge), kLarge);
  EXPECT_EQ(f.pool->statistics().freed, 1U);
  EXPECT_EQ(f.pool->shrink(kSmall), kSmall) << "the remainder by small ones";
  EXPECT_EQ(f.pool->statistics().freed, 2U);
  EXPECT_EQ(f.pool->shrink(kMiB), kLarge + 5 * kSmall);
  EXPECT_EQ(f.pool->shrink(1), 0U);
}

/// Gives back all that it holds.
class IdleKey final : public Evictor {
 public:
  explicit IdleKey(Reservation held) : held_(std::move(held)) {}
  std::string_view name() const noexcept override { return "key"; }
  Evictable evictable(const EvictionNeed&) override { return {.bytes = held_.bytes(), .more_at = {}}; }
  std::uint64_t evict(const EvictionNeed&) override {
    const std::uint64_t bytes = held_.bytes();
    held_.release();
    return bytes;
  }

 private:
  Reservation held_;
};

TEST(PinnedPool, GivesUpOnlyItsShareWhenOthersMustHelp) {
  const PoolFixture f(10 * kLarge);
  IdleKey key(must(f.budget->reserve({.bytes = 4 * kLarge})));
  const auto registration = f.budget->register_evictor(EvictionOrder::keys, key);
  f.buffer(6 * kLarge).release();
  Reservation admitted = f.reserve(4 * kLarge);
  const Reservation other = must(f.budget->reserve({.bytes = 6 * kLarge}));
  EXPECT_EQ(f.pool->statistics().freed, 2U);
  const HostBuffer buffer = must(f.pool->acquire(4 * kLarge, admitted));
  EXPECT_EQ(f.pool->statistics().misses, 6U) << "those of the first buffer";
}

TEST(PinnedPool, EvictsNothingThatAnAdmittedJobExpects) {
  const PoolFixture f(10 * kLarge);
  f.buffer(6 * kLarge).release();
  Reservation admitted = f.reserve(6 * kLarge);
  const Reservation other = must(f.budget->reserve({.bytes = 4 * kLarge}));
  EXPECT_FALSE(f.budget->try_reserve({.bytes = 1}));
  EXPECT_EQ(f.pool->statistics().freed, 0U);
  const HostBuffer buffer = must(f.pool->acquire(6 * kLarge, admitted));
  EXPECT_EQ(f.pool->statistics().hits, 6U);
}

TEST(PinnedPool, ChunksOfTheOtherSizeMakeRoom) {
  const PoolFixture f(4 * kLarge);
  f.buffer(4 * kLarge - kSmall).release();
  Reservation paid = f.reserve(4 * kLarge);
  const HostBuffer buffer = must(f.pool->acquire(4 * kLarge, paid));
  EXPECT_TRUE(buffer.is_pinned());
  EXPECT_EQ(f.locker->bytes(), 4 * kLarge);
  EXPECT_EQ(f.budget->snapshot().idle, 0U);
  EXPECT_EQ(f.pool->statistics().freed, 3U);
}

TEST(PinnedPool, FallsBackToOrdinaryMemoryVisibly) {
  std::mutex mutex;
  std::vector<std::string> lines;
  const LogSink before = set_log_sink([&](const LogRecord& record) {
    const std::lock_guard guard(mutex);
    if (record.level == LogLevel::warn) lines.emplace_back(record.message);
  });
  {
    const PoolFixture f(kMiB);
    f.locker->refuses = true;
    const HostBuffer buffer = f.buffer(2 * kLarge + 1);
    EXPECT_FALSE(buffer.is_pinned());
    EXPECT_EQ(buffer.pageable_bytes(), 2 * kLarge + kSmall);
    EXPECT_FALSE(buffer.chunk_is_pinned(0));
    std::memset(buffer.chunk(1).data(), 7, kLarge);
    PoolStatistics now = f.pool->statistics();
    EXPECT_EQ(now.fallbacks.refused, 3U);
    EXPECT_EQ(now.fallback_buffers, 1U);
    EXPECT_EQ(now.in_use_pageable_bytes, 2 * kLarge + kSmall);
    EXPECT_EQ(now.pinned_bytes, 0U);
    EXPECT_THAT(now.last_refusal, HasSubstr("no more pages"));
    EXPECT_EQ(f.budget->snapshot().used, buffer.footprint()) << "ordinary memory is in the budget too";
  }
  set_log_sink(before);
  ASSERT_EQ(lines.size(), 1U) << "said once";
  EXPECT_THAT(lines[0], HasSubstr("page-locking was refused"));
}

TEST(PinnedPool, OrdinaryChunksAreNotKept) {
  const PoolFixture f(kMiB);
  f.faults->fail_next(FaultSite::page_lock, 1, 1);
  HostBuffer buffer = f.buffer(3 * kLarge);
  EXPECT_EQ(buffer.pageable_bytes(), kLarge);
  EXPECT_FALSE(buffer.chunk_is_pinned(1));
  buffer.release();
  EXPECT_EQ(f.budget->snapshot().idle, 2 * kLarge);
  EXPECT_EQ(f.pool->statistics().in_use_pageable_bytes, 0U);
}

TEST(PinnedPool, TheLimitIsKeptAndSaid) {
  const LogSink before = set_log_sink({});
  PoolOptions options;
  options.pinned_limit_bytes = 2 * kLarge + kSmall;
  const PoolFixture f(kMiB, options);
  HostBuffer first = f.buffer(3 * kLarge);
  EXPECT_EQ(first.pageable_bytes(), kLarge);
  PoolStatistics now = f.pool->statistics();
  EXPECT_EQ(now.fallbacks.limited, 1U);
  EXPECT_EQ(now.pinned_peak_bytes, 2 * kLarge);
  first.release();
  // Idle large chunks give way to small ones.
  const HostBuffer second = f.buffer(kLarge - 1);
  EXPECT_TRUE(second.is_pinned());
  now = f.pool->statistics();
  EXPECT_EQ(now.fallbacks.limited, 1U);
  EXPECT_LE(now.pinned_peak_bytes, *options.pinned_limit_bytes);
  set_log_sink(before);
}

TEST(PinnedPool, NoMemoryAtAllIsAnErrorAndLeavesNothing) {
  const PoolFixture f(kMiB);
  f.faults->fail_next(FaultSite::map, 1, 2);
  Reservation paid = f.reserve(4 * kLarge);
  const auto failed = f.pool->acquire(4 * kLarge, paid);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Code::exhausted);
  const BudgetSnapshot now = f.budget->snapshot();
  EXPECT_EQ(now.reserved, 0U);
  EXPECT_EQ(now.expected, 0U);
  EXPECT_EQ(now.idle, 2 * kLarge) << "what was made is kept";
  EXPECT_EQ(f.pool->statistics().buffers_in_use, 0U);
  EXPECT_EQ(f.locker->bytes(), 2 * kLarge);
}

TEST(PinnedPool, PrewarmingMakesTheFirstBufferAHit) {
  const PoolFixture f(kMiB);
  const std::array<std::uint64_t, 3> sizes = {2 * kLarge + 1, 2 * kLarge + 1, kSmall};
  f.pool->prewarm(sizes);
  wait_prewarmed(*f.pool);
  PoolStatistics now = f.pool->statistics();
  EXPECT_EQ(now.prewarmed, 7U);
  EXPECT_EQ(now.prewarm_target_bytes, 4 * kLarge + 3 * kSmall);
  EXPECT_EQ(now.prewarm_ready_bytes, now.prewarm_target_bytes);
  EXPECT_EQ(now.prewarm_end, "");
  const HostBuffer a = f.buffer(sizes[0]);
  const HostBuffer b = f.buffer(sizes[1]);
  const HostBuffer c = f.buffer(sizes[2]);
  now = f.pool->statistics();
  EXPECT_EQ(now.misses, 0U);
  EXPECT_EQ(now.hits, 7U);
  f.pool->prewarm(sizes);
  wait_prewarmed(*f.pool);
  EXPECT_EQ(f.pool->statistics().prewarmed, 7U) << "chunks in use count";
}

TEST(PinnedPool, PrewarmingEndsWhereNothingMoreMayBeHad) {
  const std::array<std::uint64_t, 1> size = {8 * kLarge};
  {
    const PoolFixture f(4 * kLarge);
    f.pool->prewarm(size);
    wait_prewarmed(*f.pool);
    EXPECT_EQ(f.pool->statistics().prewarm_ready_bytes, 4 * kLarge);
    EXPECT_THAT(f.pool->statistics().prewarm_end, HasSubstr("not free now"));
    EXPECT_TRUE(f.budget->reserve({.bytes = 4 * kLarge})) << "it is evicted for whoever comes";
  }
  {
    PoolOptions options;
    options.pinned_limit_bytes = 3 * kLarge;
    const PoolFixture f(kMiB, options);
    f.pool->prewarm(size);
    wait_prewarmed(*f.pool);
    EXPECT_THAT(f.pool->statistics().prewarm_end, HasSubstr("limit"));
    EXPECT_EQ(f.locker->bytes(), 3 * kLarge);
  }
  {
    const LogSink before = set_log_sink({});
    const PoolFixture f(kMiB);
    f.locker->refuses = true;
    f.pool->prewarm(size);
    wait_prewarmed(*f.pool);
    EXPECT_THAT(f.pool->statistics().prewarm_end, HasSubstr("refused"));
    EXPECT_EQ(f.budget->snapshot().used, 0U);
    set_log_sink(before);
  }
}

TEST(PinnedPool, PrewarmingForKindsThatTakeTurnsMakesTheMostOfEachSize) {
  const PoolFixture f(kMiB);
  const std::array<PinnedPool::BufferSet, 2> sets = {
      {{.bytes = 2 * kLarge + kSmall, .count = 2}, {.bytes = 3 * kSmall, .count = 3}}};
  f.pool->prewarm_for_any(sets);
  wait_prewarmed(*f.pool);
  EXPECT_EQ(f.pool->statistics().prewarm_ready_bytes, 4 * kLarge + 9 * kSmall);
  for (const PinnedPool::BufferSet& set : sets) {
    std::vector<HostBuffer> buffers;
    for (std::uint64_t i = 0; i < set.count; ++i) buffers.push_back(f.buffer(set.bytes));
  }
  EXPECT_EQ(f.pool->statistics().misses, 0U);
}

TEST(PinnedPool, PrewarmingUpToASizeServesAllSizesBelow) {
  const PoolFixture f(kMiB);
  for (const std::uint64_t most : {3 * kSmall, 2 * kLarge, 3 * kLarge + kSmall}) {
    f.pool->shrink(kMiB);
    f.pool->prewarm_for_any(std::array{PinnedPool::BufferSet{.bytes = most, .count = 2, .at_most = true}});
    wait_prewarmed(*f.pool);
    const std::uint64_t misses = f.pool->statistics().misses;
    for (std::uint64_t bytes = 1; bytes <= most; bytes += kSmall / 2) {
      const HostBuffer a = f.buffer(bytes);
      const HostBuffer b = f.buffer(bytes);
    }
    EXPECT_EQ(f.pool->statistics().misses, misses) << most;
  }
}

TEST(PinnedPool, fault_B21_TrimsWhatNobodyHasUsed) {
  const PoolFixture f(kMiB);
  {
    const HostBuffer a = f.buffer(3 * kLarge + kSmall);
    const HostBuffer b = f.buffer(2 * kLarge);
  }
  EXPECT_EQ(f.pool->trim(), 0U) << "all of it was in use since";
  {
    const HostBuffer c = f.buffer(2 * kLarge);
  }
  EXPECT_EQ(f.pool->trim(), 3 * kLarge + kSmall);
  EXPECT_EQ(f.pool->statistics().idle_bytes, 2 * kLarge);
  EXPECT_EQ(f.pool->trim(), 2 * kLarge);
  EXPECT_EQ(f.pool->trim(), 0U);
  EXPECT_EQ(f.locker->bytes(), 0U);
  EXPECT_EQ(f.budget->snapshot().used, 0U);
}

TEST(PinnedPool, TrimmingLeavesWhatWasMadeAhead) {
  const PoolFixture f(kMiB);
  const std::array<std::uint64_t, 1> size = {2 * kLarge + kSmall};
  f.pool->prewarm(size);
  wait_prewarmed(*f.pool);
  {
    const HostBuffer more = f.buffer(4 * kLarge + 2 * kSmall);
  }
  f.pool->trim();
  EXPECT_EQ(f.pool->trim(), 2 * kLarge + kSmall);
  EXPECT_EQ(f.pool->statistics().idle_bytes, 2 * kLarge + kSmall);
}

TEST(PinnedPool, WaitingForPrewarmingCanBeGivenUp) {
  const PoolFixture f(kMiB);
  must(f.pool->wait_prewarmed(StopToken(), Deadline::at(kNever)));
}

class SlowCopy final : public CopyFence {
 public:
  explicit SlowCopy(std::atomic<bool>& done) : done_(done) {}
  void wait() noexcept override {
    EXPECT_TRUE(cuzk::test::eventually([&] { return done_.load(); }));
  }

 private:
  std::atomic<bool>& done_;
};

// A buffer whose copy is still queued is not handed out again.
TEST(PinnedPool, WaitsForCopiesBeforeItIsHandedOutAgain) {
  const PoolFixture f(kLarge);
  std::atomic<bool> copied = false;
  HostBuffer buffer = f.buffer(kLarge);
  buffer.return_after(std::make_unique<SlowCopy>(copied));
  const std::jthread dropper([&] { HostBuffer(std::move(buffer)).release(); });
  std::jthread next([&] {
    const HostBuffer again = f.buffer(kLarge);
    EXPECT_TRUE(copied);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  copied = true;
}

TEST(PinnedPool, WipesOnReturnWhereWanted) {
  PoolOptions options;
  options.wipe_on_return = true;
  const PoolFixture f(kMiB, options);
  HostBuffer buffer = f.buffer(kLarge);
  std::memset(buffer.chunk(0).data(), 0x5a, kLarge);
  const std::byte* const where = buffer.chunk(0).data();
  buffer.release();
  buffer = f.buffer(kLarge);
  ASSERT_EQ(buffer.chunk(0).data(), where);
  for (const std::byte b : buffer.chunk(0)) ASSERT_EQ(b, std::byte{0});
}

TEST(PinnedPool, ElementsAcrossChunks) {
  const PoolFixture f(kMiB);
  constexpr std::uint64_t kCount = (2 * kLarge + kSmall + 40) / 32;
  const HostBuffer buffer = f.buffer(kCount * 32);
  struct Element {
    std::uint64_t limbs[4];
  };
  const auto elements = buffer.as<Element>();
  ASSERT_EQ(elements.size(), kCount);
  for (std::uint64_t i = 0; i < kCount; ++i) elements[i] = {i, i + 1, i + 2, i + 3};
  std::uint64_t next = 100;
  elements.for_each_part(100, kCount - 1, [&](std::span<Element> part, std::uint64_t first) {
    EXPECT_EQ(first, next);
    for (const Element& e : part) {
      EXPECT_EQ(e.limbs[0], next);
      EXPECT_EQ(e.limbs[3], next + 3);
      ++next;
    }
  });
  EXPECT_EQ(next, kCount - 1);
  std::uint64_t seen = 0;
  for (std::size_t c = 0; c < elements.chunk_count(); ++c) seen += elements.chunk(c).size();
  EXPECT_EQ(seen, kCount);
  std::vector<std::byte> copy(static_cast<std::size_t>(buffer.size()));
  buffer.read(0, copy);
  buffer.write(64, Bytes(copy).first(copy.size() - 64));
  EXPECT_EQ(elements[2].limbs[0], 0U);
  EXPECT_EQ(elements[kCount - 1].limbs[1], kCount - 2);
}

// A writer gets exactly the bytes asked for, whatever was in the chunks' former lives.
TEST(PinnedPool, fault_A15_AlternatingSizesKeepTheirCapacity) {
  const PoolFixture f(64 * kLarge);
  for (int round = 0; round < 20; ++round) {
    const HostBuffer a = f.buffer(5 * kLarge + 100);
    const HostBuffer b = f.buffer(3 * kLarge + kSmall + 7);
    const HostBuffer c = f.buffer(kSmall - 1);
    for (const HostBuffer* const buffer : {&a, &b, &c}) {
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i < buffer->chunk_count(); ++i) {
        std::memset(buffer->chunk(i).data(), round, buffer->chunk(i).size());
        bytes += buffer->chunk(i).size();
      }
      ASSERT_EQ(bytes, buffer->size());
    }
  }
  EXPECT_EQ(f.pool->statistics().misses, 8U + 1 + 1 + 2);
}

TEST(PageLocker, MlockWorksOrSaysWhy) {
  const auto locker = make_mlock_locker();
  EXPECT_EQ(locker->name(), "mlock");
  const PageBlock block = must(PageBlock::map(page_bytes()));
  const Status status = locker->lock(block.bytes());
  if (status) {
    locker->unlock(block.bytes());
  } else {
    EXPECT_THAT(status.error().to_string(), HasSubstr("RLIMIT_MEMLOCK"));
  }
}

TEST(PageLocker, RefusesWithItsReason) {
  const auto locker = make_refusing_locker("this machine has no device");
  const PageBlock block = must(PageBlock::map(page_bytes()));
  EXPECT_EQ(locker->lock(block.bytes()).error().message(), "this machine has no device");
}

TEST(PageBlock, IsAlignedToHugePagesAndZero) {
  const PageBlock large = must(PageBlock::map(2 * kHugePageBytes));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.bytes().data()) % kHugePageBytes, 0U);
  EXPECT_EQ(large.size(), 2 * kHugePageBytes);
  EXPECT_EQ(large.bytes().back(), std::byte{0});
  large.bytes().back() = std::byte{1};
  PageBlock moved = must(PageBlock::map(page_bytes()));
  moved = PageBlock();
  EXPECT_EQ(moved.size(), 0U);
}

TEST(PageBlock, TooMuchIsAnErrorWithItsLimits) {
  const auto block = PageBlock::map(std::size_t{1} << 60);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().code(), Code::exhausted);
  EXPECT_THAT(block.error().to_string(), HasSubstr("RLIMIT_AS"));
}

}  // namespace
}  // namespace cuzk::memory
