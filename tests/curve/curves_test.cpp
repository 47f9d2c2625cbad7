#include "curve/curves.h"

#include <gtest/gtest.h>

#include "tests/curve/samples.h"

namespace cuzk {
namespace {

using test::random_curve_point;
using test::random_member;

template <class G> struct CurvesTest : testing::Test {
  test::Samples samples{3};

  static bool annihilated(const typename G::Affine& p) {
    return G::Point::from_affine(p).times(G::Curve::Fr::modulus).is_identity();
  }
};
using Groups = testing::Types<test::G1Of<Bn254>, test::G2Of<Bn254>, test::G1Of<Bls12_381>, test::G2Of<Bls12_381>>;
TYPED_TEST_SUITE(CurvesTest, Groups);

TYPED_TEST(CurvesTest, GeneratorHasOrderR) {
  using C = typename TypeParam::Curve;
  const auto& g = TypeParam::generator();
  EXPECT_TRUE(is_on_curve<C>(g));
  EXPECT_TRUE(is_in_subgroup<C>(g));
  EXPECT_TRUE(this->annihilated(g));
  EXPECT_FALSE(g.is_identity());
}

TYPED_TEST(CurvesTest, IdentityIsAMember) {
  using C = typename TypeParam::Curve;
  EXPECT_TRUE(is_on_curve<C>(TypeParam::Affine::identity()));
  EXPECT_TRUE(is_in_subgroup<C>(TypeParam::Affine::identity()));
}

TYPED_TEST(CurvesTest, MovedPointsAreOffTheCurve) {
  using C = typename TypeParam::Curve;
  using F = typename TypeParam::Affine::Field;
  for (int i = 0; i < 10; ++i) {
    auto p = random_member<TypeParam>(this->samples);
    EXPECT_TRUE(is_on_curve<C>(p));
    p.x += F::one();
    EXPECT_FALSE(is_on_curve<C>(p));
  }
  EXPECT_FALSE(is_on_curve<C>(typename TypeParam::Affine{F::zero(), F::one()}));
  EXPECT_FALSE(is_on_curve<C>(typename TypeParam::Affine{F::one(), F::zero()}));
}

TYPED_TEST(CurvesTest, SubgroupCheckIsMultiplicationByR) {
  using C = typename TypeParam::Curve;
  constexpr bool kWholeCurve = std::is_same_v<TypeParam, test::G1Of<Bn254>>;
  for (int i = 0; i < 12; ++i) {
    const auto p = random_curve_point<TypeParam>(this->samples);
    ASSERT_TRUE(is_on_curve<C>(p));
    EXPECT_EQ(is_in_subgroup<C>(p), this->annihilated(p));
    EXPECT_EQ(is_in_subgroup<C>(p), kWholeCurve);  // members are rarer than 2^-100 elsewhere
    EXPECT_TRUE(is_in_subgroup<C>(random_member<TypeParam>(this->samples)));
  }
}

/// r p has an order that divides the cofactor: the points for which a wrong check is most likely to pass.
TYPED_TEST(CurvesTest, CofactorPointsAreOutside) {
  using C = typename TypeParam::Curve;
  using Fr = typename C::Fr;
  if constexpr (!std::is_same_v<TypeParam, test::G1Of<Bn254>>) {
    for (int i = 0; i < 6; ++i) {
      const auto p = random_curve_point<TypeParam>(this->samples);
      const auto small = TypeParam::Point::from_affine(p).times(Fr::modulus);
      EXPECT_FALSE(is_in_subgroup<C>(small.to_affine()));
      EXPECT_FALSE(is_in_subgroup<C>((small + random_member<TypeParam>(this->samples)).to_affine()));
    }
  }
}

TEST(Curves, PointsOfOrderThreeOfBls12381G1AreOutside) {
  using C = Bls12_381;
  const auto two = C::Fq::from_u64(2);
  for (const auto& y : {two, -two}) {  // (0, 2) and (0, -2): fixed by phi up to nothing at all
    const C::G1Affine p{C::Fq::zero(), y};
    EXPECT_TRUE(is_on_curve<C>(p));
    EXPECT_FALSE(is_in_subgroup<C>(p));
  }
}

TEST(Curves, NamesAndDispatch) {
  EXPECT_EQ(name(CurveId::bn254), "bn254");
  EXPECT_EQ(name(CurveId::bls12_381), "bls12-381");
  EXPECT_EQ(with_curve(CurveId::bls12_381, []<class C>() { return C::iden3_name; }), "bls12381");
  EXPECT_EQ(with_curve(CurveId::bn254, []<class C>() { return C::iden3_name; }), "bn128");
}

}  // namespace
}  // namespace cuzk
