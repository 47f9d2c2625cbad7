// Random sequences of what can be done to a pool and its budget, with refusals: after each step the books are right.
#include <rapidcheck.h>

#include <cstring>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "support/log.h"
#include "tests/memory/pool_fixture.h"

namespace cuzk::memory {
namespace {

using test::kLarge;
using test::kSmall;
using test::PoolFixture;

constexpr std::uint64_t kTotal = 12 * kLarge;

enum class Act : std::uint8_t { admit, take, drop_job, drop_buffer, shrink, prewarm, plain, refuse, fail_map };

struct Step {
  Act act;
  std::uint32_t amount;
  std::uint8_t which;
};

rc::Gen<Step> any_step() {
  return rc::gen::construct<Step>(
      rc::gen::element(Act::admit, Act::admit, Act::take, Act::take, Act::take, Act::drop_job, Act::drop_buffer,
                       Act::drop_buffer, Act::shrink, Act::prewarm, Act::plain, Act::refuse, Act::fail_map),
      rc::gen::inRange<std::uint32_t>(1, 5 * kLarge), rc::gen::arbitrary<std::uint8_t>());
}

/// An admitted job that has not taken its buffer yet.
struct Job {
  Reservation paid;
  std::uint64_t buffer_bytes;
};

class World {
 public:
  World(std::optional<std::uint64_t> limit) : f_(kTotal, options(limit)), limit_(limit) {}

  void apply(const Step& step) {
    switch (step.act) {
      case Act::admit:
        admit(step.amount, true);
        break;
      case Act::plain:
        admit(step.amount, false);
        break;
      case Act::take:
        take(step);
        break;
      case Act::drop_job:
        if (!jobs_.empty()) jobs_.erase(any_job(step.which));
        break;
      case Act::drop_buffer:
        if (!buffers_.empty()) drop(step.which % buffers_.size());
        break;
      case Act::shrink:
        f_.pool->shrink(step.amount);
        break;
      case Act::prewarm: {
        const std::array<std::uint64_t, 1> sizes = {step.amount};
        f_.pool->prewarm(sizes);
        cuzk::test::must(f_.pool->wait_prewarmed(StopToken(), Deadline::never()));
        break;
      }
      case Act::refuse:
        f_.faults->fail_next(FaultSite::page_lock, 1, step.which % 3);
        break;
      case Act::fail_map:
        f_.faults->fail_next(FaultSite::map, 1, step.which % 5);
        break;
    }
    check();
  }

  void end() {
    jobs_.clear();
    while (!buffers_.empty()) drop(0);
    check();
  }

 private:
  static PoolOptions options(std::optional<std::uint64_t> limit) {
    PoolOptions options;
    options.pinned_limit_bytes = limit;
    return options;
  }

  void admit(std::uint64_t bytes, bool says_pooled) {
    ReserveRequest request = f_.request(bytes, 100);
    if (!says_pooled) request.pooled_bytes = 0;
    const BudgetSnapshot before = f_.budget->snapshot();
    if (before.reserved + request.bytes > kTotal) return;  // would wait for ever: nobody else is there
    // Reserving by force: with what is idle evicted, it fits.
    jobs_.push_back({cuzk::test::must(f_.budget->reserve(request)), bytes});
  }

  std::vector<Job>::iterator any_job(std::uint8_t which) {
    return jobs_.begin() + static_cast<std::ptrdiff_t>(which % jobs_.size());
  }

  void take(const Step& step) {
    if (jobs_.empty()) return;
    const auto place = any_job(step.which);
    auto buffer = f_.pool->acquire(place->buffer_bytes, place->paid);
    if (buffer) {
      mark(*buffer, marks_);
      buffers_.push_back({*std::move(buffer), marks_++});
    }
    jobs_.erase(place);
  }

  static void mark(const HostBuffer& buffer, std::uint64_t value) {
    for (std::size_t i = 0; i < buffer.chunk_count(); ++i) {
      const MutableBytes chunk = buffer.chunk(i);
      std::memset(chunk.data(), static_cast<int>(value & 0xff), chunk.size());
    }
  }

  /// Nobody else has written to it.
  void drop(std::size_t which) {
    const auto& [buffer, value] = buffers_[which];
    for (std::size_t i = 0; i < buffer.chunk_count(); ++i) {
      const MutableBytes chunk = buffer.chunk(i);
      RC_ASSERT(chunk.front() == static_cast<std::byte>(value & 0xff));
      RC_ASSERT(chunk.back() == static_cast<std::byte>(value & 0xff));
    }
    buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void check() const {
    const BudgetSnapshot books = f_.budget->snapshot();
    const PoolStatistics pool = f_.pool->statistics();
    std::uint64_t reserved = 0;
    std::uint64_t expected = 0;
    std::uint64_t pinned = 0;
    std::uint64_t pageable = 0;
    for (const Job& job : jobs_) {
      reserved += job.paid.bytes();
      expected += job.paid.pooled_bytes();
    }
    for (const auto& [buffer, value] : buffers_) {
      reserved += buffer.footprint();
      pinned += buffer.pinned_bytes();
      pageable += buffer.pageable_bytes();
      RC_ASSERT(buffer.reservation().pooled_bytes() == 0U);
    }
    RC_ASSERT(books.reserved == reserved);
    RC_ASSERT(books.expected == expected);
    RC_ASSERT(books.used <= kTotal);
    RC_ASSERT(books.idle == pool.idle_bytes);
    RC_ASSERT(pool.in_use_pinned_bytes == pinned);
    RC_ASSERT(pool.in_use_pageable_bytes == pageable);
    RC_ASSERT(pool.buffers_in_use == buffers_.size());
    RC_ASSERT(pool.pinned_bytes == pinned + pool.idle_bytes);
    RC_ASSERT(f_.locker->bytes() == pool.pinned_bytes);
    // What exists: handed out, and idle.
    RC_ASSERT(pinned + pageable + pool.idle_bytes <= books.used);
    if (limit_) RC_ASSERT(pool.pinned_peak_bytes <= *limit_);
  }

  PoolFixture f_;
  std::optional<std::uint64_t> limit_;
  std::vector<Job> jobs_;
  std::vector<std::pair<HostBuffer, std::uint64_t>> buffers_;
  std::uint64_t marks_ = 0;
};

TEST(PinnedPoolProperty, TheBooksAreRightAfterEachStep) {
  const LogSink before = set_log_sink({});
  const bool holds = rc::check("pool", [] {
    std::optional<std::uint64_t> limit;
    if (*rc::gen::arbitrary<bool>()) limit = kSmall * *rc::gen::inRange<std::uint64_t>(0, 40);
    World world(limit);
    for (const Step& step : *rc::gen::container<std::vector<Step>>(any_step())) world.apply(step);
    world.end();
  });
  set_log_sink(before);
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace cuzk::memory
