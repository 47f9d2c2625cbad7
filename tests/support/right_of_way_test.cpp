#include "support/right_of_way.h"

#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/mutex.h"

namespace cuzk {
namespace {

using namespace std::chrono_literals;

/// What happened, in order.
class Story {
 public:
  void add(char what) {
    const MutexLock lock(mutex_);
    text_ += what;
  }
  std::string text() const {
    const MutexLock lock(mutex_);
    return text_;
  }

 private:
  mutable Mutex mutex_;
  std::string text_;
};

/// A loop of `chunks` chunks on the ordinary arena, by a thread of its own, which waits in the first one.
class OrdinaryLoop {
 public:
  OrdinaryLoop(SharedCores& cores, std::size_t chunks, Story& story)
      : thread_([this, &cores, chunks, &story] {
          parallel_tasks(cores.ordinary(), chunks, [&](std::size_t) {
            story.add('o');
            if (!first_.exchange(false)) return;
            in_first_.count_down();
            may_go_on_.wait();
          });
        }) {}

  void wait_until_it_runs() { in_first_.wait(); }
  void go_on() { may_go_on_.count_down(); }
  void join() { thread_.join(); }

 private:
  std::atomic<bool> first_ = true;
  std::latch in_first_{1}, may_go_on_{1};
  std::jthread thread_;
};

TEST(RightOfWay, OrdinaryLoopsPauseBetweenChunks) {
  SharedCores cores(1, 1h);
  Story story;
  OrdinaryLoop ordinary(cores, 3, story);
  ordinary.wait_until_it_runs();
  {
    const RightOfWay way(cores.urgent());
    ordinary.go_on();
    parallel_tasks(cores.urgent(), 5, [&](std::size_t) {
      std::this_thread::sleep_for(5ms);  // in which an ordinary chunk would run, if it did not pause
      story.add('u');
    });
  }
  ordinary.join();
  EXPECT_EQ(story.text(), "ouuuuuoo");
}

TEST(RightOfWay, LoopsOfOneChunkPauseToo) {
  SharedCores cores(2, 1h);
  std::atomic<bool> held = true;
  std::jthread ordinary;
  {
    const RightOfWay way(cores.urgent());
    ordinary = std::jthread([&] { parallel_tasks(cores.ordinary(), 1, [&](std::size_t) { EXPECT_FALSE(held); }); });
    std::this_thread::sleep_for(20ms);  // as above
    held = false;
  }
}

// A flag in the place of a count is taken down by the first of two who leaves.
TEST(RightOfWay, fault_B20_SeveralHoldItAtOnce) {
  SharedCores cores(1, 1h);
  std::atomic<bool> held = true;
  std::jthread ordinary;
  auto first = std::make_unique<const RightOfWay>(cores.urgent());
  {
    const RightOfWay second(cores.urgent());
    ordinary = std::jthread([&] { parallel_tasks(cores.ordinary(), 2, [&](std::size_t) { EXPECT_FALSE(held); }); });
  }
  held = false;
  first.reset();
}

TEST(RightOfWay, NobodyStarves) {
  SharedCores cores(2, 1ms);
  const RightOfWay way(cores.urgent());
  std::atomic<int> chunks = 0;
  std::jthread ordinary([&] { parallel_tasks(cores.ordinary(), 20, [&](std::size_t) { ++chunks; }); });
  ordinary.join();
  EXPECT_EQ(chunks, 20);
}

TEST(RightOfWay, WhoHoldsItDoesNotPause) {
  SharedCores cores(1, 1h);
  const RightOfWay way(cores.urgent());
  std::atomic<int> chunks = 0;
  parallel_tasks(cores.ordinary(), 20, [&](std::size_t) { ++chunks; });
  EXPECT_EQ(chunks, 20);
}

TEST(RightOfWay, OtherArenasHaveNone) {
  SharedCores cores(1, 1h);
  Arena other(2);
  const RightOfWay of_other(other);
  const RightOfWay of_ordinary(cores.ordinary());
  std::atomic<int> chunks = 0;
  std::jthread ordinary([&] { parallel_tasks(cores.ordinary(), 20, [&](std::size_t) { ++chunks; }); });
  ordinary.join();
  EXPECT_EQ(chunks, 20);
}

// Loops inside loops, on both arenas at once: all end, and each chunk runs once.
TEST(RightOfWay, ManyLoopsOfBothKinds) {
  SharedCores cores(3, 1ms);
  std::atomic<int> sum = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, is_urgent = t % 3 == 0] {
        Arena& arena = is_urgent ? cores.urgent() : cores.ordinary();
        for (int i = 0; i < 20; ++i) {
          const RightOfWay way(arena);
          parallel_tasks(arena, 5, [&](std::size_t) { parallel_tasks(arena, 4, [&](std::size_t) { ++sum; }); });
        }
      });
    }
  }
  EXPECT_EQ(sum, 6 * 20 * 5 * 4);
}

}  // namespace
}  // namespace cuzk
