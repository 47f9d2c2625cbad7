#include "r1cs/row_circuit.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "r1cs/digest.h"
#include "tests/gen/circuits.h"

namespace cuzk::r1cs {
namespace {

template <class F> class RowCircuitTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(RowCircuitTest, Fields);

TYPED_TEST(RowCircuitTest, RowsAreSortedMergedAndFreeOfZeros) {
  using Fr = TypeParam;
  for (int round = 0; round < 50; ++round) {
    CircuitBuilder<Fr> builder(6, 1);
    std::map<Wire, Fr> expected;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto variable = static_cast<Wire>(this->random() % 6);
      Fr coefficient = test::circuit_coefficient<Fr>(this->random);
      if (i == 7 && expected.contains(variable)) coefficient = -expected[variable];  // cancels
      builder.add_term(CircuitBuilder<Fr>::Side::b, variable, coefficient);
      expected.try_emplace(variable, Fr::zero()).first->second += coefficient;
    }
    builder.end_constraint();
    std::erase_if(expected, [](const auto& term) { return term.second.is_zero(); });

    const auto circuit = std::move(builder).finish();
    ASSERT_EQ(circuit.num_constraints(), 1u);
    EXPECT_TRUE(circuit.a().row(0).empty());
    const auto row = circuit.b().row(0);
    ASSERT_EQ(row.size(), expected.size());
    std::size_t i = 0;
    for (const auto& [variable, coefficient] : expected) {
      EXPECT_EQ(row[i].wire, variable);
      EXPECT_EQ(circuit.coefficients()[row[i].coefficient], coefficient);
      ++i;
    }
  }
}

TYPED_TEST(RowCircuitTest, DictionaryHoldsEachCoefficientOnce) {
  using Fr = TypeParam;
  const auto [circuit, z] = test::random_circuit<Fr>({200, 2, 20}, this->random);
  for (std::size_t i = 0; i < circuit.coefficients().size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(circuit.coefficients()[i], circuit.coefficients()[j]);
  }
}

TYPED_TEST(RowCircuitTest, VisitsItsRowsInOrder) {
  const auto [circuit, z] = test::random_circuit<TypeParam>({50, 2, 10}, this->random);
  std::size_t next = 7;
  circuit.visit_rows(7, 33, [&](const Row& row) {
    ASSERT_EQ(row.index, next++);
    EXPECT_EQ(row.a.data(), circuit.a().row(row.index).data());
    EXPECT_EQ(row.b.data(), circuit.b().row(row.index).data());
    EXPECT_EQ(row.c.data(), circuit.c().row(row.index).data());
  });
  EXPECT_EQ(next, 33u);
}

TYPED_TEST(RowCircuitTest, RowsOfRowsAreTheSame) {
  const auto circuit = test::random_circuit<TypeParam>({50, 2, 10}, this->random).circuit;
  const auto copy = to_rows<TypeParam>(circuit);
  EXPECT_EQ(copy.num_public(), circuit.num_public());
  EXPECT_EQ(copy.non_zeros(), circuit.non_zeros());
  EXPECT_EQ(matrices_digest<TypeParam>(copy), matrices_digest<TypeParam>(circuit));
}

TYPED_TEST(RowCircuitTest, RecordsInAnyOrderAreTheRowsOfAAndB) {
  using Fr = TypeParam;
  using Records = CoefficientRecords<Fr>;
  const auto circuit = test::random_circuit<Fr>({50, 2, 10}, this->random).circuit;
  const auto in_order = test::coefficient_records(circuit);
  std::vector<std::size_t> numbers(in_order.size() / Records::kBytes);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  numbers.push_back(0);  // one record twice
  std::ranges::shuffle(numbers, this->random);
  std::vector<std::byte> bytes;
  for (const std::size_t i : numbers) {
    const auto record = std::span(in_order).subspan(i * Records::kBytes, Records::kBytes);
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  const Records records(bytes, false);
  const std::size_t rows = circuit.num_constraints() + circuit.num_inputs();
  const auto of_records = to_rows<Fr>(records, circuit.num_variables(), circuit.num_public(), rows + 5);

  ASSERT_EQ(of_records.num_constraints(), rows + 5);
  EXPECT_EQ(of_records.num_inputs(), circuit.num_inputs());
  EXPECT_EQ(of_records.non_zeros().c, 0u);
  using Terms = std::map<Wire, Fr>;
  const auto terms_of = [](const RowCircuit<Fr>& from, std::span<const Term> row) {
    Terms terms;
    for (const Term& term : row) terms.emplace(term.wire, from.coefficients()[term.coefficient]);
    return terms;
  };
  const auto first = Records(in_order, true)[0];
  for (std::size_t row = 0; row < rows + 5; ++row) {
    Terms a, b;
    if (row < circuit.num_constraints()) {
      a = terms_of(circuit, circuit.a().row(row));
      b = terms_of(circuit, circuit.b().row(row));
    } else if (row < rows) {
      a = {{static_cast<Wire>(row - circuit.num_constraints()), Fr::one()}};
    }
    if (row == first.row) {
      Fr& doubled = (first.matrix == 0 ? a : b).at(first.variable);
      doubled += doubled;
    }
    EXPECT_EQ(terms_of(of_records, of_records.a().row(row)), a) << row;
    EXPECT_EQ(terms_of(of_records, of_records.b().row(row)), b) << row;
  }
}

}  // namespace
}  // namespace cuzk::r1cs
