#include "engine/resident_cache.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/eventually.h"
#include "tests/support/must.h"

namespace cuzk::engine {
namespace {

using cuzk::test::eventually;
using cuzk::test::must;
using memory::Priority;
using namespace std::chrono_literals;

class ResidentCacheTest : public testing::Test {
 protected:
  static std::shared_ptr<memory::MemoryBudget> make_budget(std::uint64_t bytes) {
    memory::BudgetOptions options;
    options.total_bytes = bytes;
    return must(memory::MemoryBudget::create(std::move(options)));
  }

  KeyCache::Request request(const std::string& circuit, Priority priority = Priority::normal) const {
    return {.name = {circuit, 0}, .bytes = 100, .priority = priority};
  }
  KeyCache::Load load() {
    return [this](const StopToken&) -> Result<KeyCache::Value> {
      ++loads;
      return std::make_shared<const ResidentKey>();
    };
  }

  std::atomic<int> loads = 0;
  std::shared_ptr<memory::MemoryBudget> budget = make_budget(250);
  KeyCache cache{budget, memory::MemoryTag::key, memory::EvictionOrder::keys, 0ms};
};

TEST_F(ResidentCacheTest, LoadsOnceAndFindsIt) {
  EXPECT_FALSE(cache.find({"a", 0}));
  const auto first = must(cache.get(request("a"), load()));
  const auto second = must(cache.get(request("a"), load()));
  EXPECT_EQ(first.value(), second.value());
  EXPECT_EQ(loads, 1);
  EXPECT_TRUE(cache.find({"a", 0}));
  EXPECT_FALSE(cache.find({"a", 1}));
  EXPECT_EQ(budget->snapshot().reserved, 100u);
}

TEST_F(ResidentCacheTest, FailuresLeaveNothingBehind) {
  const auto failing = [](const StopToken&) -> Result<KeyCache::Value> {
    return fail(Code::malformed, Kind::truncated, "cut");
  };
  const auto failed = cache.get(request("a"), failing);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind(), Kind::truncated);
  EXPECT_EQ(budget->snapshot().reserved, 0u);
  EXPECT_TRUE(cache.snapshot().empty());
  EXPECT_TRUE(cache.get(request("a"), load()));
}

TEST_F(ResidentCacheTest, TheLongestIdleGoesFirstAndNoneInUse) {
  static_cast<void>(must(cache.get(request("a"), load())));
  static_cast<void>(must(cache.get(request("b"), load())));
  static_cast<void>(must(cache.get(request("c"), load())));
  EXPECT_FALSE(cache.find({"a", 0}));
  const auto b = cache.find({"b", 0});
  EXPECT_TRUE(b);
  static_cast<void>(must(cache.get(request("d"), load())));
  EXPECT_TRUE(cache.find({"b", 0}));
  EXPECT_FALSE(cache.find({"c", 0}));
  EXPECT_LE(budget->snapshot().used_peak, 250u);
}

TEST_F(ResidentCacheTest, fault_A30_what_is_dropped_gives_back_what_it_held) {
  auto used = must(cache.get(request("a"), load()));
  const auto dropped = cache.drop("a");
  EXPECT_TRUE(dropped.was_loaded);
  EXPECT_EQ(dropped.bytes, 0u);  // with its last user
  EXPECT_EQ(budget->snapshot().reserved, 100u);
  EXPECT_FALSE(cache.find({"a", 0}));
  used.release();
  EXPECT_EQ(budget->snapshot().reserved, 0u);
  static_cast<void>(must(cache.get(request("a"), load())));
  EXPECT_EQ(cache.drop("a").bytes, 100u);
  EXPECT_EQ(budget->snapshot().reserved, 0u);
}

TEST_F(ResidentCacheTest, AMoreUrgentCallerTakesOverTheWaitForMemory) {
  auto held = must(budget->reserve({.bytes = 200, .owner = "test"}));
  auto low = must(budget->reserve({.bytes = 10, .owner = "test"}));
  const auto waits = [&](Priority priority) {
    const auto waiting = budget->snapshot().waiting;
    return waiting.size() == 1 && waiting[0].priority == priority;
  };
  std::jthread patient([&] { EXPECT_TRUE(cache.get(request("a", Priority::low), load())); });
  EXPECT_TRUE(eventually([&] { return waits(Priority::low); }));
  std::jthread urgent([&] { EXPECT_TRUE(cache.get(request("a", Priority::critical), load())); });
  EXPECT_TRUE(eventually([&] { return waits(Priority::critical); }));
  held.release();
  patient.join();
  urgent.join();
  EXPECT_EQ(loads, 1);
}

TEST_F(ResidentCacheTest, AStopEndsTheWaitAndAnotherOneLoads) {
  auto held = must(budget->reserve({.bytes = 200, .owner = "test"}));
  std::stop_source stop;
  std::jthread stopped([&] {
    auto wanted = request("a");
    wanted.stop = stop.get_token();
    const auto result = cache.get(wanted, load());
    EXPECT_EQ(result.error().code(), Code::cancelled);
  });
  EXPECT_TRUE(eventually([&] { return !budget->snapshot().waiting.empty(); }));
  std::jthread other([&] { EXPECT_TRUE(cache.get(request("a"), load())); });
  std::this_thread::sleep_for(10ms);
  stop.request_stop();
  stopped.join();
  held.release();
  other.join();
  EXPECT_EQ(loads, 1);
}

/// A load that waits until it may go on, or is stopped.
class HeldLoad {
 public:
  KeyCache::Load load() {
    return [this](const StopToken& stop) -> Result<KeyCache::Value> {
      ++begun;
      MutexLock lock(mutex_);
      changed_.wait(lock, stop, [&] { return may_end_; });
      CUZK_CHECK_OK(check_stop(stop, "loading"));
      return std::make_shared<const ResidentKey>();
    };
  }
  void release() {
    const MutexLock lock(mutex_);
    may_end_ = true;
    changed_.notify_all();
  }

