#include "r1cs/compiled_circuit.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/gen/circuits.h"

namespace cuzk::r1cs {
namespace {

template <class F> class CompiledCircuitTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(CompiledCircuitTest, Fields);

TYPED_TEST(CompiledCircuitTest, RowsAreSortedMergedAndFreeOfZeros) {
  using Fr = TypeParam;
  for (int round = 0; round < 50; ++round) {
    CircuitBuilder<Fr> builder(6, 1);
    std::map<Variable, Fr> expected;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto variable = static_cast<Variable>(this->random() % 6);
      Fr coefficient = test::circuit_coefficient<Fr>(this->random);
      if (i == 7 && expected.contains(variable)) coefficient = -expected[variable];  // cancels
      builder.add_term(CircuitBuilder<Fr>::Side::b, variable, coefficient);
      expected.try_emplace(variable, Fr::zero()).first->second += coefficient;
    }
    builder.end_constraint();
    std::erase_if(expected, [](const auto& term) { return term.second.is_zero(); });

    const auto circuit = std::move(builder).finish();
    ASSERT_EQ(circuit.num_constraints(), 1u);
    EXPECT_TRUE(circuit.a.row(0).empty());
    const auto row = circuit.b.row(0);
    ASSERT_EQ(row.size(), expected.size());
    std::size_t i = 0;
    for (const auto& [variable, coefficient] : expected) {
      EXPECT_EQ(row[i].variable, variable);
      EXPECT_EQ(circuit.coefficients[row[i].coefficient], coefficient);
      ++i;
    }
  }
}

TYPED_TEST(CompiledCircuitTest, DictionaryHoldsEachCoefficientOnce) {
  using Fr = TypeParam;
  const auto [circuit, z] = test::random_circuit<Fr>({200, 2, 20}, this->random);
  for (std::size_t i = 0; i < circuit.coefficients.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(circuit.coefficients[i], circuit.coefficients[j]);
  }
}

TYPED_TEST(CompiledCircuitTest, SatisfiedCircuitHasNoUnsatisfiedConstraint) {
  using Fr = TypeParam;
  for (const std::size_t constraints : {0u, 1u, 2u, 3000u}) {
    const auto satisfied = test::random_circuit<Fr>({constraints, 2, 30}, this->random);
    EXPECT_EQ(first_unsatisfied(this->arena, satisfied.circuit, std::span(satisfied.z)), std::nullopt);
    EXPECT_EQ(first_unsatisfied(this->arena, satisfied.circuit, std::span<const U256>(satisfied.values())),
              std::nullopt);
  }
}

TYPED_TEST(CompiledCircuitTest, FirstUnsatisfiedIsThatOfARowByRowSearch) {
  using Fr = TypeParam;
  for (int round = 0; round < 10; ++round) {
    auto satisfied = test::random_circuit<Fr>({3000, 1, 2000}, this->random);
    const auto& circuit = satisfied.circuit;
    Fr& changed = satisfied.z[1 + this->random() % 2001];
    changed += Fr::one();
    const std::span<const Fr> z = satisfied.z;
    std::optional<std::size_t> expected;
    for (std::size_t row = circuit.num_constraints(); row-- > 0;) {
      if (evaluate_row(circuit, circuit.a, row, z) * evaluate_row(circuit, circuit.b, row, z) !=
          evaluate_row(circuit, circuit.c, row, z)) {
        expected = row;
      }
    }
    EXPECT_EQ(first_unsatisfied(this->arena, circuit, z), expected);
  }
}

TYPED_TEST(CompiledCircuitTest, EvaluateRowIsTheInnerProduct) {
  using Fr = TypeParam;
  const auto [circuit, z] = test::random_circuit<Fr>({50, 2, 10}, this->random);
  for (std::size_t row = 0; row < 50; ++row) {
    Fr sum = Fr::zero();
    for (const Term& term : circuit.a.row(row)) sum += circuit.coefficients[term.coefficient] * z[term.variable];
    EXPECT_EQ(evaluate_row(circuit, circuit.a, row, std::span<const Fr>(z)), sum);
  }
}

}  // namespace
}  // namespace cuzk::r1cs
