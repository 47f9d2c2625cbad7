#include "support/function_ref.h"

#include <memory>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

int twice(int x) { return 2 * x; }
int apply(FunctionRef<int(int)> f, int x) { return f(x); }

struct Counter {
  int calls = 0;
  int operator()(int x) {
    ++calls;
    return x;
  }
};

struct Constant {
  int operator()(int) const { return 5; }
};

TEST(FunctionRef, CallsFunctionsLambdasAndObjects) {
  EXPECT_EQ(apply(twice, 4), 8);
  EXPECT_EQ(apply(&twice, 4), 8);
  const int offset = 3;
  EXPECT_EQ(apply([&](int x) { return x + offset; }, 4), 7);
  Counter counter;
  EXPECT_EQ(apply(counter, 9), 9);
  EXPECT_EQ(counter.calls, 1) << "the object itself is called, no copy";
  EXPECT_EQ(apply(Constant{}, 0), 5);
  const Constant constant;
  EXPECT_EQ(apply(constant, 0), 5);
}

TEST(FunctionRef, PassesReferencesAndMoveOnlyValues) {
  const auto add = [](int& to, std::unique_ptr<int> what) { to += *what; };
  const FunctionRef<void(int&, std::unique_ptr<int>)> f(add);
  int sum = 1;
  f(sum, std::make_unique<int>(2));
  EXPECT_EQ(sum, 3);
}

TEST(FunctionRef, IsTwoWordsAndTakesOnlyWhatFits) {
  static_assert(sizeof(FunctionRef<void()>) == 2 * sizeof(void*));
  static_assert(std::is_trivially_copyable_v<FunctionRef<void()>>);
  static_assert(!std::is_constructible_v<FunctionRef<int(int)>, void (*)()>);
}

}  // namespace
}  // namespace cuzk
