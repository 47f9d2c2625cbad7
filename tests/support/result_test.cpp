#include "support/result.h"

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return fail(Code::invalid_argument, std::to_string(x) + " is odd");
  return x / 2;
}

Result<int> quarter(int x) {
  CUZK_TRY(const int once, half(x));
  CUZK_TRY(const int twice, half(once));  // two on one line must work
  return twice;
}

Status check_even(int x) {
  CUZK_CHECK_OK(half(x));
  return {};
}

TEST(Result, IsSmall) {
  static_assert(sizeof(Error) == sizeof(void*));
  static_assert(sizeof(Result<int>) == 2 * sizeof(void*));
  static_assert(!std::is_copy_constructible_v<Error>);
}

TEST(Result, TryPassesValuesAndErrors) {
  EXPECT_EQ(test::must(quarter(12)), 3);
  EXPECT_EQ(quarter(6).error().message(), "3 is odd");
  EXPECT_TRUE(check_even(4));
  EXPECT_EQ(check_even(5).error().code(), Code::invalid_argument);
}

TEST(Error, TextHasPlaceAndContexts) {
  const Error error = Error(Code::malformed, Kind::bad_count, "negative count")
                          .at({.file = {}, .section = "header", .offset = 12, .expected = ">= 0", .found = "-1"})
                          .at({.file = "outer", .section = {}, .offset = 0, .expected = {}, .found = {}})
                          .in_file("a.zkey")
                          .in_file("b.zkey")
                          .context("loading key x");
  EXPECT_EQ(error.to_string(), "negative count [a.zkey:header@12 expected >= 0 found -1]; loading key x");
  EXPECT_EQ(error.kind(), Kind::bad_count);
}

TEST(Error, AFileAloneIsAPlace) {
  const Error error = Error(Code::not_found, "missing").in_file("a.wtns");
  ASSERT_NE(error.where(), nullptr);
  EXPECT_EQ(error.where()->file, "a.wtns");
}

TEST(Error, WithoutAPlaceThereIsNone) { EXPECT_EQ(Error(Code::internal, "x").where(), nullptr); }

TEST(RequireDeathTest, EndsTheProgramWithTheCondition) {
  EXPECT_DEATH(CUZK_REQUIRE(1 + 1 == 3), "1 \\+ 1 == 3");
  CUZK_REQUIRE(1 + 1 == 2);
}

}  // namespace
}  // namespace cuzk
