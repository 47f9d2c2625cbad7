#include "curve/pairing.h"

#include <gtest/gtest.h>

#include "tests/curve/samples.h"

namespace cuzk {
namespace {

template <class T> struct PairingTest : testing::Test {
  test::Samples samples{4};

  typename T::G1Affine g1() { return test::random_member<test::G1Of<T>>(samples); }
  typename T::G2Affine g2() { return test::random_member<test::G2Of<T>>(samples); }
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(PairingTest, Curves);

template <class A> A times(const A& p, const U256& k) {
  return Point<typename A::Field>::from_affine(p).times(k).to_affine();
}

TYPED_TEST(PairingTest, IsBilinear) {
  using C = TypeParam;
  for (int i = 0; i < 3; ++i) {
    const auto p = this->g1();
    const auto q = this->g2();
    const U256 a = this->samples.scalar();
    const U256 b = this->samples.scalar();
    const Gt<C> e = pairing<C>(p, q);
    EXPECT_EQ(pairing<C>(times(p, a), q), gt_power<C>(e, a));
    EXPECT_EQ(pairing<C>(p, times(q, b)), gt_power<C>(e, b));
    EXPECT_EQ(pairing<C>(times(p, a), times(q, b)), pairing<C>(times(p, b), times(q, a)));
  }
}

TYPED_TEST(PairingTest, IsNotDegenerateAndHasOrderR) {
  using C = TypeParam;
  const Gt<C> e = pairing<C>(g1_generator<C>(), g2_generator<C>());
  EXPECT_FALSE(e.is_one());
  EXPECT_TRUE(gt_power<C>(e, C::Fr::modulus).is_one());
  EXPECT_FALSE(gt_power<C>(e, FpConstants<typename C::Fr::Params>::p_minus_1).is_one());
  EXPECT_EQ(gt_power<C>(e, FpConstants<typename C::Fr::Params>::p_minus_1), e.conjugate());
}

}  // namespace
}  // namespace cuzk
