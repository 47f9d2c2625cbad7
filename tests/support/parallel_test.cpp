#include "support/parallel.h"

#include <rapidcheck.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

struct ArenaKind {
  const char* name;
  Arena (*make)(unsigned threads);
};

class ParallelTest : public ::testing::TestWithParam<ArenaKind> {
 protected:
  static Arena arena(unsigned threads) { return GetParam().make(threads); }
};

TEST_P(ParallelTest, CoversEachIndexOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Arena workers = arena(threads);
    const bool holds = rc::check("chunks are disjoint and at most a grain long", [&] {
      const auto begin = *rc::gen::inRange<std::size_t>(0, 50);
      const auto size = *rc::gen::inRange<std::size_t>(0, 3000);
      const auto grain = *rc::gen::inRange<std::size_t>(0, 700);
      std::vector<std::atomic<int>> hits(size);
      std::atomic<bool> chunk_sizes_ok = true;
      parallel_for(workers, begin, begin + size, grain, [&](std::size_t from, std::size_t to) {
        if (from >= to || to - from > std::max<std::size_t>(grain, 1)) chunk_sizes_ok = false;
        for (std::size_t i = from; i < to; ++i) ++hits[i - begin];
      });
      RC_ASSERT(chunk_sizes_ok.load());
      RC_ASSERT(std::all_of(hits.begin(), hits.end(), [](const auto& n) { return n == 1; }));
    });
    EXPECT_TRUE(holds);
  }
}

TEST_P(ParallelTest, AnEmptyRangeCallsNothing) {
  Arena workers = arena(2);
  bool called = false;
  const auto note = [&](std::size_t, std::size_t) { called = true; };
  parallel_for(workers, 5, 5, 1, note);
  parallel_for(workers, 6, 5, 1, note);
  parallel_tasks(workers, 0, [&](std::size_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST_P(ParallelTest, WritesAreVisibleToTheCaller) {
  Arena workers = arena(4);
  std::vector<std::uint64_t> squares(10'000);  // not atomic: a race shows under the thread sanitizer
  parallel_for(workers, 0, squares.size(), 64, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) squares[i] = i * i;
  });
  for (std::size_t i = 0; i < squares.size(); ++i) ASSERT_EQ(squares[i], i * i);
}

TEST_P(ParallelTest, OneThreadRunsInlineAndInOrder) {
  Arena single = arena(1);
  EXPECT_EQ(single.concurrency(), 1U);
  const auto caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  parallel_for(single, 0, 10, 4, [&](std::size_t from, std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(from);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 4, 8}));
}

TEST_P(ParallelTest, LoopsInsideLoopsEnd) {
  Arena workers = arena(3);
  constexpr std::size_t kOuter = 20;
  constexpr std::size_t kInner = 500;
  std::vector<std::uint64_t> sums(kOuter);
  parallel_tasks(workers, kOuter, [&](std::size_t i) {
    std::atomic<std::uint64_t> sum = 0;
    parallel_for(workers, 0, kInner, 10, [&](std::size_t from, std::size_t to) {
      parallel_tasks(workers, to - from, [&](std::size_t j) { sum += i + from + j; });
    });
    sums[i] = sum;
  });
  for (std::size_t i = 0; i < kOuter; ++i) EXPECT_EQ(sums[i], kInner * i + kInner * (kInner - 1) / 2);
}

TEST_P(ParallelTest, SeveralThreadsMayUseOneArena) {
  Arena workers = arena(3);
  std::atomic<std::uint64_t> sum = 0;
  {
    std::vector<std::jthread> callers;
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&] {
        for (int round = 0; round < 20; ++round) parallel_tasks(workers, 100, [&](std::size_t i) { sum += i; });
      });
    }
  }
  EXPECT_EQ(sum, 4U * 20U * 4950U);
}

TEST_P(ParallelTest, AnArenaCanBeMoved) {
  Arena first = arena(2);
  Arena second = std::move(first);
  EXPECT_EQ(second.concurrency(), 2U);
  std::atomic<int> calls = 0;
  parallel_tasks(second, 8, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 8);
}

TEST_P(ParallelTest, ZeroThreadsMeansAll) { EXPECT_GE(arena(0).concurrency(), 1U); }

INSTANTIATE_TEST_SUITE_P(Engines, ParallelTest,
                         ::testing::Values(ArenaKind{"build", [](unsigned n) { return Arena(n); }},
                                           ArenaKind{"threads", Arena::on_threads}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(ParallelThreads, AllThreadsTakePart) {
  constexpr unsigned kThreads = 4;
  Arena workers = Arena::on_threads(kThreads);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<unsigned> arrived = 0;
  // Each of the first chunks waits for the others: that can only end when four threads hold one each.
  parallel_tasks(workers, kThreads, [&](std::size_t) {
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    ++arrived;
    while (arrived < kThreads) std::this_thread::yield();
  });
  EXPECT_EQ(seen.size(), kThreads);
}

}  // namespace
}  // namespace cuzk
