#include "support/stop.h"

#include <gtest/gtest.h>

namespace cuzk {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

TEST(Stop, ReportsARequest) {
  std::stop_source source;
  EXPECT_TRUE(check_stop(source.get_token(), "proving"));
  EXPECT_TRUE(check_stop(StopToken(), "proving"));
  source.request_stop();
  const Status status = check_stop(source.get_token(), "proving");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::cancelled);
  EXPECT_EQ(status.error().message(), "proving was cancelled");
}

TEST(Deadline, NeverDoesNotPass) {
  EXPECT_TRUE(Deadline::never().is_never());
  EXPECT_TRUE(Deadline::never().check("x"));
  EXPECT_TRUE(Deadline::after(nanoseconds::max()).is_never()) << "no wrap-around";
}

TEST(Deadline, PassesWithTheClock) {
  EXPECT_FALSE(Deadline::after(hours(1)).passed());
  EXPECT_TRUE(Deadline::after(hours(-1)).passed());
  EXPECT_TRUE(Deadline::after(nanoseconds::min()).passed());
  const auto now = Deadline::Clock::now();
  EXPECT_TRUE(Deadline::at(now).passed());
  EXPECT_EQ(Deadline::at(now).when(), now);
  const Status status = Deadline::at(now).check("the wait for a key");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::deadline);
}

}  // namespace
}  // namespace cuzk
