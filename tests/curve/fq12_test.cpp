#include "curve/fq12.h"

#include <gtest/gtest.h>

#include "curve/pairing.h"
#include "tests/curve/samples.h"

namespace cuzk {
namespace {

template <class C, class I> struct Case {
  using Curve = C;
  using Isa = I;
};
template <class T> struct Fq12Test : testing::Test {
  using Curve = typename T::Curve;
  using Isa = typename T::Isa;
  using E2 = rebind_isa<typename Curve::Fq2, Isa>;
  using E6 = Fq6<Curve, Isa>;
  using E12 = Fq12<Curve, Isa>;
  test::Samples samples{9};

  E2 fq2() { return samples.template element<E2>(); }
  E6 fq6() { return {fq2(), fq2(), fq2()}; }
  E12 fq12() { return {fq6(), fq6()}; }
  E12 cyclotomic() {
    const auto p = test::random_member<test::G1Of<Curve>>(samples);
    return with_arithmetic<Isa>(pairing<Curve>(p, g2_generator<Curve>()));
  }
  static E2 xi() {
    using F = typename E2::Base;
    return {F::from_u64(Curve::id == CurveId::bn254 ? 9 : 1), F::one()};
  }
};
using Cases = testing::Types<Case<Bn254, Portable>, Case<Bn254, Adx>, Case<Bls12_381, Portable>, Case<Bls12_381, Adx>>;
TYPED_TEST_SUITE(Fq12Test, Cases);

/// Coefficients of w^0 .. w^5; a product of polynomials in w with w^6 = xi.
template <class E12> std::array<typename E12::F2, 6> by_powers_of_w(const E12& x) {
  return {x.c0.c0, x.c1.c0, x.c0.c1, x.c1.c1, x.c0.c2, x.c1.c2};
}
template <class E12> E12 slow_product(const E12& a, const E12& b, const typename E12::F2& xi) {
  using F2 = typename E12::F2;
  const auto x = by_powers_of_w(a);
  const auto y = by_powers_of_w(b);
  std::array<F2, 6> z;
  z.fill(F2::zero());
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) z[(i + j) % 6] += i + j < 6 ? x[i] * y[j] : x[i] * y[j] * xi;
  return {{z[0], z[2], z[4]}, {z[1], z[3], z[5]}};
}

TYPED_TEST(Fq12Test, ProductIsTheProductOfPolynomials) {
  for (int i = 0; i < 50; ++i) {
    const auto a = this->fq12();
    const auto b = this->fq12();
    EXPECT_EQ(a * b, slow_product(a, b, this->xi()));
    EXPECT_EQ(a.squared(), a * a);
  }
}

TYPED_TEST(Fq12Test, SparseProducts) {
  for (int i = 0; i < 20; ++i) {
    const auto a = this->fq6();
    const auto b = this->fq2();
    const auto c = this->fq2();
    const auto zero = TestFixture::E2::zero();
    const auto one = TestFixture::E2::one();
    EXPECT_EQ(a.times_01(b, c), (a * typename TestFixture::E6{b, c, zero}));
    EXPECT_EQ(a.times(b), (a * typename TestFixture::E6{b, zero, zero}));
    EXPECT_EQ(a.times_v(), (a * typename TestFixture::E6{zero, one, zero}));
  }
}

TYPED_TEST(Fq12Test, InverseTimesElementIsOne) {
  EXPECT_TRUE(TestFixture::E12::zero().inverse().is_zero());
  EXPECT_TRUE(TestFixture::E6::zero().inverse().is_zero());
  for (int i = 0; i < 20; ++i) {
    const auto a = this->fq12();
    EXPECT_TRUE((a * a.inverse()).is_one());
    EXPECT_TRUE((a.c0 * a.c0.inverse()).is_one());
  }
}

TYPED_TEST(Fq12Test, FrobeniusIsTheQthPower) {
  using Fq = typename TestFixture::Curve::Fq;
  const auto a = this->fq12();
  auto power = TestFixture::E12::one();
  for (std::size_t i = Fq::modulus.bit_length(); i-- > 0;) {
    power = power.squared();
    if (Fq::modulus.bit(i)) power *= a;
  }
  EXPECT_EQ(a.frobenius(), power);
  auto sixth = a;
  for (int i = 0; i < 6; ++i) sixth = sixth.frobenius();
  EXPECT_EQ(sixth, a.conjugate());
}

TYPED_TEST(Fq12Test, CyclotomicSquaresAndPowers) {
  for (int i = 0; i < 5; ++i) {
    const auto g = this->cyclotomic();
    EXPECT_EQ(g.cyclotomic_squared(), g * g);
    EXPECT_TRUE((g * g.conjugate()).is_one());
    const U256 k = this->samples.scalar();
    auto power = TestFixture::E12::one();
    for (std::size_t bit = U256::bits; bit-- > 0;) {
      power = power.squared();
      if (k.bit(bit)) power *= g;
    }
    EXPECT_EQ(g.cyclotomic_pow(k), power);
  }
  EXPECT_TRUE(this->cyclotomic().cyclotomic_pow(U256::zero()).is_one());
}

TYPED_TEST(Fq12Test, CanonicalCoefficients) {
  const auto a = this->fq12();
  const auto c = a.canonical();
  EXPECT_EQ(c[0][0][0], a.c0.c0.c0.canonical());
  EXPECT_EQ(c[0][2][1], a.c0.c2.c1.canonical());
  EXPECT_EQ(c[1][1][0], a.c1.c1.c0.canonical());
}

}  // namespace
}  // namespace cuzk
