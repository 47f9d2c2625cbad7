// Multiples from a table and their affine form as a device computes them, on the host.
#include "curve/device_fixed_base.h"

#include <array>
#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "curve/fixed_base.h"
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

  /// j 2^(w i) G.
  std::vector<DeviceAffine<F>> table(const FixedWindows& windows) {
    std::vector<U256> factors;
    for (unsigned i = 0; i < windows.count(); ++i) {
      const Fr step = Fr::from_u64(2).pow(u64{i * windows.bits});
      Fr factor = step;
      for (u32 j = 0; j < windows.entries(); ++j, factor += step) factors.push_back(factor.canonical());
    }
    std::vector<Affine> points(factors.size());
    FixedBase<Affine>(arena_, Group::generator(), factors.size()).multiply(arena_, factors, points);
    std::vector<DeviceAffine<F>> twins;
    for (const Affine& p : points) twins.push_back(std::bit_cast<DeviceAffine<F>>(p));
    return twins;
  }
  std::vector<U256> scalars() {
    std::vector<U256> all;
    for (const u64 k : {0U, 1U, 2U, 127U, 128U, 129U, 255U, 256U, 32767U, 32768U, 32769U, 65535U, 65536U}) {
      all.push_back(U256::from_u64(k));
      U256 negative = Fr::Params::modulus;
      negative.sub(U256::from_u64(k == 0 ? 1 : k));
      all.push_back(negative);
    }
    for (int i = 0; i < 30; ++i) all.push_back(samples_.template element<Fr>().canonical());
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
  Arena arena_{2};
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
    const auto table = this->table(windows);
    std::vector<DeviceXyzz<typename TestFixture::F>> sums;
    for (const U256& k : scalars) {
      const auto words = std::bit_cast<std::array<u32, 8>>(k);
      sums.push_back(
          fixed_base_multiple(windows, table.data(), words.data(), [](const auto* entry) { return *entry; }));
    }
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, sums.size(), sums.size() + 3}) {
      EXPECT_EQ(this->affine(sums, step), expected) << bits << " bits, every " << step;
    }
  }
}

TYPED_TEST(DeviceFixedBase, InverseOfZeroIsZero) { EXPECT_TRUE(inverse_of(TestFixture::Called::zero()).is_zero()); }

}  // namespace
}  // namespace cuzk::test
