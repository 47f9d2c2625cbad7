#include "support/mutex.h"

#include <condition_variable>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

TEST(Mutex, KeepsThreadsApart) {
  Mutex mutex;
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          const MutexLock lock(mutex);
          ++count;
        }
      });
    }
  }
  EXPECT_EQ(count, 4000);
}

TEST(Mutex, ALockCanWait) {
  Mutex mutex;
  std::condition_variable_any ready;
  bool set = false;
  const std::jthread setter([&] {
    const MutexLock lock(mutex);
    set = true;
    ready.notify_one();
  });
  MutexLock lock(mutex);
  ready.wait(lock, [&] { return set; });
  EXPECT_TRUE(set);
  lock.unlock();  // released early: the destructor must not release again
}

}  // namespace
}  // namespace cuzk
