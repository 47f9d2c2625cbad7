#include "groth16/verifier.h"

#include <gtest/gtest.h>

#include "tests/groth16/proofs.h"

namespace cuzk::groth16 {
namespace {

template <class C> class VerifierTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(VerifierTest, Curves);

void expect_refused(const Status& status, Code code, Kind kind) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), code) << status.error().to_string();
  EXPECT_EQ(status.error().kind(), kind) << status.error().to_string();
}

TYPED_TEST(VerifierTest, AcceptsValidProofsForAnyNumberOfInputs) {
  for (const std::size_t num_public : {0u, 1u, 2u, 8u, 9u, 40u}) {
    test::Forge<TypeParam> forge(num_public, this->random);
    const PreparedVerifyingKey<TypeParam> key(forge.key);
    EXPECT_EQ(key.num_public(), num_public);
    const auto inputs = forge.random_inputs();
    EXPECT_TRUE(verify(this->arena, key, inputs, forge.proof_of(inputs)));
  }
}

TYPED_TEST(VerifierTest, RefusesAnyChangedPointOrInput) {
  using C = TypeParam;
  for (const std::size_t num_public : {3u, 12u}) {
    test::Forge<C> forge(num_public, this->random);
    const PreparedVerifyingKey<C> key(forge.key);
    const auto inputs = forge.random_inputs();
    const Proof<C> proof = forge.proof_of(inputs);
    for (std::size_t i = 0; i < num_public; ++i) {
      auto changed = inputs;
      changed[i] = (C::Fr::from_canonical(inputs[i]) + C::Fr::one()).canonical();
      expect_refused(verify(this->arena, key, changed, proof), Code::unsatisfied, Kind::invalid_proof);
    }
    Proof<C> changed = proof;
    changed.a = -proof.a;
    expect_refused(verify(this->arena, key, inputs, changed), Code::unsatisfied, Kind::invalid_proof);
    changed = proof;
    changed.b = g2_generator<C>();
    expect_refused(verify(this->arena, key, inputs, changed), Code::unsatisfied, Kind::invalid_proof);
    changed = proof;
    changed.c = proof.a;
    expect_refused(verify(this->arena, key, inputs, changed), Code::unsatisfied, Kind::invalid_proof);
  }
}

TYPED_TEST(VerifierTest, RefusesAnyChangedPointOfTheKey) {
  using C = TypeParam;
  test::Forge<C> forge(1, this->random);
  const auto inputs = forge.random_inputs();
  const Proof<C> proof = forge.proof_of(inputs);
  const auto expect_invalid = [&](const VerifyingKey<C>& key) {
    expect_refused(verify(this->arena, PreparedVerifyingKey<C>(key), inputs, proof), Code::unsatisfied,
                   Kind::invalid_proof);
  };
  auto key = forge.key;
  key.alpha_g1 = -key.alpha_g1;
  expect_invalid(key);
  for (auto VerifyingKey<C>::* point :
       {&VerifyingKey<C>::beta_g2, &VerifyingKey<C>::gamma_g2, &VerifyingKey<C>::delta_g2}) {
    key = forge.key;
    key.*point = -(key.*point);
    expect_invalid(key);
  }
  key = forge.key;
  key.ic[0] = -key.ic[0];
  expect_invalid(key);
}

TYPED_TEST(VerifierTest, RefusesWrongCounts) {
  test::Forge<TypeParam> forge(2, this->random);
  const PreparedVerifyingKey<TypeParam> key(forge.key);
  auto inputs = forge.random_inputs();
  const auto proof = forge.proof_of(inputs);
  inputs.push_back(U256::zero());
  expect_refused(verify(this->arena, key, inputs, proof), Code::malformed, Kind::public_count_mismatch);
  inputs.resize(1);
  expect_refused(verify(this->arena, key, inputs, proof), Code::malformed, Kind::public_count_mismatch);
  inputs.clear();
  expect_refused(verify(this->arena, key, inputs, proof), Code::malformed, Kind::public_count_mismatch);
}

TYPED_TEST(VerifierTest, RefusesSecondNamesOfTheSameInput) {
  using Fr = typename TypeParam::Fr;
  test::Forge<TypeParam> forge(1, this->random);
  const PreparedVerifyingKey<TypeParam> key(forge.key);
  const std::vector<U256> one = {U256::from_u64(1)};
  const auto proof = forge.proof_of(one);
  ASSERT_TRUE(verify(this->arena, key, one, proof));
  U256 one_plus_r = Fr::modulus;
  one_plus_r.add(U256::from_u64(1));
  for (const U256& other : {one_plus_r, Fr::modulus, U256{{~u64{0}, ~u64{0}, ~u64{0}, ~u64{0}}}}) {
    expect_refused(verify(this->arena, key, std::vector{other}, proof), Code::malformed, Kind::non_canonical);
  }
}

TYPED_TEST(VerifierTest, RefusesIdentities) {
  test::Forge<TypeParam> forge(1, this->random);
  const PreparedVerifyingKey<TypeParam> key(forge.key);
  const auto inputs = forge.random_inputs();
  const auto proof = forge.proof_of(inputs);
  auto changed = proof;
  changed.a = {};
  expect_refused(verify(this->arena, key, inputs, changed), Code::malformed, Kind::identity_point);
  changed = proof;
  changed.b = {};
  expect_refused(verify(this->arena, key, inputs, changed), Code::malformed, Kind::identity_point);
  changed = proof;
  changed.c = {};
  expect_refused(verify(this->arena, key, inputs, changed), Code::malformed, Kind::identity_point);
}

}  // namespace
}  // namespace cuzk::groth16
