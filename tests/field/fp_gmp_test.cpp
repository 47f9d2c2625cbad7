// Fields against GMP.
#include "tests/field/gmp_oracle.h"
#include "tests/field/prime_fields.h"

namespace cuzk::test {
namespace {

template <class T> class AgainstGmp : public PrimeFieldTest<T> {
 protected:
  typename T::Element sample() { return T::sample(this->random_); }

  const mpz_class p_ = to_mpz(T::Element::modulus);
};
TYPED_TEST_SUITE(AgainstGmp, AllPrimeFields);

mpz_class mod(const mpz_class& a, const mpz_class& p) {
  mpz_class r;
  mpz_mod(r.get_mpz_t(), a.get_mpz_t(), p.get_mpz_t());
  return r;
}

mpz_class power(const mpz_class& base, const mpz_class& exponent, const mpz_class& p) {
  mpz_class r;
  mpz_powm(r.get_mpz_t(), base.get_mpz_t(), exponent.get_mpz_t(), p.get_mpz_t());
  return r;
}

TYPED_TEST(AgainstGmp, RingOperations) {
  using F = typename TypeParam::Element;
  for (int i = 0; i < 20'000; ++i) {
    const F a = this->sample(), b = this->sample();
    const mpz_class za = value_of(a), zb = value_of(b);
    ASSERT_EQ(value_of(a * b), mod(za * zb, this->p_)) << i;
    ASSERT_EQ(value_of(a + b), mod(za + zb, this->p_)) << i;
    ASSERT_EQ(value_of(a - b), mod(za - zb, this->p_)) << i;
    ASSERT_EQ(value_of(a.squared()), mod(za * za, this->p_)) << i;
    ASSERT_EQ(value_of(-a), mod(-za, this->p_)) << i;
    ASSERT_EQ(value_of(a.doubled()), mod(2 * za, this->p_)) << i;
  }
}

TYPED_TEST(AgainstGmp, MontgomeryFormIsTheValueTimesR) {
  using F = typename TypeParam::Element;
  mpz_class r;
  mpz_ui_pow_ui(r.get_mpz_t(), 2, F::Repr::bits);
  for (int i = 0; i < 2'000; ++i) {
    const F a = this->sample();
    ASSERT_EQ(to_mpz(a.montgomery()), mod(value_of(a) * r, this->p_));
    ASSERT_EQ(F::from_canonical(from_mpz<F::limbs>(value_of(a))), a);
  }
}

TYPED_TEST(AgainstGmp, Inverse) {
  using F = typename TypeParam::Element;
  for (int i = 0; i < 20'000; ++i) {
    const F a = this->sample();
    mpz_class expected;
    if (!a.is_zero()) mpz_invert(expected.get_mpz_t(), value_of(a).get_mpz_t(), this->p_.get_mpz_t());
    ASSERT_EQ(value_of(a.inverse()), expected) << i;
  }
}

// 2,500 pairs for each of the eight types.
TYPED_TEST(AgainstGmp, Power) {
  using F = typename TypeParam::Element;
  for (int i = 0; i < 2'500; ++i) {
    const F a = this->sample(), b = this->sample();
    ASSERT_EQ(value_of(a.pow(b.canonical())), power(value_of(a), value_of(b), this->p_)) << i;
  }
}

TYPED_TEST(AgainstGmp, SquareRoot) {
  using F = typename TypeParam::Element;
  if ((F::modulus.limb[0] & 3) != 3) return;  // no root is promised
  for (int i = 0; i < 5'000; ++i) {
    const F a = this->sample();
    bool ok = false;
    const F root = a.sqrt(ok);
    ASSERT_EQ(ok, mpz_jacobi(value_of(a).get_mpz_t(), this->p_.get_mpz_t()) >= 0) << i;
    if (!ok) continue;
    ASSERT_EQ(mod(value_of(root) * value_of(root), this->p_), value_of(a)) << i;
  }
}

}  // namespace
}  // namespace cuzk::test
