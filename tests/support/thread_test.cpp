#include "support/thread.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <string>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

TEST(Thread, CarriesTheBeginningOfItsName) {
  std::string name;
  named_thread("cuzk-dev0-submitter", [&](const StopToken&) {
    std::array<char, 16> text{};
    ::pthread_getname_np(::pthread_self(), text.data(), text.size());
    name = text.data();
  }).join();
  EXPECT_EQ(name, "cuzk-dev0-submi");
}

TEST(Thread, IsStoppedAndWaitedForAtItsEnd) {
  std::atomic<bool> seen = false;
  {
    const auto thread = named_thread("cuzk-test", [&](const StopToken& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      seen = true;
    });
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace cuzk
