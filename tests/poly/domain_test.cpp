// poly/domain.h: which domains exist, their constants, and that each method is the transform of its name.
#include "poly/domain.h"

#include <gtest/gtest.h>

#include "tests/poly/ntt_reference.h"

namespace cuzk {
namespace {

template <class Fr> class DomainTest : public testing::Test {
 protected:
  Domain<Fr> domain(std::size_t size, RootFamily family) { return *Domain<Fr>::create(arena_, size, family); }

  std::mt19937_64 random_{test::run_seed()};
  Arena arena_{2};
};

using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(DomainTest, Fields);

TYPED_TEST(DomainTest, RefusesOtherSizes) {
  const std::size_t too_large = std::size_t{2} << TypeParam::Constants::two_adicity;
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{1000}, too_large, std::size_t{1} << 63}) {
    const auto domain = Domain<TypeParam>::create(this->arena_, size, RootFamily::iden3);
    ASSERT_FALSE(domain.has_value()) << size;
    EXPECT_EQ(domain.error().code(), Code::unsupported) << size;
  }
}

TYPED_TEST(DomainTest, OmegaHasTheOrderOfTheDomain) {
  for (const RootFamily family : {RootFamily::iden3, RootFamily::bellperson}) {
    for (const std::size_t size : {1U, 2U, 4U, 8U, 1024U}) {
      const auto domain = this->domain(size, family);
      EXPECT_EQ(domain.size(), size);
      EXPECT_EQ(std::size_t{1} << domain.log_size(), size);
      EXPECT_EQ(domain.family(), family);
      EXPECT_TRUE(domain.omega().pow(size).is_one());
      if (size > 1) {
        EXPECT_EQ(domain.omega().pow(size / 2), -TypeParam::one());
      }
      EXPECT_EQ(domain.odd_shift().squared(), domain.omega());
    }
  }
}

TYPED_TEST(DomainTest, TransformsAreTheOnesOfTheirNames) {
  for (const RootFamily family : {RootFamily::iden3, RootFamily::bellperson}) {
    for (const std::size_t size : {1U, 2U, 4U, 8U, 64U}) {
      const auto domain = this->domain(size, family);
      const auto a = test::random_elements<TypeParam>(size, this->random_);
      const auto shift = family == RootFamily::iden3 ? domain.odd_shift() : TypeParam::from_u64(7);
      auto values = a;
      domain.ntt(this->arena_, values);
      EXPECT_EQ(values, test::naive_values(a, domain.omega()));
      auto coefficients = values;
      domain.inverse_ntt(this->arena_, coefficients);
      EXPECT_EQ(coefficients, a);
      domain.to_coset(this->arena_, shift, values);
      EXPECT_EQ(values, test::naive_values(a, domain.omega(), shift));
      domain.coset_to_coefficients(this->arena_, shift, values);
      EXPECT_EQ(values, a);
    }
  }
}

TYPED_TEST(DomainTest, LagrangeAndVanishing) {
  for (const std::size_t size : {1U, 2U, 4U, 8U, 2048U}) {
    const auto domain = this->domain(size, RootFamily::iden3);
    const auto x = TypeParam::from_u64(5) + test::biased_element<TypeParam>(this->random_).squared();
    auto product = TypeParam::one();  // over the roots: x^N - 1
    auto root = TypeParam::one();
    for (std::size_t j = 0; j < size; ++j, root = root * domain.omega()) product *= x - root;
    EXPECT_EQ(domain.vanishing_at(x), product);
    EXPECT_TRUE(domain.vanishing_at(domain.omega()).is_zero());

    std::vector<TypeParam> basis(size);
    domain.lagrange_at(this->arena_, x, basis);
    auto sum = TypeParam::zero();
    for (const auto& b : basis) sum += b;
    EXPECT_TRUE(sum.is_one());
  }
}

TYPED_TEST(DomainTest, EveryPassLooksAtTheStop) {
  std::stop_source stop;
  stop.request_stop();
  const auto pulled = stop.get_token();
  const auto refused = Domain<TypeParam>::create(this->arena_, 4096, RootFamily::iden3, pulled);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), Code::cancelled);
  for (const std::size_t size : {256U, 4096U}) {  // of one block, and with wide passes
    const auto domain = this->domain(size, RootFamily::iden3);
    std::vector<TypeParam> a(size);
    for (std::size_t i = 0; i < size; ++i) a[i] = TypeParam::from_u64(i + 1);
    const auto before = a;
    domain.ntt(this->arena_, a, pulled);
    EXPECT_EQ(a, before);
    domain.inverse_ntt(this->arena_, a, pulled);
    EXPECT_EQ(a, before);
    domain.to_coset(this->arena_, domain.odd_shift(), a, pulled);
    EXPECT_EQ(a, before);
    domain.coset_to_coefficients(this->arena_, domain.odd_shift(), a, pulled);
    EXPECT_EQ(a, before);
  }
}

TEST(RootFamilies, AgreeOnBn254AndDifferOnBls12_381) {
  Arena arena(1);
  const auto omega = [&]<class Fr>(std::type_identity<Fr>, RootFamily family) {
    return Domain<Fr>::create(arena, 1024, family)->omega();
  };
  const std::type_identity<bn254::Fr> bn;
  const std::type_identity<bls12_381::Fr> bls;
  EXPECT_EQ(omega(bn, RootFamily::iden3), omega(bn, RootFamily::bellperson));
  EXPECT_NE(omega(bls, RootFamily::iden3), omega(bls, RootFamily::bellperson));
}

}  // namespace
}  // namespace cuzk
