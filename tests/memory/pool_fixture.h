// A pool with chunks of a few pages and a locker that counts.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include <gtest/gtest.h>

#include "memory/pinned_pool.h"
#include "tests/support/must.h"

namespace cuzk::memory::test {

inline constexpr std::uint64_t kSmall = 4096;
inline constexpr std::uint64_t kLarge = 4 * kSmall;

/// Pretends; knows what is locked, so that unlocking what is not, or twice locking, is seen.
class CountingLocker final : public PageLocker {
 public:
  std::string_view name() const noexcept override { return "counting"; }

  Status lock(MutableBytes block) override {
    if (refuses) return fail(Code::exhausted, "no more pages");
    const std::lock_guard guard(mutex_);
    EXPECT_TRUE(locked_.emplace(block.data(), block.size()).second) << "locked twice";
    bytes_ += block.size();
    ++calls;
    return {};
  }

  void unlock(MutableBytes block) noexcept override {
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(locked_.erase(block.data()), 1U) << "not locked";
    bytes_ -= block.size();
  }

  std::uint64_t bytes() const {
    const std::lock_guard guard(mutex_);
    return bytes_;
  }

  std::atomic<bool> refuses = false;
  std::atomic<int> calls = 0;

 private:
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t> locked_;
  std::uint64_t bytes_ = 0;
};

struct PoolFixture {
  explicit PoolFixture(std::uint64_t total, PoolOptions options = {}, std::uint64_t seed = 0)
      : faults(std::make_shared<ScriptedFaults>(seed)), locker(std::make_shared<CountingLocker>()) {
    BudgetOptions budget_options;
    budget_options.total_bytes = total;
    budget_options.faults = faults;
    budget = cuzk::test::must(MemoryBudget::create(std::move(budget_options)));
    options.large_chunk_bytes = kLarge;
    options.small_chunk_bytes = kSmall;
    if (!options.locker) options.locker = locker;
    pool = cuzk::test::must(PinnedPool::create(budget, std::move(options)));
  }
  ~PoolFixture() {
    pool.reset();
    EXPECT_EQ(budget->snapshot().used, 0U);
    EXPECT_EQ(locker->bytes(), 0U);
  }

  ReserveRequest request(std::uint64_t buffer_bytes, std::uint64_t more = 0) const {
    ReserveRequest request;
    request.pooled_bytes = pool->footprint_bytes(buffer_bytes);
    request.bytes = request.pooled_bytes + more;
    request.tag = MemoryTag::abc;
    request.owner = "job";
    return request;
  }
  Reservation reserve(std::uint64_t buffer_bytes, std::uint64_t more = 0) const {
    return cuzk::test::must(budget->reserve(request(buffer_bytes, more)));
  }
  HostBuffer buffer(std::uint64_t bytes) const {
    Reservation paid = reserve(bytes);
    return cuzk::test::must(pool->acquire(bytes, paid));
  }

  std::shared_ptr<ScriptedFaults> faults;
  std::shared_ptr<CountingLocker> locker;
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<PinnedPool> pool;
};

}  // namespace cuzk::memory::test