  std::atomic<int> begun = 0;

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool may_end_ = false;
};

TEST_F(ResidentCacheTest, ALoadGoesOnForOthersWhenTheFirstHasGone) {
  HeldLoad held;
  std::stop_source first_stop;
  std::jthread first([&] {
    auto wanted = request("a");
    wanted.stop = first_stop.get_token();
    static_cast<void>(cache.get(wanted, held.load()));
  });
  EXPECT_TRUE(eventually([&] { return held.begun == 1; }));
  // One waits for it here, another one where the cache does not see him wait.
  std::optional<KeyCache::Wish> wish(std::in_place, cache, ResidentName{"a", 0}, StopToken());
  std::stop_source second_stop;
  std::jthread second([&] {
    auto wanted = request("a");
    wanted.stop = second_stop.get_token();
    EXPECT_EQ(cache.get(wanted, held.load()).error().code(), Code::cancelled);
  });
  first_stop.request_stop();
  second_stop.request_stop();
  second.join();
  held.release();
  EXPECT_TRUE(eventually([&] { return cache.has({"a", 0}); }));
  EXPECT_EQ(held.begun, 1);
}

TEST_F(ResidentCacheTest, ALoadEndsWhenNobodyWantsItAnyMore) {
  HeldLoad held;
  std::stop_source first_stop, second_stop, wish_stop;
  const auto get = [&](std::stop_source& stop) {
    auto wanted = request("a");
    wanted.stop = stop.get_token();
    EXPECT_EQ(cache.get(wanted, held.load()).error().code(), Code::cancelled);
  };
  std::jthread first([&] { get(first_stop); });
  EXPECT_TRUE(eventually([&] { return held.begun == 1; }));
  std::jthread second([&] { get(second_stop); });
  const KeyCache::Wish wish(cache, {"a", 0}, wish_stop.get_token());
  first_stop.request_stop();
  second_stop.request_stop();
  second.join();
  wish_stop.request_stop();
  first.join();  // else it waits for ever
  EXPECT_EQ(held.begun, 1);
  EXPECT_TRUE(cache.snapshot().empty());
  EXPECT_EQ(budget->snapshot().reserved, 0U);
  EXPECT_TRUE(cache.get(request("a"), load()));
}

TEST_F(ResidentCacheTest, ManyThreadsAndAFullBudget) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string circuit(1, static_cast<char>('a' + (t + i) % 4));
        const auto use = cache.get(request(circuit, t == 0 ? Priority::critical : Priority::normal), load());
        ASSERT_TRUE(use) << use.error().to_string();
        ASSERT_NE(use->value(), nullptr);
      }
    });
  }
  threads.clear();
  const auto memory = budget->snapshot();
  EXPECT_LE(memory.used_peak, memory.total);
  EXPECT_EQ(memory.reserved, 100 * cache.snapshot().size());
}

TEST_F(ResidentCacheTest, TellsHowLongWhatIsIdleIsKept) {
  KeyCache keeping{budget, memory::MemoryTag::key, memory::EvictionOrder::keys, 1h};
  auto use = must(keeping.get(request("a"), load()));
  EXPECT_EQ(keeping.snapshot().at(0).kept_ns, 0U) << "it is used";
  use.release();
  const ResidentSnapshot idle = keeping.snapshot().at(0);
  EXPECT_EQ(idle.idle_ns + idle.kept_ns, static_cast<std::uint64_t>(std::chrono::nanoseconds(1h).count()));
  must(cache.get(request("a"), load())).release();
  EXPECT_EQ(cache.snapshot().at(0).kept_ns, 0U) << "others may have its place at once";
}

}  // namespace
}  // namespace cuzk::engine
