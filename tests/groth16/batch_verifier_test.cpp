#include "groth16/batch_verifier.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/groth16/proofs.h"
#include "tests/support/must.h"

namespace cuzk::groth16 {
namespace {

template <class C> class BatchVerifierTest : public testing::Test {
 protected:
  /// `count` valid proofs, each of inputs of its own.
  void fill(std::size_t count) {
    inputs.clear();
    items.clear();
    for (std::size_t i = 0; i < count; ++i) inputs.push_back(forge.random_inputs());
    for (const auto& values : inputs) items.push_back({values, forge.proof_of(values)});
  }

  std::vector<std::size_t> refused() {
    std::vector<std::size_t> indices;
    for (const Refusal& refusal : test::must(batch_verify<C>(arena, key, items))) indices.push_back(refusal.index);
    return indices;
  }

  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
  test::Forge<C> forge{2, random};
  PreparedVerifyingKey<C> key{forge.key};
  std::vector<std::vector<U256>> inputs;
  std::vector<BatchItem<C>> items;
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(BatchVerifierTest, Curves);

TYPED_TEST(BatchVerifierTest, AcceptsValidProofs) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 9u, 17u}) {
    this->fill(count);
    EXPECT_TRUE(this->refused().empty()) << count;
  }
}

TYPED_TEST(BatchVerifierTest, NamesTheWrongProofs) {
  for (int round = 0; round < 6; ++round) {
    this->fill(9);
    std::set<std::size_t> wrong;
    for (int i = 0; i <= round / 2; ++i) {
      const std::size_t at = this->random() % 9;
      wrong.insert(at);
      this->items[at].proof.c = g1_generator<TypeParam>();
    }
    EXPECT_EQ(this->refused(), std::vector<std::size_t>(wrong.begin(), wrong.end()));
  }
}

TYPED_TEST(BatchVerifierTest, ErrorsThatWouldCancelAreFound) {
  // C_0 + D and C_1 - D: an unweighted product of the two equations would hold.
  using G1 = typename TypeParam::G1;
  this->fill(4);
  const auto d = test::in_g1<TypeParam>(test::uniform_element<typename TypeParam::Fr>(this->random));
  this->items[0].proof.c = (G1::from_affine(this->items[0].proof.c) + d).to_affine();
  this->items[1].proof.c = (G1::from_affine(this->items[1].proof.c) + -d).to_affine();
  EXPECT_EQ(this->refused(), (std::vector<std::size_t>{0, 1}));
}

TYPED_TEST(BatchVerifierTest, SwappedInputsAreFound) {
  this->fill(3);
  std::swap(this->items[0].public_inputs, this->items[2].public_inputs);
  EXPECT_EQ(this->refused(), (std::vector<std::size_t>{0, 2}));
}

TYPED_TEST(BatchVerifierTest, AllWrong) {
  this->fill(5);
  for (auto& item : this->items) item.proof.a = -item.proof.a;
  EXPECT_EQ(this->refused(), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TYPED_TEST(BatchVerifierTest, EachRefusalHasTheReasonOfVerify) {
  this->fill(5);
  this->items[1].proof.b = {};
  this->items[2].public_inputs = this->items[2].public_inputs.first(1);
  this->items[4].proof.c = g1_generator<TypeParam>();
  const auto refusals = test::must(batch_verify<TypeParam>(this->arena, this->key, this->items));
  ASSERT_EQ(refusals.size(), 3u);
  for (const Refusal& refusal : refusals) {
    const auto& item = this->items[refusal.index];
    const Status single = verify(this->arena, this->key, item.public_inputs, item.proof);
    ASSERT_FALSE(single);
    EXPECT_EQ(refusal.error.kind(), single.error().kind());
    EXPECT_EQ(refusal.error.code(), single.error().code());
  }
}

TYPED_TEST(BatchVerifierTest, FailureOfTheRandomSourceIsPassedOn) {
  this->fill(2);
  const auto result = batch_verify<TypeParam>(this->arena, this->key, this->items, [](MutableBytes) -> Status {
    return fail(Code::unavailable, "no randomness");
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::unavailable);
}

}  // namespace
}  // namespace cuzk::groth16
