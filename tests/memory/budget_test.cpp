#include "memory/budget.h"

#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/memory/fake_time.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"

namespace cuzk::memory {
namespace {

using cuzk::test::eventually;
using cuzk::test::must;
using std::chrono::seconds;
using test::FakeTime;
using testing::HasSubstr;

std::shared_ptr<MemoryBudget> budget_of(std::uint64_t total, std::uint64_t critical = 0, TimeSource* time = nullptr,
                                        std::shared_ptr<FaultPolicy> faults = nullptr) {
  BudgetOptions options;
  options.total_bytes = total;
  options.critical_reserve_bytes = critical;
  options.faults = std::move(faults);
  if (time != nullptr) options.time = time;
  return must(MemoryBudget::create(std::move(options)));
}

ReserveRequest request_of(std::uint64_t bytes, Priority priority = Priority::normal, MemoryTag tag = MemoryTag::abc,
                          std::string owner = "job") {
  ReserveRequest request;
  request.bytes = bytes;
  request.priority = priority;
  request.tag = tag;
  request.owner = std::move(owner);
  return request;
}

/// A thread that waits for memory.
class Waiting {
 public:
  Waiting(std::shared_ptr<MemoryBudget> budget, ReserveRequest request)
      : thread_([this, budget = std::move(budget), request = std::move(request)]() mutable {
          request.stop = stop_.get_token();
          outcome_.emplace(budget->reserve(request));
          done_ = true;
        }) {}

  bool done() const { return done_; }
  void stop() { stop_.request_stop(); }
  Result<Reservation>& outcome() {
    EXPECT_TRUE(eventually([&] { return done(); }));
    return *outcome_;
  }

 private:
  std::stop_source stop_;
  std::optional<Result<Reservation>> outcome_;
  std::atomic<bool> done_ = false;
  std::jthread thread_;
};

bool waiting_is(const MemoryBudget& budget, std::size_t count) {
  return eventually([&] { return budget.snapshot().waiting.size() == count; });
}

/// Holds reservations that it gives up on demand.
class Cache final : public Evictor {
 public:
  std::vector<Reservation> items;
  std::function<void()> on_evict;
  int evicted = 0;

