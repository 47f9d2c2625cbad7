#include "support/error_codes.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

constexpr int kCodes = static_cast<int>(Code::internal) + 1;
constexpr int kKinds = static_cast<int>(Kind::apex_leaf_mismatch) + 1;

TEST(ErrorCodes, EachCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int i = 0; i < kCodes; ++i) names.insert(to_string(static_cast<Code>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kCodes));
  EXPECT_FALSE(names.contains(""));
}

TEST(ErrorCodes, EachKindHasItsOwnName) {
  std::set<std::string_view> names;
  for (int i = 1; i < kKinds; ++i) names.insert(to_string(static_cast<Kind>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kKinds - 1));
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(to_string(Kind::none), "");
}

TEST(ErrorCodes, ExitStatusFollowsTheTable) {
  EXPECT_EQ(exit_status(Code::unsatisfied), 1);
  EXPECT_EQ(exit_status(Code::invalid_argument), 2);
  EXPECT_EQ(exit_status(Code::malformed), 3);
  EXPECT_EQ(exit_status(Code::not_found), 3);
  EXPECT_EQ(exit_status(Code::exhausted), 4);
  EXPECT_EQ(exit_status(Code::cancelled), 4);
  EXPECT_EQ(exit_status(Code::conflict), 4);
  EXPECT_EQ(exit_status(Code::internal), 5);
  for (int i = 0; i < kCodes; ++i) EXPECT_NE(exit_status(static_cast<Code>(i)), 0);
}

}  // namespace
}  // namespace cuzk
