#include "groth16/quotient.h"

#include <gtest/gtest.h>

#include "support/parallel.h"
#include "tests/gen/field_values.h"
#include "tests/groth16/exponents.h"
#include "tests/support/must.h"

namespace cuzk::groth16 {
namespace {

template <class C> class QuotientTest : public testing::Test {
 protected:
  using Scalar = typename C::Fr;

  std::vector<Scalar> random_rows(std::size_t n) {
    std::vector<Scalar> rows(n);
    for (Scalar& value : rows) value = test::biased_element<Scalar>(random);
    return rows;
  }

  static Scalar at(std::span<const Scalar> rows, std::span<const Scalar> lagrange) {
    Scalar sum = Scalar::zero();
    for (std::size_t i = 0; i < rows.size(); ++i) sum += rows[i] * lagrange[i];
    return sum;
  }

  /// (A B - C)(x) of the polynomials through the rows, C through a o b.
  Scalar numerator_at(const Scalar& x, const Scalar& omega, std::span<const Scalar> a, std::span<const Scalar> b) {
    const auto lagrange = test::slow_lagrange(omega, a.size(), x);
    std::vector<Scalar> c;
    for (std::size_t i = 0; i < a.size(); ++i) c.push_back(a[i] * b[i]);
    return at(a, lagrange) * at(b, lagrange) - at(c, lagrange);
  }

  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(QuotientTest, Curves);

TYPED_TEST(QuotientTest, MonomialsTimesVanishingPolynomialAreTheNumerator) {
  using Fr = typename TypeParam::Fr;
  for (const RootFamily roots : {RootFamily::iden3, RootFamily::bellperson}) {
    for (const std::size_t n : {1u, 2u, 4u, 64u}) {
      auto a = this->random_rows(n);
      auto b = this->random_rows(n);
      const auto domain = test::must(quotient_domain<TypeParam>(this->arena, n, QuotientBasis::coset_monomials, roots));
      const Fr x = test::uniform_element<Fr>(this->random);
      const Fr expected = this->numerator_at(x, domain.omega(), a, b);

      std::vector<Fr> c(n);
      const auto h = quotient<Fr>(this->arena, domain, QuotientBasis::coset_monomials, a, b, c);
      ASSERT_EQ(h.size(), n - 1);
      Fr sum = Fr::zero();
      for (std::size_t i = n - 1; i-- > 0;) sum = sum * x + Fr::from_canonical(h[i]);
      EXPECT_EQ(sum * (x.pow(u64{n}) - Fr::one()), expected);
    }
  }
}

TYPED_TEST(QuotientTest, OddCosetScalarsAreTheValuesThere) {
  using Fr = typename TypeParam::Fr;
  for (const RootFamily roots : {RootFamily::iden3, RootFamily::bellperson}) {
    for (const std::size_t n : {1u, 2u, 4u, 32u}) {
      auto a = this->random_rows(n);
      auto b = this->random_rows(n);
      const auto before_a = a;
      const auto before_b = b;
      const auto domain =
          test::must(quotient_domain<TypeParam>(this->arena, n, QuotientBasis::odd_coset_lagrange, roots));
      std::vector<Fr> c(n);
      const auto h = quotient<Fr>(this->arena, domain, QuotientBasis::odd_coset_lagrange, a, b, c);
      ASSERT_EQ(h.size(), n);
      Fr x = domain.odd_shift();
      EXPECT_EQ(x.squared(), domain.omega());
      for (std::size_t j = 0; j < n; ++j, x *= domain.omega()) {
        EXPECT_EQ(h[j], this->numerator_at(x, domain.omega(), before_a, before_b).canonical());
      }
    }
  }
}

TYPED_TEST(QuotientTest, EveryPassLooksAtTheStop) {
  using Fr = typename TypeParam::Fr;
  std::stop_source stop;
  stop.request_stop();
  for (const QuotientBasis basis : {QuotientBasis::odd_coset_lagrange, QuotientBasis::coset_monomials}) {
    const std::size_t n = 2048;
    const auto domain = test::must(quotient_domain<TypeParam>(this->arena, n, basis, RootFamily::iden3));
    auto a = this->random_rows(n);
    auto b = this->random_rows(n);
    const auto before_a = a;
    const auto before_b = b;
    std::vector<Fr> c(n, Fr::one());
    quotient<Fr>(this->arena, domain, basis, a, b, c, stop.get_token());
    EXPECT_EQ(a, before_a);
    EXPECT_EQ(b, before_b);
    EXPECT_EQ(c, std::vector<Fr>(n, Fr::one()));
  }
}

TYPED_TEST(QuotientTest, DomainsBeyondTheTwoAdicityAreRefused) {
  using Fr = typename TypeParam::Fr;
  constexpr std::size_t kLargest = std::size_t{1} << Fr::Constants::two_adicity;
  for (const auto& [size, basis] :
       {std::pair{2 * kLargest, QuotientBasis::coset_monomials}, std::pair{kLargest, QuotientBasis::odd_coset_lagrange},
        std::pair{std::size_t{0}, QuotientBasis::coset_monomials},
        std::pair{std::size_t{12}, QuotientBasis::coset_monomials}}) {
    const auto domain = quotient_domain<TypeParam>(this->arena, size, basis, RootFamily::iden3);
    ASSERT_FALSE(domain);
    EXPECT_EQ(domain.error().code(), Code::unsupported);
    EXPECT_EQ(domain.error().kind(), Kind::bad_domain);
  }
}

}  // namespace
}  // namespace cuzk::groth16