  std::string_view name() const noexcept override { return "cache"; }
  Evictable evictable(const EvictionNeed&) override {
    std::uint64_t bytes = 0;
    for (const Reservation& item : items) bytes += item.bytes();
    return {.bytes = bytes, .more_at = {}};
  }
  std::uint64_t evict(const EvictionNeed& need) override {
    if (on_evict) on_evict();
    std::uint64_t freed = 0;
    while (!items.empty() && freed < need.bytes) {
      freed += items.back().bytes();
      items.pop_back();
      ++evicted;
    }
    return freed;
  }
};

TEST(MemoryBudget, RefusesNonsense) {
  EXPECT_EQ(MemoryBudget::create({}).error().code(), Code::invalid_argument);
  BudgetOptions options;
  options.total_bytes = 10;
  options.critical_reserve_bytes = 10;
  EXPECT_EQ(MemoryBudget::create(options).error().code(), Code::invalid_argument);
  ReserveRequest request = request_of(5);
  request.pooled_bytes = 6;
  EXPECT_EQ(budget_of(10)->reserve(request).error().code(), Code::invalid_argument);
}

TEST(MemoryBudget, AReservationEndsWithItsHolder) {
  const auto budget = budget_of(100);
  {
    Reservation all = must(budget->reserve(request_of(100)));
    EXPECT_EQ(all.tag(), MemoryTag::abc);
    EXPECT_EQ(all.owner(), "job");
    EXPECT_EQ(budget->snapshot().used, 100U);
    Reservation moved = std::move(all);
    EXPECT_EQ(all.bytes(), 0U);  // NOLINT(bugprone-use-after-move): what is left of it is specified
    EXPECT_EQ(budget->snapshot().used, 100U);
    moved.release();
    moved.release();
    EXPECT_EQ(budget->snapshot().used, 0U);
  }
  const BudgetSnapshot now = budget->snapshot();
  EXPECT_EQ(now.used, 0U);
  EXPECT_EQ(now.used_peak, 100U);
  EXPECT_TRUE(now.holders.empty());
}

TEST(MemoryBudget, SplitShrinkTransferAbsorb) {
  const auto budget = budget_of(100);
  Reservation job = must(budget->reserve(request_of(60)));
  Reservation part = job.split(25);
  EXPECT_EQ(job.bytes(), 35U);
  EXPECT_EQ(part.bytes(), 25U);
  part.transfer(MemoryTag::key, "porep-32g");
  job.shrink(5);
  job.shrink_to(20);
  job.shrink_to(50);
  BudgetSnapshot now = budget->snapshot();
  EXPECT_EQ(now.used, 45U);
  ASSERT_EQ(now.holders.size(), 2U);
  EXPECT_EQ(now.holders[0].owner, "porep-32g");
  EXPECT_EQ(now.holders[0].bytes, 25U);
  EXPECT_EQ(now.by_tag[static_cast<std::size_t>(MemoryTag::abc)].bytes, 20U);
  EXPECT_EQ(now.by_tag[static_cast<std::size_t>(MemoryTag::abc)].peak, 60U);
  job.absorb(std::move(part));
  Reservation empty;
  empty.absorb(std::move(job));
  EXPECT_EQ(empty.bytes(), 45U);
  EXPECT_EQ(budget->snapshot().holders.size(), 1U);
  empty.release();
  EXPECT_EQ(budget->snapshot().used, 0U);
}

TEST(MemoryBudget, ReservationsKeepTheirBudgetAlive) {
  auto budget = budget_of(100);
  const std::weak_ptr<MemoryBudget> watch = budget;
  Reservation kept = must(budget->reserve(request_of(1)));
  budget.reset();
  EXPECT_FALSE(watch.expired());
  kept.release();
  EXPECT_TRUE(watch.expired());
}

TEST(MemoryBudget, AboveTheTotalFailsAtOnceWithTheNumbers) {
  const auto budget = budget_of(1000, 100);
  const Reservation key = must(budget->reserve(request_of(400, Priority::normal, MemoryTag::key, "porep-32g")));
  const auto refused = budget->reserve(request_of(901));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::exhausted);
  EXPECT_THAT(refused.error().message(), HasSubstr("can never be met"));
  EXPECT_THAT(refused.error().message(), HasSubstr("(901 bytes; 500 B of 1000 B free; key porep-32g 400 B)"));
  EXPECT_EQ(budget->reserve(request_of(1001, Priority::critical)).error().code(), Code::exhausted);
  EXPECT_EQ(budget->reserve(request_of(~std::uint64_t{0})).error().code(), Code::exhausted);
}

TEST(MemoryBudget, TheReserveIsForCriticalWorkAlone) {
  const auto budget = budget_of(100, 30);
  const Reservation ordinary = must(budget->reserve(request_of(70)));
  EXPECT_FALSE(budget->try_reserve(request_of(1, Priority::high)));
  Reservation critical = must(budget->try_reserve(request_of(30, Priority::critical)));
  EXPECT_EQ(budget->snapshot().used, 100U);
  critical.shrink(10);
  EXPECT_FALSE(budget->try_reserve(request_of(1))) << "the reserve is filled again first";
  critical.make_ordinary();
  EXPECT_FALSE(budget->try_reserve(request_of(1)));
  EXPECT_TRUE(budget->try_reserve(request_of(10, Priority::critical)));
}

TEST(MemoryBudget, CriticalWorkInOrdinaryMemoryFillsTheReserve) {
  const auto budget = budget_of(100, 30);
  const Reservation critical = must(budget->reserve(request_of(30, Priority::critical)));
  EXPECT_TRUE(budget->try_reserve(request_of(70))) << "nothing is kept twice";
}

TEST(MemoryBudget, FirstComeFirstServedAndNobodyOvertakes) {
  const auto budget = budget_of(100);
  Reservation held = must(budget->reserve(request_of(60)));
  Waiting large(budget, request_of(80));
  ASSERT_TRUE(waiting_is(*budget, 1));
  Waiting small(budget, request_of(10));
  ASSERT_TRUE(waiting_is(*budget, 2));
  EXPECT_FALSE(budget->try_reserve(request_of(1))) << "others wait";
  EXPECT_FALSE(small.done());
  held.release();
  EXPECT_EQ(must(std::move(large.outcome())).bytes(), 80U);
  EXPECT_TRUE(small.outcome());
}

TEST(MemoryBudget, ALargeRequestIsNotStarvedBySmallOnes) {
  const auto budget = budget_of(100);
  std::atomic<bool> stop = false;
  std::atomic<int> small_grants = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        const Reservation some = must(budget->reserve(request_of(30)));
        ++small_grants;
        std::this_thread::yield();
      }
    });
  }
  ASSERT_TRUE(eventually([&] { return small_grants > 100; }));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(budget->reserve(request_of(100)));
  stop = true;
}

