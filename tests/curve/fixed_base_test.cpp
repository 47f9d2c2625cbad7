#include "curve/fixed_base.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/curve/samples.h"

namespace cuzk {
namespace {

template <class GroupOf> struct FixedBaseTest : testing::Test {
  using Scalar = typename GroupOf::Curve::Fr;
  using Point = typename GroupOf::Affine;
  test::Samples samples{10};
  Arena arena{2};

  std::vector<Point> multiples(const std::vector<U256>& scalars) {
    std::vector<Point> out(scalars.size());
    if constexpr (std::is_same_v<Point, typename GroupOf::Curve::G1Affine>) {
      fixed_base_g1<typename GroupOf::Curve>(arena, scalars, out);
    } else {
      fixed_base_g2<typename GroupOf::Curve>(arena, scalars, out);
    }
    return out;
  }
  static Point slow(const U256& k) { return GroupOf::Point::from_affine(GroupOf::generator()).times(k).to_affine(); }
};
using Groups = testing::Types<test::G1Of<Bn254>, test::G2Of<Bn254>, test::G1Of<Bls12_381>, test::G2Of<Bls12_381>>;
TYPED_TEST_SUITE(FixedBaseTest, Groups);

TYPED_TEST(FixedBaseTest, IsMultiplicationOneByOne) {
  using Params = typename TestFixture::Scalar::Params;
  std::vector<U256> scalars;
  for (const u64 k : {0u, 1u, 2u, 7u, 8u, 9u, 4095u, 4096u, 4097u}) {
    scalars.push_back(U256::from_u64(k));
    U256 negative = Params::modulus;
    negative.sub(U256::from_u64(k == 0 ? 1 : k));
    scalars.push_back(negative);
  }
  for (unsigned bit = 3; bit < 253; bit += 25) {
    U256 power{};
    power.limb[bit / 64] = u64{1} << (bit % 64);
    scalars.push_back(power);
  }
  for (int i = 0; i < 30; ++i)
    scalars.push_back(this->samples.template element<typename TestFixture::Scalar>().canonical());
  const auto points = this->multiples(scalars);
  for (std::size_t i = 0; i < scalars.size(); ++i) EXPECT_EQ(points[i], this->slow(scalars[i])) << scalars[i].to_hex();
}

TYPED_TEST(FixedBaseTest, AnyNumberOfScalars) {
  EXPECT_TRUE(this->multiples({}).empty());
  for (const std::size_t n : {1u, 2047u, 2049u, 5000u}) {  // other windows and blocks
    std::vector<U256> scalars(n);
    for (U256& k : scalars) k = this->samples.template element<typename TestFixture::Scalar>().canonical();
    const auto points = this->multiples(scalars);
    for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) EXPECT_EQ(points[i], this->slow(scalars[i]));
    for (const auto& p : points) EXPECT_TRUE(is_on_curve<typename TypeParam::Curve>(p));
  }
}

/// Neighbours in the list differ by the generator: every point is checked, at the price of an addition.
TYPED_TEST(FixedBaseTest, ConsecutiveScalars) {
  const std::size_t n = 5000;
  std::vector<U256> scalars(n);
  U256 k = this->samples.scalar();
  k.limb[3] >>= 3;
  for (U256& scalar : scalars) {
    scalar = k;
    k.add(U256::from_u64(1));
  }
  const auto points = this->multiples(scalars);
  auto expected = TypeParam::Point::from_affine(this->slow(scalars[0]));
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(TypeParam::Point::from_affine(points[i]), expected) << i;
    expected += TypeParam::generator();
  }
}

}  // namespace
}  // namespace cuzk
