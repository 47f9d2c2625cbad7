// Lazy steps against plain field arithmetic, on random and extreme values.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "curve/lazy_impl.h"
#include "tests/curve/samples.h"

namespace cuzk::affine_detail {
namespace {

template <class F> class LazyTest : public testing::Test {
 protected:
  /// Reduced values; 0, 1, p - 1 and p / 2 are among them.
  std::vector<F> values() {
    test::Samples samples(31);
    std::vector<F> v{F::zero(), F::one(), -F::one(), F::from_montgomery(F::modulus.shifted_right(1))};
    auto top = F::modulus;
    top.sub(decltype(top)::from_u64(1));
    v.push_back(F::from_montgomery(top));
    while (v.size() < 40) v.push_back(samples.element<F>());
    return v;
  }
  static F reduced(F lazy) { return lazy * F::one(); }
};
using Fields = testing::Types<Fp<Bn254FqParams, Portable>, Fp<Bn254FqParams, Adx>, Fp<Bls12_381FqParams, Portable>,
                              Fp<Bls12_381FqParams, Adx>>;
TYPED_TEST_SUITE(LazyTest, Fields);

template <class F> constexpr bool kNeedsAdx = std::is_same_v<F, Fp<typename F::Params, Adx>>;
template <class F> bool runs_here() { return !kNeedsAdx<F> || (cpu_features().adx && cpu_features().bmi2); }

TYPED_TEST(LazyTest, LazyFactorsGiveTheRightProducts) {
  using F = TypeParam;
  if (!runs_here<F>()) GTEST_SKIP() << "this processor has no ADX";
  const auto v = this->values();
  for (const F& a : v)
    for (const F& b : v) {
      const F difference = lazy_difference(a, b), other = lazy_difference(b, a);
      EXPECT_EQ(this->reduced(difference), a - b);
      EXPECT_EQ(this->reduced(lazy_product(difference, other)), (a - b) * (b - a));
      EXPECT_EQ(this->reduced(lazy_product(lazy_product(difference, difference), lazy_product(other, a))),
                (a - b).squared() * (b - a) * a);
    }
}

TYPED_TEST(LazyTest, SquareMinusIsReduced) {
  using F = TypeParam;
  if (!runs_here<F>()) GTEST_SKIP() << "this processor has no ADX";
  const auto v = this->values();
  for (const F& a : v)
    for (const F& b : v) {
      EXPECT_EQ(square_minus(a, a, b), a.squared() - a - b);
      EXPECT_EQ(square_minus(lazy_difference(a, b), b, v[4]), (a - b).squared() - b - v[4]);
    }
}

TYPED_TEST(LazyTest, NegatesIfAsked) {
  using F = TypeParam;
  if (!runs_here<F>()) GTEST_SKIP() << "this processor has no ADX";
  for (const F& a : this->values()) {
    if (a.is_zero()) continue;
    F same = a, minus = a;
    negate_if(false, same);
    negate_if(true, minus);
    EXPECT_EQ(same, a);
    EXPECT_EQ(minus, -a);
  }
}

}  // namespace
}  // namespace cuzk::affine_detail
