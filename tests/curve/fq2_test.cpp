#include "curve/fq2.h"

#include <gtest/gtest.h>

#include "tests/curve/samples.h"

namespace cuzk {
namespace {

template <class T> struct Fq2Test : testing::Test {
  test::Samples samples{1};
};
using BaseFields = testing::Types<Fp<Bn254FqParams, Portable>, Fp<Bn254FqParams, Adx>, Fp<Bls12_381FqParams, Portable>,
                                  Fp<Bls12_381FqParams, Adx>>;
TYPED_TEST_SUITE(Fq2Test, BaseFields);

TYPED_TEST(Fq2Test, ProductIsTheSchoolbookProduct) {
  using F = Fq2<TypeParam>;
  for (int i = 0; i < 500; ++i) {
    const F a = this->samples.template element<F>();
    const F b = this->samples.template element<F>();
    const F expected{a.c0 * b.c0 - a.c1 * b.c1, a.c0 * b.c1 + a.c1 * b.c0};
    EXPECT_EQ(a * b, expected);
    EXPECT_EQ(a.squared(), a * a);
    EXPECT_EQ(a * b.c0, (a * F{b.c0, TypeParam::zero()}));
  }
}

TYPED_TEST(Fq2Test, InverseTimesElementIsOne) {
  using F = Fq2<TypeParam>;
  EXPECT_TRUE(F::zero().inverse().is_zero());
  for (int i = 0; i < 30; ++i) {
    const F a = this->samples.template element<F>();
    EXPECT_EQ((a * a.inverse()).is_one(), !a.is_zero());
  }
}

TYPED_TEST(Fq2Test, SquareRootsExistForSquaresAlone) {
  using F = Fq2<TypeParam>;
  int squares = 0;
  for (int i = 0; i < 60; ++i) {
    const F a = this->samples.template element<F>();
    bool ok = false;
    const F root = a.squared().sqrt(ok);
    EXPECT_TRUE(ok);
    EXPECT_TRUE(root == a || root == -a);
    const F maybe = a.sqrt(ok);
    EXPECT_EQ(maybe.squared() == a, ok);
    // a is a square in Fq2 exactly when its norm is one in Fq.
    const TypeParam norm = a.c0.squared() + a.c1.squared();
    bool norm_ok = false;
    static_cast<void>(norm.sqrt(norm_ok));
    EXPECT_EQ(ok, norm_ok);
    squares += ok ? 1 : 0;
  }
  EXPECT_GT(squares, 0);
  EXPECT_LT(squares, 60);
}

TYPED_TEST(Fq2Test, BatchInverseLeavesZeros) {
  using F = Fq2<TypeParam>;
  std::vector<F> values(40);
  for (F& v : values) v = this->samples.template element<F>();
  values[3] = values[39] = F::zero();
  std::vector<F> inverses = values;
  std::vector<F> scratch(values.size());
  batch_inverse(std::span<F>(inverses), std::span<F>(scratch));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(inverses[i], values[i].inverse());
}

}  // namespace
}  // namespace cuzk
