#include "groth16/verifying_key.h"

#include <gtest/gtest.h>

#include "tests/groth16/proofs.h"

namespace cuzk::groth16 {
namespace {

template <class C> class VerifyingKeyTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(VerifyingKeyTest, Curves);

template <class C> void expect_insecure(const VerifyingKey<C>& key) {
  const Status status = check_ceremony(key);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::malformed);
  EXPECT_EQ(status.error().kind(), Kind::insecure_key);
}

TYPED_TEST(VerifyingKeyTest, CeremonyOfAnHonestKeyIsAccepted) {
  auto key = test::Forge<TypeParam>(2, this->random).key;
  EXPECT_TRUE(check_ceremony(key));
  key.gamma_g2 = g2_generator<TypeParam>();  // as in snarkjs' keys
  EXPECT_TRUE(check_ceremony(key));
}

TYPED_TEST(VerifyingKeyTest, MissingContributionsAndIdentitiesAreRefused) {
  const auto good = test::Forge<TypeParam>(2, this->random).key;
  auto key = good;
  key.delta_g2 = key.gamma_g2;
  expect_insecure(key);
  key = good;
  key.delta_g2 = g2_generator<TypeParam>();
  expect_insecure(key);
  key = good;
  key.alpha_g1 = {};
  expect_insecure(key);
  for (auto VerifyingKey<TypeParam>::* point :
       {&VerifyingKey<TypeParam>::beta_g2, &VerifyingKey<TypeParam>::gamma_g2, &VerifyingKey<TypeParam>::delta_g2}) {
    key = good;
    key.*point = {};
    expect_insecure(key);
  }
}

TYPED_TEST(VerifyingKeyTest, DigestDependsOnEachPointOfTheEquation) {
  const auto good = test::Forge<TypeParam>(2, this->random).key;
  const auto reference = digest(good);
  auto key = good;
  key.beta_g1 = {};  // the prover's points do not count
  key.delta_g1 = {};
  EXPECT_EQ(digest(key), reference);
  key = good;
  key.alpha_g1 = g1_generator<TypeParam>();
  EXPECT_NE(digest(key), reference);
  for (auto VerifyingKey<TypeParam>::* point :
       {&VerifyingKey<TypeParam>::beta_g2, &VerifyingKey<TypeParam>::gamma_g2, &VerifyingKey<TypeParam>::delta_g2}) {
    key = good;
    key.*point = g2_generator<TypeParam>();
    EXPECT_NE(digest(key), reference);
  }
  key = good;
  std::swap(key.ic[1], key.ic[2]);
  EXPECT_NE(digest(key), reference);
  key = good;
  key.ic.pop_back();
  EXPECT_NE(digest(key), reference);
}

}  // namespace
}  // namespace cuzk::groth16
