// Multiples from a table and their affine form as a device computes them, on the host.
#include "curve/device_fixed_base.h"

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/curve/samples.h"

namespace cuzk::test {
namespace {

template <class Group> class DeviceFixedBase : public testing::Test {
 protected:
  using Affine = typename Group::Affine;
  using Fr = typename Group::Curve::Fr;
  using F = DeviceTwin<typename Affine::Field>;
  using Called =
      std::conditional_t<requires { typename Affine::Field::Params; }, CalledFp<typename Group::Curve::Fq::Params>, F>;

  /// j 2^(w i) G at its place of a table, made when it is read.
  static DeviceAffine<F> entry(const FixedWindows& windows, std::size_t place) {
    const u64 window = place / windows.entries(), j = place % windows.entries() + 1;
    const Fr factor = Fr::from_u64(j) * Fr::from_u64(2).pow(u64{window * windows.bits});
    const auto point = Group::Point::from_affine(Group::generator()).times(factor.canonical()).to_affine();
    return std::bit_cast<DeviceAffine<F>>(point);
  }
  std::vector<U256> scalars() {
    std::vector<U256> all;
    for (const u64 k : {0U, 1U, 2U, 127U, 128U, 129U, 255U, 256U, 32767U, 32768U, 32769U, 65535U, 65536U}) {
      all.push_back(U256::from_u64(k));
      U256 negative = Fr::Params::modulus;
      negative.sub(U256::from_u64(k == 0 ? 1 : k));
      all.push_back(negative);
    }
    for (int i = 0; i < 10; ++i) all.push_back(samples_.template element<Fr>().canonical());
    return all;
  }
  /// Affine, with an inversion for all of every `step`-th.
  std::vector<Affine> affine(const std::vector<DeviceXyzz<F>>& sums, std::size_t step) {
    const auto called = std::bit_cast<const DeviceXyzz<Called>*>(sums.data());
    std::vector<Affine> points(sums.size());
    for (std::size_t first = 0; first < step; ++first) {
      to_affine_strided(called, reinterpret_cast<DeviceAffine<Called>*>(points.data()), first, step, sums.size());
    }
    return points;
  }

  Samples samples_{20};
};

using Groups = testing::Types<G1Of<Bn254>, G1Of<Bls12_381>, G2Of<Bn254>, G2Of<Bls12_381>>;
TYPED_TEST_SUITE(DeviceFixedBase, Groups);

TYPED_TEST(DeviceFixedBase, IsMultiplicationOneByOne) {
  const auto scalars = this->scalars();
  std::vector<typename TypeParam::Affine> expected;
  for (const U256& k : scalars) {
    expected.push_back(TypeParam::Point::from_affine(TypeParam::generator()).times(k).to_affine());
  }
  for (const unsigned bits : {8U, 16U}) {
    const FixedWindows windows{bits};
    const auto table = std::make_unique_for_overwrite<DeviceAffine<typename TestFixture::F>[]>(
        std::size_t{windows.count()} * windows.entries());  // never touched
    std::vector<DeviceXyzz<typename TestFixture::F>> sums;
    for (const U256& k : scalars) {
      const auto words = std::bit_cast<std::array<u32, 8>>(k);
      sums.push_back(fixed_base_multiple(windows, table.get(), words.data(), [&](const auto* at) {
        return this->entry(windows, static_cast<std::size_t>(at - table.get()));
      }));
    }
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, sums.size(), sums.size() + 3}) {
      EXPECT_EQ(this->affine(sums, step), expected) << bits << " bits, every " << step;
    }
  }
}

TYPED_TEST(DeviceFixedBase, InverseOfZeroIsZero) { EXPECT_TRUE(inverse_of(TestFixture::Called::zero()).is_zero()); }

}  // namespace
}  // namespace cuzk::test
