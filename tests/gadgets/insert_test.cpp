#include "gadgets/insert.h"

#include <random>

#include <gtest/gtest.h>

#include "gadgets/multipack.h"
#include "tests/gadgets/gadget_vector.h"
#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk::gadgets {
namespace {

using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;
using Nums = std::vector<Num<Fr>>;

Nums alloc_random(Cs& cs, std::size_t count, std::mt19937_64& random) {
  Nums nums;
  while (nums.size() < count) nums.push_back(alloc_num(cs, test::uniform_element<Fr>(random)));
  return nums;
}

TEST(PickTest, ChoosesByTheBit) {
  std::mt19937_64 random(test::run_seed());
  for (const bool bit : {false, true}) {
    for (const bool negated : {false, true}) {
      Cs cs;
      const Nums nums = alloc_random(cs, 2, random);
      const Boolean is = alloc_bit(cs, bit);
      const Boolean chosen = negated ? !is : is;
      const auto x = pick(cs, chosen, nums[0], nums[1]);
      EXPECT_EQ(x.value, nums[chosen.value() ? 0 : 1].value);
      EXPECT_EQ(cs.num_constraints(), 2u);
      EXPECT_TRUE(cs.is_satisfied());
      cs.set(x.variable, x.value + Fr::one());
      EXPECT_EQ(cs.first_unsatisfied(), 1u);
    }
  }
}

TEST(SelectTest, TakesTheNumberedOne) {
  std::mt19937_64 random(test::run_seed());
  for (unsigned bits = 0; bits <= 4; ++bits) {
    for (std::size_t index = 0; index < std::size_t{1} << bits; ++index) {
      Cs cs;
      const Nums from = alloc_random(cs, std::size_t{1} << bits, random);
      const auto number = alloc_bits(cs, index, bits);
      const auto x = select<Cs>(cs, from, number);
      EXPECT_EQ(x.value, from[index].value);
      EXPECT_EQ(cs.num_constraints(), bits + (std::size_t{1} << bits) - 1);
      EXPECT_TRUE(cs.is_satisfied());
    }
  }
}

struct Facts {
  unsigned arity;
  unsigned bits;
  std::size_t constraints;
  const char* cs_hash;
  const char* matrices;
};
// x, siblings, bits, then the gadget.
constexpr Facts kFacts[] = {
    {2, 1, 2, "689a1f94d5942cbaf0724fb73159bcfa4126c1a34bfff9150d1198cbf2f801bd",
     "a8dc9e4dae2d47159542920f5732648a2bea38ba123371847058cc3a152d5ea1"},
    {4, 2, 8, "a52b98e300a673fb226a77ec8494450a25c4d8aad34fe5b8ddce7511eb48c996",
     "02e7e2c84b41289b7a0750bdfb75e67b66765851c825f4bad019fa0266c7c1b4"},
    {8, 3, 22, "5c118dc22a1056883524d84d359583239f4aacd0560ded4acd9f79be545bb310",
     "c9ca72c219a52a2999f94f3a19c0ac5ed8b848e3d996f0644b5f27613554032d"},
};

class InsertTest : public testing::TestWithParam<Facts> {};
INSTANTIATE_TEST_SUITE_P(Arities, InsertTest, testing::ValuesIn(kFacts),
                         [](const auto& param) { return std::to_string(param.param.arity); });

TEST_P(InsertTest, HasTheReferencesShape) {
  Cs cs;
  const auto x = alloc_num(cs, Fr::zero());
  Nums siblings;
  while (siblings.size() + 1 < GetParam().arity) siblings.push_back(alloc_num(cs, Fr::zero()));
  const auto bits = alloc_bits(cs, 0, GetParam().bits);
  insert<Cs>(cs, x, bits, siblings);
  EXPECT_EQ(cs.num_constraints(), GetParam().bits + GetParam().constraints);
  EXPECT_EQ(encode_hex(cs.hash()), GetParam().cs_hash);
  EXPECT_EQ(encode_hex(cs.matrices_digest()), GetParam().matrices);
}

TEST_P(InsertTest, PutsTheNodeAtEveryPosition) {
  std::mt19937_64 random(test::run_seed());
  for (std::size_t index = 0; index < GetParam().arity; ++index) {
    Cs cs;
    const Nums nums = alloc_random(cs, GetParam().arity, random);
    Nums expected(nums.begin() + 1, nums.end());
    expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(index), nums[0]);
    const auto bits = alloc_bits(cs, index, GetParam().bits);
    const auto children = insert<Cs>(cs, nums[0], bits, std::span(nums).subspan(1));
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(children[i].value, expected[i].value);
    EXPECT_TRUE(cs.is_satisfied());
  }
}

/// The vector allocates the bits before the siblings.
TEST_P(InsertTest, HasTheReferencesWitness) {
  const auto vector = test::gadget_vector("insert-" + std::to_string(GetParam().arity));
  Cs cs;
  const auto x = alloc_num(cs, vector.operand(0));
  const auto bits = alloc_bits(cs, vector.facts.at("result").at("index"), GetParam().bits);
  Nums siblings;
  for (std::size_t i = 1; i < GetParam().arity; ++i) {
    siblings.push_back(alloc_num(cs, vector.operand(GetParam().bits + i)));
  }
  const auto children = insert<Cs>(cs, x, bits, siblings);
  test::expect_matches(vector, cs);
  for (std::size_t i = 0; i < GetParam().arity; ++i) {
    EXPECT_EQ(test::scalar_hex(children[i].value), vector.facts.at("result").at("out")[i]);
  }
}

}  // namespace
}  // namespace cuzk::gadgets
