// Laws of a field, for any type with the operators of field/fp.h (prime fields, towers).
//
// A suite is a traits type T:
//   T::Element                          the field's elements
//   T::sample(std::mt19937_64&)         an element, edges included
//   T::reason_to_skip()                 nullptr, or why this machine cannot run it
#pragma once

#include <random>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"

namespace cuzk::test {

template <class T> class FieldLaws : public testing::Test {
 protected:
  static constexpr int kRounds = 500;

  void SetUp() override {
    if (const char* reason = T::reason_to_skip()) GTEST_SKIP() << reason;
  }
  typename T::Element sample() { return T::sample(random_); }

  std::mt19937_64 random_{run_seed()};
};

TYPED_TEST_SUITE_P(FieldLaws);

TYPED_TEST_P(FieldLaws, AdditionIsAnAbelianGroup) {
  using F = typename TypeParam::Element;
  for (int i = 0; i < this->kRounds; ++i) {
    const F a = this->sample(), b = this->sample(), c = this->sample();
    ASSERT_EQ(a + b, b + a);
    ASSERT_EQ((a + b) + c, a + (b + c));
    ASSERT_EQ(a + F::zero(), a);
    ASSERT_EQ(a + (-a), F::zero());
    ASSERT_EQ(a - b, a + (-b));
    ASSERT_EQ((a - b) + b, a);
    ASSERT_EQ(a.doubled(), a + a);
    ASSERT_EQ(-(-a), a);
  }
}

TYPED_TEST_P(FieldLaws, MultiplicationIsCommutativeAssociativeDistributive) {
  using F = typename TypeParam::Element;
  for (int i = 0; i < this->kRounds; ++i) {
    const F a = this->sample(), b = this->sample(), c = this->sample();
    ASSERT_EQ(a * b, b * a);
    ASSERT_EQ((a * b) * c, a * (b * c));
    ASSERT_EQ(a * (b + c), a * b + a * c);
    ASSERT_EQ(a * (b - c), a * b - a * c);
    ASSERT_EQ(a * F::one(), a);
    ASSERT_EQ(a * F::zero(), F::zero());
    ASSERT_EQ(a * (-b), -(a * b));
    ASSERT_EQ(a.squared(), a * a);
  }
}

TYPED_TEST_P(FieldLaws, EveryElementButZeroHasAnInverse) {
  using F = typename TypeParam::Element;
  EXPECT_EQ(F::zero().inverse(), F::zero());
  EXPECT_EQ(F::one().inverse(), F::one());
  EXPECT_EQ((-F::one()).inverse(), -F::one());
  for (int i = 0; i < this->kRounds; ++i) {
    const F a = this->sample(), b = this->sample();
    if (a.is_zero() || b.is_zero()) continue;
    ASSERT_EQ(a * a.inverse(), F::one());
    ASSERT_EQ(a.inverse().inverse(), a);
    ASSERT_EQ((a * b).inverse(), a.inverse() * b.inverse());
  }
}

TYPED_TEST_P(FieldLaws, CompoundAssignmentsAndAliases) {
  using F = typename TypeParam::Element;
  for (int i = 0; i < this->kRounds; ++i) {
    const F a = this->sample(), b = this->sample();
    F x = a;
    ASSERT_EQ(x += b, a + b);
    ASSERT_EQ(x -= b, a);
    ASSERT_EQ(x *= b, a * b);
    ASSERT_EQ(x *= x, (a * b).squared());
    ASSERT_EQ(x += x, (a * b).squared().doubled());
    ASSERT_EQ(x -= x, F::zero());
  }
}

TYPED_TEST_P(FieldLaws, PredicatesOfZeroAndOne) {
  using F = typename TypeParam::Element;
  EXPECT_TRUE(F::zero().is_zero());
  EXPECT_TRUE(F{}.is_zero());
  EXPECT_TRUE(F::one().is_one());
  EXPECT_FALSE(F::one().is_zero());
  EXPECT_FALSE(F::zero().is_one());
  EXPECT_TRUE((-F::zero()).is_zero());
  for (int i = 0; i < this->kRounds; ++i) {
    const F a = this->sample(), b = this->sample();
    ASSERT_EQ(a.is_zero(), a == F::zero());
    ASSERT_EQ(a.is_one(), a == F::one());
    ASSERT_EQ((a * b).is_zero(), a.is_zero() || b.is_zero());
  }
}

REGISTER_TYPED_TEST_SUITE_P(FieldLaws, AdditionIsAnAbelianGroup, MultiplicationIsCommutativeAssociativeDistributive,
                            EveryElementButZeroHasAnInverse, CompoundAssignmentsAndAliases, PredicatesOfZeroAndOne);

}  // namespace cuzk::test
