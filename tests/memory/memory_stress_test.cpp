// Many threads, little memory, refusals and cancellations: nothing hangs, nothing is left over, and the bytes that
// exist never exceed the budget. For ThreadSanitizer too.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/clock.h"
#include "support/log.h"
#include "tests/gen/seed.h"
#include "tests/memory/pool_fixture.h"
#include "tests/support/eventually.h"

namespace cuzk::memory {
namespace {

using cuzk::test::eventually;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::kLarge;
using test::kSmall;
using test::PoolFixture;

constexpr auto kDuration = milliseconds(1500);

/// A key cache of a kind: loads on demand, keeps what is idle until asked.
class Keys final : public Evictor {
 public:
  explicit Keys(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {
    registration_ = budget_->register_evictor(EvictionOrder::keys, *this);
  }
  ~Keys() override { registration_ = {}; }

  std::string_view name() const noexcept override { return "keys"; }
  Evictable evictable(const EvictionNeed&) override {
    const MutexLock lock(mutex_);
    std::uint64_t bytes = 0;
    for (const Reservation& key : idle_) bytes += key.bytes();
    return {.bytes = bytes, .more_at = {}};
  }
  std::uint64_t evict(const EvictionNeed& need) override {
    std::vector<Reservation> gone;
    std::uint64_t freed = 0;
    const MutexLock lock(mutex_);
    while (!idle_.empty() && freed < need.bytes) {
      freed += idle_.back().bytes();
      gone.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    return freed;
  }
  void keep(Reservation key) {
    {
      const MutexLock lock(mutex_);
      idle_.push_back(std::move(key));
    }
    budget_->reconsider();
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  Mutex mutex_;
  std::vector<Reservation> idle_ CUZK_GUARDED_BY(mutex_);
  EvictorRegistration registration_;
};

struct Counts {
  std::atomic<int> done = 0;
  std::atomic<int> cancelled = 0;
  std::atomic<int> late = 0;
  std::atomic<int> failed = 0;
};

void count(const Error& error, Counts& counts) {
  switch (error.code()) {
    case Code::cancelled:
      ++counts.cancelled;
      break;
    case Code::deadline:
      ++counts.late;
      break;
    default:
      EXPECT_EQ(error.code(), Code::exhausted) << error.to_string();
      ++counts.failed;
  }
}

void one_job(const PoolFixture& f, Keys& keys, std::mt19937_64& random, const StopToken& stop, Counts& counts) {
  const std::uint64_t bytes = random() % (4 * kLarge) + 1;
  ReserveRequest request = f.request(bytes, random() % kLarge);
  request.priority = static_cast<Priority>(random() % 4);
  request.stop = stop;
  if (random() % 4 == 0) request.deadline = Deadline::after(microseconds(random() % 2000));
  if (random() % 8 == 0) request.pooled_bytes = 0;
  auto paid = f.budget->reserve(request);
  if (!paid) return count(paid.error(), counts);
  auto buffer = f.pool->acquire(bytes, *paid);
  if (!buffer) return count(buffer.error(), counts);
  for (std::size_t i = 0; i < buffer->chunk_count(); ++i) buffer->chunk(i)[0] = static_cast<std::byte>(i);
  if (random() % 2 == 0) paid->shrink(paid->bytes() / 2);
  for (std::size_t i = 0; i < buffer->chunk_count(); ++i) ASSERT_EQ(buffer->chunk(i)[0], static_cast<std::byte>(i));
  buffer->release();
  if (random() % 4 == 0) {
    paid->transfer(MemoryTag::key, "key");
    paid->make_ordinary();
    keys.keep(*std::move(paid));
  }
  ++counts.done;
}

TEST(MemoryStress, JobsCancellationsAndRefusalsLeaveNothing) {
  const LogSink before = set_log_sink({});
  const std::uint64_t seed = cuzk::test::run_seed();
  Counts counts;
  {
    const PoolFixture f(10 * kLarge, {}, seed);
    f.faults->set_rate(FaultSite::reserve, 0.02);
    f.faults->set_rate(FaultSite::page_lock, 0.05);
    f.faults->set_rate(FaultSite::map, 0.01);
    Keys keys(f.budget);
    std::atomic<bool> end = false;
    std::vector<std::stop_source> stops(6);
    std::atomic<std::uint64_t> most_locked = 0;
    {
      std::vector<std::jthread> threads;
      for (unsigned t = 0; t < stops.size(); ++t) {
        threads.emplace_back([&, t] {
          std::mt19937_64 random(seed + t);
          while (!end) {
            std::stop_source stop;
            std::optional<std::jthread> canceller;
            if (random() % 16 == 0) {
              canceller.emplace([stop, wait = random() % 300]() mutable {
                std::this_thread::sleep_for(microseconds(wait));
                stop.request_stop();
              });
            }
            one_job(f, keys, random, stop.get_token(), counts);
          }
        });
      }
      threads.emplace_back([&] {
        std::mt19937_64 random(seed + 100);
        while (!end) {
          const std::array<std::uint64_t, 2> sizes = {random() % (3 * kLarge), kSmall};
          f.pool->prewarm(sizes);
          static_cast<void>(f.pool->wait_prewarmed(StopToken(), Deadline::after(milliseconds(1))));
          const BudgetSnapshot now = f.budget->snapshot();
          EXPECT_LE(now.used, now.total);
          most_locked = std::max(most_locked.load(), f.locker->bytes());
          f.pool->shrink(random() % kLarge);
        }
      });
      std::this_thread::sleep_for(kDuration);
      EXPECT_TRUE(eventually([&] { return counts.done > 100 && counts.cancelled + counts.late > 0; }));
      end = true;
    }
    EXPECT_LE(most_locked, 10 * kLarge);
    cuzk::test::must(f.pool->wait_prewarmed(StopToken(), Deadline::never()));
    const BudgetSnapshot now = f.budget->snapshot();
    const PoolStatistics pool = f.pool->statistics();
    EXPECT_TRUE(now.waiting.empty());
    EXPECT_EQ(now.reserved, keys.evictable({}).bytes);
    EXPECT_EQ(now.expected, 0U);
    EXPECT_EQ(now.idle, pool.idle_bytes);
    EXPECT_EQ(pool.pinned_bytes, pool.idle_bytes);
    EXPECT_EQ(pool.buffers_in_use, 0U);
    EXPECT_EQ(pool.in_use_pinned_bytes + pool.in_use_pageable_bytes + pool.wasted_bytes, 0U);
    EXPECT_EQ(f.locker->bytes(), pool.pinned_bytes);
  }
  set_log_sink(before);
  RecordProperty("done", counts.done);
}

// Waiters without deadline and holders that give back at random: whoever waits is served (fault A9: a release between
// looking and sleeping was missed).
TEST(MemoryStress, fault_A09_NoWakeUpIsLost) {
  const auto budget = cuzk::test::must(MemoryBudget::create({.total_bytes = 64}));
  std::atomic<std::uint64_t> rounds = 0;
  std::atomic<bool> end = false;
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(cuzk::test::run_seed() + t);
      while (!end) {
        Reservation held = cuzk::test::must(budget->reserve({.bytes = random() % 64 + 1}));
        if (random() % 2 == 0) std::this_thread::yield();
        if (random() % 2 == 0) held.shrink(held.bytes() / 2);
        ++rounds;
      }
    });
  }
  const Stopwatch watch;
  std::uint64_t seen = 0;
  while (watch.seconds() < 1.5) {
    ASSERT_TRUE(eventually([&] { return rounds > seen; })) << "nobody is served any more";
    seen = rounds;
  }
  end = true;
  threads.clear();
  EXPECT_EQ(budget->snapshot().used, 0U);
}

// Every job of a given size gets through, whatever stream of small ones runs beside.
TEST(MemoryStress, NobodyStarves) {
  const PoolFixture f(6 * kLarge);
  std::atomic<bool> end = false;
  std::vector<std::jthread> small;
  for (int t = 0; t < 4; ++t) {
    small.emplace_back([&] {
      while (!end) f.buffer(kSmall).release();
    });
  }
  for (int i = 0; i < 30; ++i) {
    const HostBuffer all = f.buffer(6 * kLarge);
    EXPECT_EQ(all.footprint(), 6 * kLarge);
  }
  end = true;
}

}  // namespace
}  // namespace cuzk::memory
