#include "curve/point.h"

#include <gtest/gtest.h>

#include "tests/curve/samples.h"

namespace cuzk {
namespace {

template <template <class> class GroupOf, class C, class I> struct Case {
  using Group = GroupOf<C>;
  using Isa = I;
};
template <class T> struct PointTest : testing::Test {
  using GroupT = typename T::Group;
  using AffineT = rebind_isa<typename GroupT::Affine, typename T::Isa>;
  using PointT = rebind_isa<typename GroupT::Point, typename T::Isa>;

  AffineT affine() { return with_arithmetic<typename T::Isa>(test::random_member<GroupT>(samples)); }
  PointT point() { return PointT::from_affine(affine()).doubled(); }  // Z is not 1

  test::Samples samples{2};
};
using Cases = testing::Types<Case<test::G1Of, Bn254, Portable>, Case<test::G1Of, Bn254, Adx>,
                             Case<test::G2Of, Bn254, Portable>, Case<test::G2Of, Bn254, Adx>,
                             Case<test::G1Of, Bls12_381, Portable>, Case<test::G1Of, Bls12_381, Adx>,
                             Case<test::G2Of, Bls12_381, Portable>, Case<test::G2Of, Bls12_381, Adx>>;
TYPED_TEST_SUITE(PointTest, Cases);

/// Affine addition by the chord and tangent rule, from the curve's definition.
template <class A> A slow_sum(const A& p, const A& q) {
  using F = typename A::Field;
  if (p.is_identity()) return q;
  if (q.is_identity()) return p;
  if (p.x == q.x && p.y == -q.y) return A::identity();
  const F xx = p.x.squared();
  const F slope = p.x == q.x ? (xx + xx + xx) * (p.y + p.y).inverse() : (q.y - p.y) * (q.x - p.x).inverse();
  const F x = slope.squared() - p.x - q.x;
  return {x, slope * (p.x - x) - p.y};
}

TYPED_TEST(PointTest, AdditionIsChordAndTangent) {
  using P = typename TestFixture::PointT;
  for (int i = 0; i < 10; ++i) {
    const auto p = this->affine();
    const auto q = this->affine();
    EXPECT_EQ((P::from_affine(p) + P::from_affine(q)).to_affine(), slow_sum(p, q));
    EXPECT_EQ(P::from_affine(p).doubled().to_affine(), slow_sum(p, p));
  }
}

TYPED_TEST(PointTest, GroupLaws) {
  using P = typename TestFixture::PointT;
  for (int i = 0; i < 10; ++i) {
    const P p = this->point(), q = this->point(), r = this->point();
    EXPECT_EQ((p + q) + r, p + (q + r));
    EXPECT_EQ(p + q, q + p);
    EXPECT_EQ(p + P::identity(), p);
    EXPECT_EQ(P::identity() + p, p);
    EXPECT_TRUE((p - p).is_identity());
    EXPECT_EQ(p + p, p.doubled());
    EXPECT_FALSE(p == q);
    EXPECT_FALSE(p == P::identity());
    EXPECT_EQ(p + q - q, p);
  }
  EXPECT_TRUE(P::identity().doubled().is_identity());
  EXPECT_TRUE((P::identity() + P::identity()).is_identity());
  EXPECT_EQ(P::identity(), P::identity());
}

TYPED_TEST(PointTest, MixedAdditionIsAddition) {
  using P = typename TestFixture::PointT;
  using A = typename TestFixture::AffineT;
  for (int i = 0; i < 10; ++i) {
    const P p = this->point();
    const A q = this->affine();
    EXPECT_EQ(p + q, p + P::from_affine(q));
    EXPECT_EQ(p + p.to_affine(), p.doubled());
    EXPECT_TRUE((p + (-p).to_affine()).is_identity());
    EXPECT_EQ(p + A::identity(), p);
    EXPECT_EQ((P::identity() + q).to_affine(), q);
    EXPECT_TRUE((P::identity() + A::identity()).is_identity());
  }
}

template <class P> P slow_product(const P& p, const U256& k) {
  P sum = P::identity();
  for (std::size_t i = U256::bits; i-- > 0;) {
    sum = sum.doubled();
    if (k.bit(i)) sum = sum + p;
  }
  return sum;
}

TYPED_TEST(PointTest, MultiplicationIsDoubleAndAdd) {
  using P = typename TestFixture::PointT;
  const P p = this->point();
  U256 ones;
  ones.limb.fill(~u64{0});
  std::vector<U256> scalars{U256::zero(), ones};
  for (const u64 k : {1u, 2u, 3u, 15u, 16u, 17u, 255u, 256u}) scalars.push_back(U256::from_u64(k));
  for (int i = 0; i < 5; ++i) scalars.push_back(this->samples.scalar());
  for (const U256& k : scalars) EXPECT_EQ(p.times(k), slow_product(p, k)) << k.to_hex();
  EXPECT_TRUE(P::identity().times(ones).is_identity());
}

TYPED_TEST(PointTest, OrderAnnihilates) {
  using P = typename TestFixture::PointT;
  using Fr = typename TestFixture::GroupT::Curve::Fr;
  EXPECT_TRUE(this->point().times(Fr::modulus).is_identity());
  EXPECT_EQ(P::from_affine(this->affine()).times(FpConstants<typename Fr::Params>::p_minus_1).is_identity(), false);
}

TYPED_TEST(PointTest, BatchToAffine) {
  using P = typename TestFixture::PointT;
  using A = typename TestFixture::AffineT;
  for (const std::size_t n : {0u, 1u, 2u, 33u}) {
    std::vector<P> points(n);
    for (std::size_t i = 0; i < n; ++i) points[i] = i % 5 == 1 ? P::identity() : this->point();
    std::vector<A> out(n);
    to_affine_n(std::span<const P>(points), std::span<A>(out));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], points[i].to_affine());
  }
}

TYPED_TEST(PointTest, SameBytesAsPortable) {
  using Group = typename TestFixture::GroupT;
  for (int i = 0; i < 5; ++i) {
    const auto p = test::random_member<Group>(this->samples);
    const auto k = this->samples.scalar();
    const auto portable = Group::Point::from_affine(p).times(k);
    const auto other = TestFixture::PointT::from_affine(with_arithmetic<typename TypeParam::Isa>(p)).times(k);
    const auto bytes = std::bit_cast<typename Group::Point>(other);
    EXPECT_TRUE(portable.x == bytes.x && portable.y == bytes.y && portable.z == bytes.z);
  }
}

}  // namespace
}  // namespace cuzk