TEST(MemoryBudget, HigherPriorityIsServedFirst) {
  const auto budget = budget_of(100);
  Reservation held = must(budget->reserve(request_of(100)));
  Waiting low(budget, request_of(100, Priority::low));
  ASSERT_TRUE(waiting_is(*budget, 1));
  Waiting normal(budget, request_of(100, Priority::normal));
  ASSERT_TRUE(waiting_is(*budget, 2));
  Waiting critical(budget, request_of(100, Priority::critical));
  ASSERT_TRUE(waiting_is(*budget, 3));
  const auto waiting = budget->snapshot().waiting;
  EXPECT_EQ(waiting[0].priority, Priority::critical);
  EXPECT_EQ(waiting[2].priority, Priority::low);
  held.release();
  must(std::move(critical.outcome())).release();
  EXPECT_FALSE(low.done());
  must(std::move(normal.outcome())).release();
  EXPECT_TRUE(low.outcome());
}

TEST(MemoryBudget, StopEndsAWait) {
  const auto budget = budget_of(100);
  const Reservation held = must(budget->reserve(request_of(90, Priority::normal, MemoryTag::key, "window-32g")));
  Waiting first(budget, request_of(50));
  ASSERT_TRUE(waiting_is(*budget, 1));
  Waiting second(budget, request_of(10));
  ASSERT_TRUE(waiting_is(*budget, 2));
  first.stop();
  ASSERT_FALSE(first.outcome());
  EXPECT_EQ(first.outcome().error().code(), Code::cancelled);
  EXPECT_THAT(first.outcome().error().message(), HasSubstr("key window-32g 90 B"));
  EXPECT_TRUE(second.outcome()) << "the next one has his turn";
}

TEST(MemoryBudget, CountsHowRequestsEnded) {
  const auto budget = budget_of(100);
  const Reservation held = must(budget->reserve(request_of(90)));
  EXPECT_FALSE(budget->try_reserve(request_of(20)));
  EXPECT_EQ(budget->snapshot().refused, 0U) << "who finds no room may wait for it now";
  EXPECT_FALSE(budget->reserve(request_of(101)));
  EXPECT_EQ(budget->snapshot().refused, 1U) << "could never be met";
  Waiting waiting(budget, request_of(20));
  ASSERT_TRUE(waiting_is(*budget, 1));
  waiting.stop();
  ASSERT_FALSE(waiting.outcome());
  ReserveRequest late = request_of(20);
  late.deadline = Deadline::after(seconds(-1));
  EXPECT_FALSE(budget->reserve(late));
  const BudgetSnapshot now = budget->snapshot();
  EXPECT_EQ(now.given_up, 2U);
  EXPECT_EQ(now.refused, 1U);
  EXPECT_EQ(now.granted, 1U);
}

TEST(MemoryBudget, AStoppedRequestDoesNotEnter) {
  const auto budget = budget_of(100);
  const Reservation held = must(budget->reserve(request_of(100)));
  std::stop_source source;
  source.request_stop();
  ReserveRequest request = request_of(50);
  request.stop = source.get_token();
  EXPECT_EQ(budget->reserve(request).error().code(), Code::cancelled);
  request.stop = {};
  request.deadline = Deadline::after(seconds(-1));
  EXPECT_EQ(budget->reserve(request).error().code(), Code::deadline);
}

