#include "server/duration.h"

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::server {
namespace {

using std::chrono::milliseconds;
using test::must;

TEST(Duration, HasUnits) {
  EXPECT_EQ(must(parse_duration("500ms")), milliseconds(500));
  EXPECT_EQ(must(parse_duration("30s")), milliseconds(30'000));
  EXPECT_EQ(must(parse_duration("90")), milliseconds(90'000));
  EXPECT_EQ(must(parse_duration("5m")), milliseconds(300'000));
  EXPECT_EQ(must(parse_duration("2h")), milliseconds(7'200'000));
  EXPECT_EQ(must(parse_duration("0")), milliseconds(0));
}

TEST(Duration, WhatIsNoneIsRefusedAndQuoted) {
  for (const char* text : {"", "m", "5d", "1.5h", "-1s", "5 m", "5mm", "999999999999h", "99999999999999999999s"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), Code::invalid_argument);
    EXPECT_NE(parsed.error().message().find('"' + std::string(text) + '"'), std::string::npos) << text;
  }
}

TEST(Duration, IsWrittenInTheLargestExactUnit) {
  for (const char* text : {"1ms", "1500ms", "2s", "90s", "5m", "2h", "168h", "0s"}) {
    EXPECT_EQ(format_duration(must(parse_duration(text))), text);
  }
}

}  // namespace
}  // namespace cuzk::server
