#include "field/big_int.h"

#include <array>

#include "tests/field/gmp_oracle.h"
#include "tests/field/prime_fields.h"

namespace cuzk::test {
namespace {

template <class B> class BigInts : public testing::Test {
 protected:
  static constexpr int kRounds = 2'000;

  /// Random limbs, each 0 or all ones now and then, of a random length.
  B sample() {
    B v{};
    const std::size_t used = random_() % (B::limbs + 1);
    for (std::size_t i = 0; i < used; ++i) {
      const u64 choices[] = {random_(), random_(), 0, ~u64{0}};
      v.limb[i] = choices[random_() % 4];
    }
    return v;
  }

  std::mt19937_64 random_{run_seed()};
};
using BothSizes = testing::Types<U256, U384>;
TYPED_TEST_SUITE(BigInts, BothSizes);

static_assert(sizeof(U256) == 32 && sizeof(U384) == 48 && alignof(U256) == 8);
static_assert(std::is_trivially_copyable_v<U256> && std::is_trivially_default_constructible_v<U256> &&
              std::has_unique_object_representations_v<U256>);
static_assert(U256::from_hex("10000000000000001").limb[1] == 1 && U256::from_hex("").is_zero());

TYPED_TEST(BigInts, Decimal) {
  constexpr std::size_t N = TypeParam::limbs;
  for (int i = 0; i < this->kRounds; ++i) {
    const TypeParam v = this->sample();
    const std::string text = to_mpz(v).get_str();
    ASSERT_EQ(v.to_decimal(), text);
    ASSERT_EQ(TypeParam::from_decimal(text), v);
  }
  mpz_class limit;
  mpz_ui_pow_ui(limit.get_mpz_t(), 2, 64 * N);
  EXPECT_EQ(TypeParam::from_decimal(mpz_class(limit - 1).get_str())->bit_length(), 64 * N);
  EXPECT_FALSE(TypeParam::from_decimal(limit.get_str()));
  EXPECT_FALSE(TypeParam::from_decimal(mpz_class(limit * 10).get_str()));
  EXPECT_TRUE(TypeParam::from_decimal("0")->is_zero());
  for (const char* bad : {"", "00", "01", "-1", "+1", " 1", "1 ", "1e3", "0x10", "12a", "1.0"})
    EXPECT_FALSE(TypeParam::from_decimal(bad)) << '"' << bad << '"';
}

TYPED_TEST(BigInts, Hex) {
  for (int i = 0; i < this->kRounds; ++i) {
    const TypeParam v = this->sample();
    std::string expected = to_mpz(v).get_str(16);
    expected.insert(0, 2 * TypeParam::bytes - expected.size(), '0');
    ASSERT_EQ(v.to_hex(), expected);
  }
}

TYPED_TEST(BigInts, Bytes) {
  constexpr std::size_t bytes = TypeParam::bytes;
  for (int i = 0; i < this->kRounds; ++i) {
    const TypeParam v = this->sample();
    std::array<std::byte, bytes> little{}, big{}, ours{};
    mpz_export(little.data(), nullptr, -1, 1, 0, 0, to_mpz(v).get_mpz_t());
    for (std::size_t k = 0; k < bytes; ++k) big[k] = little[bytes - 1 - k];
    v.to_le_bytes(ours.data());
    ASSERT_EQ(ours, little);
    v.to_be_bytes(ours.data());
    ASSERT_EQ(ours, big);
    ASSERT_EQ(TypeParam::from_le_bytes(little.data()), v);
    ASSERT_EQ(TypeParam::from_be_bytes(big.data()), v);
  }
}

TYPED_TEST(BigInts, WindowsAndBits) {
  for (int i = 0; i < this->kRounds; ++i) {
    const TypeParam v = this->sample();
    const mpz_class z = to_mpz(v);
    const std::size_t at = this->random_() % (TypeParam::bits + 40);
    const unsigned count = 1 + static_cast<unsigned>(this->random_() % 32);
    const mpz_class shifted = z >> at;
    const mpz_class mask = (mpz_class(1) << count) - 1;
    ASSERT_EQ(v.window(at, count), mpz_class(shifted & mask).get_ui()) << at << ' ' << count;
    const std::size_t bit = at % TypeParam::bits;
    ASSERT_EQ(v.bit(bit), mpz_tstbit(z.get_mpz_t(), bit) != 0);
    ASSERT_EQ(v.bit_length(), v.is_zero() ? 0 : mpz_sizeinbase(z.get_mpz_t(), 2));
    ASSERT_EQ(v.is_zero(), z == 0);
  }
  TypeParam ones;
  ones.limb.fill(~u64{0});
  EXPECT_EQ(ones.window(0, 32), 0xffff'ffffu);
  EXPECT_EQ(ones.window(48, 32), 0xffff'ffffu);
  EXPECT_EQ(ones.window(TypeParam::bits - 3, 16), 7u);
  EXPECT_EQ(ones.window(TypeParam::bits, 16), 0u);
}

TYPED_TEST(BigInts, SumsDifferencesShiftsOrder) {
  constexpr std::size_t N = TypeParam::limbs;
  mpz_class limit;
  mpz_ui_pow_ui(limit.get_mpz_t(), 2, 64 * N);
  for (int i = 0; i < this->kRounds; ++i) {
    const TypeParam a = this->sample(), b = this->sample();
    const mpz_class za = to_mpz(a), zb = to_mpz(b);
    TypeParam sum = a, difference = a;
    const u64 carry = sum.add(b);
    ASSERT_EQ(mpz_class(to_mpz(sum) + (carry != 0 ? limit : mpz_class(0))), mpz_class(za + zb));
    const u64 borrow = difference.sub(b);
    ASSERT_EQ(mpz_class(to_mpz(difference) - (borrow != 0 ? limit : mpz_class(0))), mpz_class(za - zb));
    ASSERT_EQ(a < b, za < zb);
    ASSERT_EQ(a == b, za == zb);
    const unsigned count = static_cast<unsigned>(this->random_() % (TypeParam::bits + 1));
    ASSERT_EQ(to_mpz(a.shifted_right(count)), mpz_class(za >> count)) << count;
  }
}

}  // namespace
}  // namespace cuzk::test
