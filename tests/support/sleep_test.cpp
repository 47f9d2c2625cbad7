#include "support/sleep.h"

#include <thread>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(Sleep, EndsWithItsSpan) {
  const std::stop_source source;
  for (const StopToken& token : {source.get_token(), StopToken()}) {  // the latter nobody can stop
    const Deadline end = Deadline::after(milliseconds(20));
    EXPECT_FALSE(stopped_within(milliseconds(20), token));
    EXPECT_TRUE(end.passed());
  }
  EXPECT_FALSE(stopped_within(hours(-1), source.get_token()));
}

TEST(Sleep, EndsWithAStop) {
  for (const nanoseconds span : {nanoseconds(hours(1000)), nanoseconds::max()}) {  // the latter has no end
    std::stop_source source;
    std::jthread sleeper([&] { EXPECT_TRUE(stopped_within(span, source.get_token())); });
    source.request_stop();
    sleeper.join();
    EXPECT_TRUE(stopped_within(span, source.get_token())) << "requested before";
  }
}

}  // namespace
}  // namespace cuzk