TEST(MemoryBudget, DeadlineEndsAWait) {
  FakeTime time;
  const auto budget = budget_of(100, 0, &time);
  const Reservation held = must(budget->reserve(request_of(90, Priority::normal, MemoryTag::key, "porep-32g")));
  ReserveRequest request = request_of(50);
  request.deadline = Deadline::at(time.now() + seconds(30));
  Waiting waiting(budget, request);
  ASSERT_TRUE(waiting_is(*budget, 1));
  time.advance(seconds(29));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(waiting.done());
  EXPECT_EQ(budget->snapshot().waiting.at(0).waited_ns, 29'000'000'000U);
  time.advance(seconds(1));
  ASSERT_TRUE(eventually([&] {
    time.notify();
    return waiting.done();
  }));
  ASSERT_FALSE(waiting.outcome());
  EXPECT_EQ(waiting.outcome().error().code(), Code::deadline);
  EXPECT_THAT(waiting.outcome().error().message(),
              HasSubstr("waited 30.0 s until its deadline: 50 B of host memory for abc of job (50 bytes; 10 B of 100 B "
                        "free; key porep-32g 90 B)"));
}

TEST(MemoryBudget, EvictsWhatHelpsInOrder) {
  const auto budget = budget_of(100);
  Cache keys;
  Cache circuits;
  for (int i = 0; i < 4; ++i) keys.items.push_back(must(budget->reserve(request_of(10))));
  for (int i = 0; i < 3; ++i) circuits.items.push_back(must(budget->reserve(request_of(10))));
  const auto of_keys = budget->register_evictor(EvictionOrder::keys, keys);
  const auto of_circuits = budget->register_evictor(EvictionOrder::circuits, circuits);
  const Reservation first = must(budget->reserve(request_of(40)));
  EXPECT_EQ(circuits.evicted, 1);
  EXPECT_EQ(keys.evicted, 0);
  const Reservation second = must(budget->reserve(request_of(35)));
  EXPECT_EQ(circuits.evicted, 3);
  EXPECT_EQ(keys.evicted, 2);
  EXPECT_EQ(budget->snapshot().evicted, 50U);
  keys.items.clear();
}

TEST(MemoryBudget, EvictsNothingWhereThatIsNotEnough) {
  const auto budget = budget_of(100);
  Cache cache;
  for (int i = 0; i < 3; ++i) cache.items.push_back(must(budget->reserve(request_of(10))));
  const auto registration = budget->register_evictor(EvictionOrder::keys, cache);
  Reservation held = must(budget->reserve(request_of(70)));
  Waiting waiting(budget, request_of(60));
  ASSERT_TRUE(waiting_is(*budget, 1));
  held.shrink(20);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(waiting.done());
  held.shrink(20);
  ASSERT_TRUE(waiting.outcome());
  EXPECT_EQ(cache.evicted, 2) << "40 were free, 60 wanted";
  cache.items.clear();
}

TEST(MemoryBudget, EvictorsRunWithoutItsLock) {
  const auto budget = budget_of(100);
  Cache cache;
  cache.items.push_back(must(budget->reserve(request_of(100))));
  cache.on_evict = [&] {
    EXPECT_EQ(budget->snapshot().waiting.size(), 1U);
    std::jthread([&] { EXPECT_FALSE(budget->try_reserve(request_of(1))); }).join();
  };
  const auto registration = budget->register_evictor(EvictionOrder::keys, cache);
  EXPECT_TRUE(budget->reserve(request_of(50)));
}

TEST(MemoryBudget, ANewEvictorIsAskedForThoseWhoWait) {
  const auto budget = budget_of(100);
  Cache cache;
  cache.items.push_back(must(budget->reserve(request_of(90))));
  Waiting waiting(budget, request_of(50));
  ASSERT_TRUE(waiting_is(*budget, 1));
  const auto registration = budget->register_evictor(EvictionOrder::keys, cache);
  EXPECT_TRUE(waiting.outcome());
}

/// Evictable once the clock says so.
class IdleKey final : public Evictor {
 public:
  IdleKey(TimeSource& time, Reservation held, TimeSource::TimePoint idle_at)
      : time_(time), held_(std::move(held)), idle_at_(idle_at) {}

  std::string_view name() const noexcept override { return "key"; }
  Evictable evictable(const EvictionNeed&) override {
    ++asked;
    if (time_.now() < idle_at_) return {.bytes = 0, .more_at = idle_at_};
    return {.bytes = held_.bytes(), .more_at = {}};
  }
  std::uint64_t evict(const EvictionNeed&) override {
    const std::uint64_t bytes = held_.bytes();
    held_.release();
    return bytes;
  }
  std::atomic<int> asked = 0;

 private:
  TimeSource& time_;
  Reservation held_;
  TimeSource::TimePoint idle_at_;
};

// A key that is idle for a while becomes evictable though nobody gives anything back.
TEST(MemoryBudget, fault_A09_WakesWhenAKeyHasBeenIdleLongEnough) {
  FakeTime time;
  const auto budget = budget_of(100, 0, &time);
  IdleKey key(time, must(budget->reserve(request_of(90))), time.now() + seconds(300));
  const auto registration = budget->register_evictor(EvictionOrder::keys, key);
  Waiting waiting(budget, request_of(50));
  ASSERT_TRUE(eventually([&] { return key.asked > 0; }));
  time.advance(seconds(299));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(waiting.done());
  time.advance(seconds(1));
  ASSERT_TRUE(eventually([&] {
    time.notify();
    return waiting.done();
  }));
  EXPECT_TRUE(waiting.outcome());
}

TEST(MemoryBudget, ReconsiderWakesTheFirst) {
  const auto budget = budget_of(100);
  FakeTime time;
  IdleKey key(time, must(budget->reserve(request_of(90))), time.now() + seconds(1));
  const auto registration = budget->register_evictor(EvictionOrder::keys, key);
  Waiting waiting(budget, request_of(50));
  ASSERT_TRUE(eventually([&] { return key.asked > 0; }));
  time.advance(seconds(1));
  ASSERT_TRUE(eventually([&] {
    budget->reconsider();
    return waiting.done();
  }));
  EXPECT_TRUE(waiting.outcome());
}

/// Its first eviction takes long and frees nothing after all.
class Hesitating final : public Evictor {
 public:
  explicit Hesitating(Reservation held) : held_(std::move(held)) {}

  std::string_view name() const noexcept override { return "hesitating"; }
  Evictable evictable(const EvictionNeed&) override { return {.bytes = 90, .more_at = {}}; }
  std::uint64_t evict(const EvictionNeed&) override {
    if (++calls == 1) {
      EXPECT_TRUE(eventually([&] { return go_on.load(); }));
      return 0;
    }
    held_.release();
    return 90;
  }
  std::atomic<int> calls = 0;
  std::atomic<bool> go_on = false;

 private:
  Reservation held_;
};

TEST(MemoryBudget, WhoComesToTheFrontDuringAnEvictionEvictsThen) {
  const auto budget = budget_of(100);
  Hesitating evictor(must(budget->reserve(request_of(90))));
  const auto registration = budget->register_evictor(EvictionOrder::keys, evictor);
  Waiting normal(budget, request_of(50));
  ASSERT_TRUE(eventually([&] { return evictor.calls == 1; }));
  Waiting critical(budget, request_of(50, Priority::critical));
  ASSERT_TRUE(waiting_is(*budget, 2));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  evictor.go_on = true;
  EXPECT_TRUE(critical.outcome());
  EXPECT_TRUE(normal.outcome());
}

TEST(MemoryBudget, UnregisteringWaitsForTheCall) {
  const auto budget = budget_of(100);
  Cache cache;
  cache.items.push_back(must(budget->reserve(request_of(90))));
  std::atomic<bool> inside = false;
  std::atomic<bool> go_on = false;
  cache.on_evict = [&] {
    inside = true;
    EXPECT_TRUE(eventually([&] { return go_on.load(); }));
    inside = false;
  };
  auto registration = budget->register_evictor(EvictionOrder::keys, cache);
  Waiting waiting(budget, request_of(50));
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  std::jthread ender([&] {
    registration = {};
    EXPECT_FALSE(inside);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  go_on = true;
  EXPECT_TRUE(waiting.outcome());
}

TEST(MemoryBudget, AnyReservationMayBeMadeToFail) {
  const auto faults = std::make_shared<ScriptedFaults>(1);
  const auto budget = budget_of(100, 0, nullptr, faults);
  faults->fail_next(FaultSite::reserve, 2, 1);
  EXPECT_TRUE(budget->reserve(request_of(1)));
  const auto failed = budget->reserve(request_of(1));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Code::exhausted);
  EXPECT_THAT(failed.error().message(), HasSubstr("on purpose"));
  EXPECT_FALSE(budget->try_reserve(request_of(1)));
  EXPECT_TRUE(budget->reserve(request_of(1)));
  EXPECT_EQ(faults->failed(FaultSite::reserve), 2U);
  EXPECT_EQ(faults->asked(FaultSite::reserve), 4U);
  faults->set_rate(FaultSite::reserve, 0.5);
  int failures = 0;
  for (int i = 0; i < 1000; ++i) failures += budget->reserve(request_of(1)) ? 0 : 1;
  EXPECT_GT(failures, 400);
  EXPECT_LT(failures, 600);
  EXPECT_EQ(budget->snapshot().used, 0U);
}

// Whoever needs a key and a working set takes the key first, then the whole set at once: then a budget of one key and
// one set is enough for any number of jobs.
TEST(MemoryBudget, fault_A11_KeyAndOneWorkingSetAreEnough) {
  const auto budget = budget_of(100);
  const Reservation key = must(budget->reserve(request_of(60, Priority::normal, MemoryTag::key)));
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> jobs;
    for (int j = 0; j < 8; ++j) {
      jobs.emplace_back([&] {
        for (int partition = 0; partition < 10; ++partition) {
          Reservation set = must(budget->reserve(request_of(40)));
          Reservation abc = set.split(30);
          abc.release();
          ++done;
        }
      });
    }
  }
  EXPECT_EQ(done, 80);
}

}  // namespace
}  // namespace cuzk::memory
