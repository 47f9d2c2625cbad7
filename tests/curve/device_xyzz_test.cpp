// Point additions of devices, on the host: the same points as Point gives.
#include "curve/device_xyzz.h"

#include <bit>

#include <gtest/gtest.h>

#include "curve/device_fq2.h"
#include "tests/curve/samples.h"

namespace cuzk::test {
namespace {

template <class Group> class DevicePoints : public testing::Test {
 protected:
  using Affine = typename Group::Affine;
  using F = DeviceTwin<typename Affine::Field>;
  using Xyzz = DeviceXyzz<F>;

  static DeviceAffine<F> twin(const Affine& p) { return std::bit_cast<DeviceAffine<F>>(p); }
  static Affine back(const Xyzz& p) {
    using Field = typename Affine::Field;
    if (p.is_identity()) return Affine::identity();
    return {std::bit_cast<Field>(p.x) * std::bit_cast<Field>(p.zz).inverse(),
            std::bit_cast<Field>(p.y) * std::bit_cast<Field>(p.zzz).inverse()};
  }
  /// The point with coordinates that are not its affine ones.
  static Xyzz scaled(const Affine& p) {
    if (p.is_identity()) return Xyzz::identity();
    Xyzz sum = Xyzz::from_affine(twin(Group::generator()));
    sum.add(Xyzz::from_affine(twin(p)));
    sum.add(twin(-Group::generator()));
    return sum;
  }
  static Affine sum(const Affine& p, const Affine& q) {
    return (Group::Point::from_affine(p) + Group::Point::from_affine(q)).to_affine();
  }

  Samples samples_;
};

using Groups = testing::Types<G1Of<Bn254>, G1Of<Bls12_381>, G2Of<Bn254>, G2Of<Bls12_381>>;
TYPED_TEST_SUITE(DevicePoints, Groups);

TYPED_TEST(DevicePoints, SumsAreThoseOfPoint) {
  const auto p = random_member<TypeParam>(this->samples_);
  const auto q = random_member<TypeParam>(this->samples_);
  const auto none = TypeParam::Affine::identity();
  for (const auto& a : {none, p, q, -p}) {
    for (const auto& b : {none, p, q, -q}) {
      auto full = this->scaled(a);
      full.add(this->scaled(b));
      EXPECT_EQ(this->back(full), this->sum(a, b));
      auto mixed = this->scaled(a);
      mixed.add(this->twin(b));
      EXPECT_EQ(this->back(mixed), this->sum(a, b));
    }
    EXPECT_EQ(this->back(this->scaled(a).doubled()), this->sum(a, a));
  }
}

TYPED_TEST(DevicePoints, MultiplesByDoublingAndAdding) {
  const auto p = random_member<TypeParam>(this->samples_);
  const std::uint64_t k = this->samples_.word();
  auto sum = TestFixture::Xyzz::identity();
  for (int i = 63; i >= 0; --i) {
    sum = sum.doubled();
    if ((k >> i & 1) != 0) sum.add(this->twin(p));
  }
  EXPECT_EQ(this->back(sum), TypeParam::Point::from_affine(p).times(U256::from_u64(k)).to_affine());
}

}  // namespace
}  // namespace cuzk::test
