#include "engine/turnover.h"

#include <gtest/gtest.h>

namespace cuzk::engine {
namespace {

using std::chrono::milliseconds;
constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(Turnover, IsTheMeanTimeBetweenTheLastEnds) {
  const std::uint64_t now = 1000 * kSecond;
  EXPECT_EQ(wait_for_an_end({now - 6 * kSecond}, 0, now), milliseconds(6000));
  EXPECT_EQ(wait_for_an_end({now - 6 * kSecond, now - 20 * kSecond}, 0, now), milliseconds(10'000));
  std::vector<std::uint64_t> ends = {kSecond};  // long ago
  for (std::uint64_t i = 1; i <= 16; ++i) ends.push_back(now - 2 * i * kSecond);
  EXPECT_EQ(wait_for_an_end(ends, 0, now), milliseconds(2000));
}

TEST(Turnover, IsAsLongAgainWhereNothingHasEnded) {
  EXPECT_EQ(wait_for_an_end({}, 10 * kSecond, 17 * kSecond), milliseconds(7000));
}

TEST(Turnover, HasBounds) {
  EXPECT_EQ(wait_for_an_end({5 * kSecond}, 0, 5 * kSecond), kShortestWait);
  EXPECT_EQ(wait_for_an_end({6 * kSecond}, 0, 5 * kSecond), kShortestWait);  // it ended while the time was taken
  EXPECT_EQ(wait_for_an_end({kSecond}, 0, 5000 * kSecond), kLongestWait);
}

}  // namespace
}  // namespace cuzk::engine
