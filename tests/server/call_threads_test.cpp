#include "server/call_threads.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/eventually.h"

namespace cuzk::server {
namespace {

TEST(CallThreads, RunUpToTheLimitAtOnceAndRefuseMore) {
  std::atomic<int> ran = 0;
  std::latch all_run(3);
  std::latch may_end(1);
  {
    CallThreads threads("test", 3);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(threads.start([&] {
        all_run.count_down();
        may_end.wait();
        ++ran;
      }));
    }
    all_run.wait();
    EXPECT_FALSE(threads.start([&] { ++ran; }));
    may_end.count_down();
    while (!threads.start([&] { ++ran; })) std::this_thread::yield();
  }
  EXPECT_EQ(ran, 4);
}

TEST(CallThreads, ThreadsAreUsedAgain) {
  std::atomic<int> ran = 0;
  {
    CallThreads threads("test", 2);
    for (int i = 0; i < 200; ++i) {
      while (!threads.start([&] { ++ran; })) std::this_thread::yield();
    }
  }
  EXPECT_EQ(ran, 200);
}

int threads_named(const std::string& name) {
  int found = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "comm");
    std::string line;
    if (std::getline(in, line) && line == name) ++found;
  }
  return found;
}

TEST(CallThreads, EndWhenThereIsNothingToDo) {
  CallThreads threads("test-idle", 8, std::chrono::milliseconds(1));
  for (int round = 0; round < 3; ++round) {
    const auto all_run = std::make_shared<std::latch>(8);  // the last one may leave it after us
    for (int i = 0; i < 8; ++i)
      EXPECT_TRUE(test::eventually([&] { return threads.start([all_run] { all_run->arrive_and_wait(); }); }));
    all_run->wait();
    EXPECT_TRUE(test::eventually([] { return threads_named("test-idle") == 0; }));
  }
}

}  // namespace
}  // namespace cuzk::server
