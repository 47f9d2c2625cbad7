#include "gadgets/poseidon.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/gadgets/gadget_vector.h"
#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk::gadgets {
namespace {

using hash::Fr;
using hash::PoseidonKind;
using Cs = r1cs::TestSystem<Fr>;
using Side = Cs::Side;

struct Facts {
  PoseidonKind kind;
  unsigned arity;
  std::size_t rows;
  std::array<std::size_t, 3> terms;
  const char* vector;
  const char* cs_hash;
};
// docs/circuits.md, "Counts"; hashes of the reference's TestConstraintSystem.
constexpr Facts kFacts[] = {
    {PoseidonKind::arity_2,
     2,
     311,
     {2119, 313, 386},
     "poseidon-2",
     "658f013f99360e164ad8e7f96290944601cc064f93c153d9ea7ac1275927175f"},
    {PoseidonKind::arity_4,
     4,
     377,
     {2573, 381, 467},
     "poseidon-4",
     "2360602a7c4555d454b46891236273f4ae308090bc916fdcef1fb81d00ebbe70"},
    {PoseidonKind::arity_8,
     8,
     505,
     {3598, 513, 624},
     "poseidon-8",
     "ab50aeda63344f7125999ef5c4af7777380b9015ec82ad48bac2213e9353b163"},
    {PoseidonKind::arity_11,
     11,
     598,
     {4462, 609, 738},
     "poseidon-11",
     "e94a28106cbb9a718e525f0f2593ce3b138350047854ebcc3c83472ed482a6f6"},
    {PoseidonKind::randomness,
     2,
     311,
     {2119, 313, 386},
     "poseidon-update-randomness-2",
     "9675551c881122d99caf9a20a4bf87878e1863c432265a33e98e1c1a74e246a8"},
};

class PoseidonGadgetTest : public testing::TestWithParam<Facts> {};
INSTANTIATE_TEST_SUITE_P(Kinds, PoseidonGadgetTest, testing::ValuesIn(kFacts), [](const auto& param) {
  std::string name = param.param.vector;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

std::vector<Num<Fr>> alloc_all(Cs& cs, std::span<const Fr> values) {
  std::vector<Num<Fr>> nums;
  for (const Fr& value : values) nums.push_back(alloc_num(cs, value));
  return nums;
}

std::vector<Fr> random_preimage(unsigned arity) {
  std::mt19937_64 random(test::run_seed());
  std::vector<Fr> preimage;
  while (preimage.size() < arity) preimage.push_back(test::biased_element<Fr>(random));
  return preimage;
}

TEST_P(PoseidonGadgetTest, HasTheReferencesShape) {
  const Facts& facts = GetParam();
  Cs cs;
  const auto preimage = alloc_all(cs, std::vector<Fr>(facts.arity));
  poseidon<Cs>(cs, facts.kind, preimage);
  EXPECT_EQ(cs.num_aux(), facts.arity + facts.rows);
  EXPECT_EQ(cs.num_constraints(), facts.rows);
  EXPECT_EQ(cs.num_terms(Side::a), facts.terms[0]);
  EXPECT_EQ(cs.num_terms(Side::b), facts.terms[1]);
  EXPECT_EQ(cs.num_terms(Side::c), facts.terms[2]);
  EXPECT_EQ(encode_hex(cs.hash()), facts.cs_hash);
  EXPECT_EQ(cs.num_blocks(), 1u);
}

TEST_P(PoseidonGadgetTest, HasTheReferencesWitness) {
  const auto vector = test::gadget_vector(GetParam().vector);
  std::vector<Fr> preimage;
  for (std::size_t i = 0; i < GetParam().arity; ++i) preimage.push_back(vector.operand(i));
  Cs cs;
  const auto nums = alloc_all(cs, preimage);
  const auto digest = poseidon<Cs>(cs, GetParam().kind, nums);
  test::expect_matches(vector, cs);
  EXPECT_EQ(test::scalar_hex(digest.value), vector.facts.at("result"));
}

TEST_P(PoseidonGadgetTest, IsTheHash) {
  const auto preimage = random_preimage(GetParam().arity);
  Cs cs;
  const auto nums = alloc_all(cs, preimage);
  const auto digest = poseidon<Cs>(cs, GetParam().kind, nums);
  EXPECT_TRUE(cs.is_satisfied());
  EXPECT_EQ(digest.value, cs.value(digest.variable));
  EXPECT_EQ(digest.value, hash::poseidon(GetParam().kind, std::span<const Fr>(preimage)));
}

/// Each variable is determined by the row of the same number, and the first row that a wrong value breaks is that one.
TEST_P(PoseidonGadgetTest, EveryVariableIsBound) {
  const auto preimage = random_preimage(GetParam().arity);
  Cs cs;
  const auto nums = alloc_all(cs, preimage);
  poseidon<Cs>(cs, GetParam().kind, nums);
  for (std::size_t row = 0; row < GetParam().rows; ++row) {
    const auto variable = r1cs::Variable::aux(static_cast<std::uint32_t>(GetParam().arity + row));
    const Fr right = cs.value(variable);
    cs.set(variable, right + Fr::one());
    ASSERT_EQ(cs.first_unsatisfied(), row);
    cs.set(variable, right);
  }
}

TEST(PoseidonRowsTest, AreMadeOnce) {
  EXPECT_EQ(&poseidon_rows(PoseidonKind::arity_8), &poseidon_rows(PoseidonKind::arity_8));
  EXPECT_EQ(poseidon_rows(PoseidonKind::arity_8).size(), 505u);
  EXPECT_EQ(poseidon_rows(PoseidonKind::arity_11).size(), kMaxPoseidonRows);
}

}  // namespace
}  // namespace cuzk::gadgets
