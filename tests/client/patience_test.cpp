#include "client/patience.h"

#include <vector>

#include <gtest/gtest.h>

namespace cuzk::client {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Span = Patience::Span;

constexpr auto kNotTold = std::nullopt;

/// All rests, after calls that fail at once.
std::vector<Span> rests(Span span, double fraction) {
  Patience patience(span);
  std::vector<Span> all;
  while (const auto rest = patience.rest_after(Span::zero(), kNotTold, fraction)) all.push_back(*rest);
  return all;
}

TEST(Patience, RestsGrowToTheLongestAndTakeTheSpan) {
  const std::vector<Span> all = rests(seconds(10), 0.0);
  const std::vector<Span> expected = {milliseconds(100), milliseconds(200), milliseconds(400), milliseconds(800),
                                      seconds(1)};
  ASSERT_GT(all.size(), expected.size());
  EXPECT_EQ(std::vector(all.begin(), all.begin() + 5), expected);
  Span sum = Span::zero();
  for (const Span rest : all) {
    EXPECT_LE(rest, Patience::kLongestRest);
    sum += rest;
  }
  EXPECT_EQ(sum, seconds(10)) << "the last call is made at the end";
}

TEST(Patience, ClientsThatWereRefusedTogetherComeApart) {
  EXPECT_EQ(rests(hours(1), 0.0)[8], Patience::kLongestRest / 2);
  EXPECT_EQ(rests(hours(1), 0.75)[8], Patience::kLongestRest * 7 / 8);
  Patience patience(hours(1));
  EXPECT_EQ(patience.rest_after(Span::zero(), seconds(4), 0.0), Span(seconds(4)));
  EXPECT_EQ(patience.rest_after(Span::zero(), seconds(4), 0.5), Span(milliseconds(4500))) << "never too early";
}

TEST(Patience, WhatIsToldForLaterIsNotWaitedFor) {
  Patience patience(seconds(10));
  EXPECT_EQ(patience.rest_after(Span::zero(), seconds(11), 0.5), kNotTold);
  EXPECT_EQ(patience.rest_after(Span::zero(), seconds(9), 0.9), Span(seconds(10))) << "and not beyond the span";
  EXPECT_EQ(patience.rest_after(Span::zero(), kNotTold, 0.5), kNotTold);
}

TEST(Patience, CallsCountFromTheFirstRefusalOnAsLongAsConnectingTakes) {
  Patience patience(seconds(12));
  EXPECT_EQ(patience.rest_after(hours(1), seconds(1), 0.0), Span(seconds(1))) << "11 s are left";
  EXPECT_EQ(patience.rest_after(hours(1), seconds(2), 0.0), Span(seconds(2))) << "5 s for the call; 4 s are left";
  EXPECT_EQ(patience.rest_after(seconds(1), seconds(4), 0.0), kNotTold);
  EXPECT_EQ(patience.rest_after(seconds(4), kNotTold, 0.0), kNotTold);
}

TEST(Patience, WhoHasNoneIsToldAtOnce) {
  Patience patience{Span::zero()};
  EXPECT_EQ(patience.rest_after(Span::zero(), kNotTold, 0.5), kNotTold);
  EXPECT_EQ(patience.rest_after(Span::zero(), milliseconds(100), 0.5), kNotTold);
}

}  // namespace
}  // namespace cuzk::client
