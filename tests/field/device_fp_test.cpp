// The limb algorithms of devices, on the host: the same bytes as Fp gives.
#include "field/device_fp.h"

#include <cstring>

#include "tests/field/prime_fields.h"

namespace cuzk::test {
namespace {

template <class F> class DeviceFields : public testing::Test {
 protected:
  using Twin = DeviceTwin<F>;

  static F back(const Twin& x) { return std::bit_cast<F>(x); }
  F draw() { return biased_element<F>(random_); }

  std::mt19937_64 random_{run_seed()};
};
TYPED_TEST_SUITE(DeviceFields, PortablePrimeFields);

TYPED_TEST(DeviceFields, ArithmeticIsThatOfFp) {
  for (int i = 0; i < 20'000; ++i) {
    const auto a = this->draw(), b = this->draw();
    const auto x = device_twin(a), y = device_twin(b);
    ASSERT_EQ(this->back(x + y), a + b);
    ASSERT_EQ(this->back(x - y), a - b);
    ASSERT_EQ(this->back(-x), -a);
    ASSERT_EQ(this->back(x.doubled()), a.doubled());
    ASSERT_EQ(this->back(x * y), a * b);
    ASSERT_EQ(this->back(x.squared()), a.squared());
    ASSERT_EQ(x == y, a == b);
    ASSERT_EQ(x.is_zero(), a.is_zero());
  }
}

TYPED_TEST(DeviceFields, TwoProductsWithOneReduction) {
  using F = TypeParam;
  if constexpr ((F::modulus.limb[F::limbs - 1] >> 62) == 0) {  // the scalars of BLS12-381 have no room for it
    for (int i = 0; i < 20'000; ++i) {
      const F a = this->draw(), b = this->draw(), c = this->draw(), d = this->draw();
      const auto sum =
          TestFixture::Twin::sum_of_products(device_twin(a), device_twin(b), device_twin(c), device_twin(d));
      ASSERT_EQ(this->back(sum), a * b + c * d);
    }
  }
}

TYPED_TEST(DeviceFields, Constants) {
  EXPECT_EQ(this->back(TestFixture::Twin::one()), TypeParam::one());
  EXPECT_EQ(this->back(TestFixture::Twin::zero()), TypeParam::zero());
}

}  // namespace
}  // namespace cuzk::test
