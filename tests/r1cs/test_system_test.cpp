#include "r1cs/test_system.h"

#include <gtest/gtest.h>

#include "r1cs/digest.h"
#include "support/hex.h"
#include "tests/gen/programs.h"

namespace cuzk::r1cs {
namespace {

template <class F> class TestSystemTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(TestSystemTest, Fields);

/// x^3 + x + 5 = out.
template <class Fr> struct Cubic {
  explicit Cubic(u64 value) {
    const Fr xs = Fr::from_u64(value);
    out = cs.input(xs * xs * xs + xs + Fr::from_u64(5));
    x = cs.alloc(xs);
    square = cs.alloc(xs * xs);
    cube = cs.alloc(xs * xs * xs);
    cs.enforce(term(x), term(x), term(square));
    cs.enforce(term(square), term(x), term(cube));
    cs.enforce(
        [&](auto& lc) {
          lc.add(cube);
          lc.add(Variable::one(), Fr::from_u64(5));
          lc.add(x);
        },
        kOne, term(out));
  }
  TestSystem<Fr> cs;
  Variable out, x, square, cube;
};

TYPED_TEST(TestSystemTest, StartsWithOneAlone) {
  TestSystem<TypeParam> cs;
  EXPECT_EQ(cs.num_inputs(), 1u);
  EXPECT_EQ(cs.num_aux(), 0u);
  EXPECT_EQ(cs.num_constraints(), 0u);
  EXPECT_TRUE(cs.value(Variable::one()).is_one());
  EXPECT_TRUE(cs.is_satisfied());
}

TYPED_TEST(TestSystemTest, CountsVariablesConstraintsAndTerms) {
  Cubic<TypeParam> cubic(3);
  EXPECT_EQ(cubic.cs.num_inputs(), 2u);
  EXPECT_EQ(cubic.cs.num_aux(), 3u);
  EXPECT_EQ(cubic.cs.num_constraints(), 3u);
  using Side = typename TestSystem<TypeParam>::Side;
  EXPECT_EQ(cubic.cs.num_terms(Side::a), 5u);
  EXPECT_EQ(cubic.cs.num_terms(Side::b), 3u);
  EXPECT_EQ(cubic.cs.num_terms(Side::c), 3u);
}

TYPED_TEST(TestSystemTest, FindsTheFirstUnsatisfiedConstraint) {
  Cubic<TypeParam> cubic(3);
  EXPECT_EQ(cubic.cs.first_unsatisfied(), std::nullopt);
  cubic.cs.set(cubic.out, TypeParam::from_u64(36));
  EXPECT_EQ(cubic.cs.first_unsatisfied(), 2u);
  cubic.cs.set(cubic.cube, TypeParam::from_u64(28));
  EXPECT_EQ(cubic.cs.first_unsatisfied(), 1u);
  cubic.cs.set(cubic.square, TypeParam::from_u64(8));
  EXPECT_EQ(cubic.cs.first_unsatisfied(), 0u);
}

TYPED_TEST(TestSystemTest, RowTextShowsTermsInOrder) {
  Cubic<TypeParam> cubic(3);
  EXPECT_EQ(cubic.cs.row_text(2), "(5 I0 + 1 A0 + 1 A2) * (1 I0) = (1 I1)");
  cubic.cs.enforce(kNothing, kNothing, [&](auto& lc) {
    lc.sub(cubic.x);
    lc.sub(cubic.out);
  });
  EXPECT_EQ(cubic.cs.row_text(3), "() * () = (-1 I1 - 1 A0)");
}

TYPED_TEST(TestSystemTest, SumsRepeatedTermsAndDropsZeros) {
  using Fr = TypeParam;
  TestSystem<Fr> cs;
  const Variable x = cs.alloc(Fr::from_u64(7));
  const Variable y = cs.alloc(Fr::from_u64(9));
  cs.enforce(
      [&](auto& lc) {
        lc.add(y);
        lc.add(x);
        lc.sub(x);
        lc.add(y, Fr::from_u64(2));
      },
      [&](auto& lc) {
        lc.add(x, Fr::zero());
        lc.add(Variable::one(), Fr::from_u64(3));
        lc.add(Variable::one());
      },
      [&](auto& lc) {
        lc.add(y, Fr::from_u64(12));
        lc.add(x, Fr::from_u64(0));
      });
  EXPECT_EQ(cs.row_text(0), "(3 A1) * (4 I0) = (12 A1)");
  EXPECT_TRUE(cs.is_satisfied());
}

TYPED_TEST(TestSystemTest, CountsOutermostBlocks) {
  TestSystem<TypeParam> cs;
  {
    const Block outer(cs);
    const Block inner(cs);
  }
  const Block second(cs);
  EXPECT_EQ(cs.num_blocks(), 2u);
}

TYPED_TEST(TestSystemTest, AgreesWithTheBuilderOnRandomCircuits) {
  for (const std::size_t steps : {0u, 1u, 10u, 300u}) {
    const auto program = test::random_program<TypeParam>(steps, this->random);
    TestSystem<TypeParam> cs;
    program.run(cs);
    const auto circuit = program.circuit();
    EXPECT_EQ(cs.num_constraints(), program.constraints);
    EXPECT_EQ(cs.num_blocks(), program.constraints);
    EXPECT_EQ(cs.matrices_digest(), matrices_digest<TypeParam>(circuit));
    EXPECT_EQ(cs.densities().a, densities<TypeParam>(circuit).a);
    EXPECT_EQ(cs.densities().b, densities<TypeParam>(circuit).b);
    EXPECT_EQ(cs.first_unsatisfied(), std::nullopt);
    std::vector<U256> values;
    for (const TypeParam& value : program.z()) values.push_back(value.canonical());
    EXPECT_TRUE(std::ranges::equal(cs.witness().values(), values));
  }
}

TYPED_TEST(TestSystemTest, EvaluatesRowsAsGiven) {
  using Fr = TypeParam;
  const auto program = test::random_program<Fr>(300, this->random);
  TestSystem<Fr> cs;
  program.run(cs);
  std::size_t row = 0;
  for (const auto& step : program.steps) {
    if (step.kind != test::Program<Fr>::Kind::enforce) continue;
    for (const auto side : TestSystem<Fr>::kSides) {
      EXPECT_EQ(cs.evaluate(side, row), program.evaluate(step.sides[static_cast<std::size_t>(side)]));
    }
    ++row;
  }
}

/// The definition, one piece at a time.
template <class Fr> Blake2s256::Digest slow_hash(const TestSystem<Fr>& cs) {
  Blake2s256 hash;
  const auto put = [&](std::uint64_t value) {
    std::byte bytes[8];
    store_be(bytes, value);
    hash.update(bytes);
  };
  put(cs.num_inputs());
  put(cs.num_aux());
  put(cs.num_constraints());
  for (std::size_t row = 0; row < cs.num_constraints(); ++row) {
    for (const auto side : TestSystem<Fr>::kSides) {
      const auto terms = cs.terms(side, row);
      put(terms.size());
      for (const auto& term : terms) {
        hash.update(text_bytes(term.variable.is_input() ? "I" : "A"));
        put(term.variable.index());
        std::byte coefficient[32];
        term.coefficient.canonical().to_be_bytes(coefficient);
        hash.update(coefficient);
      }
    }
  }
  return hash.finish();
}

TYPED_TEST(TestSystemTest, HashIsThatOfTheDefinition) {
  for (const std::size_t steps : {0u, 1u, 2000u}) {
    TestSystem<TypeParam> cs;
    test::random_program<TypeParam>(steps, this->random).run(cs);
    EXPECT_EQ(cs.hash(), slow_hash(cs));
  }
}

}  // namespace
}  // namespace cuzk::r1cs
