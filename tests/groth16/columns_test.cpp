#include "groth16/columns.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gen/circuits.h"
#include "tests/gen/seed.h"

namespace cuzk::groth16 {
namespace {

using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
template <class F> class Columns : public testing::Test {};
TYPED_TEST_SUITE(Columns, Fields);

/// Row by row, term by term.
template <class Fr>
std::vector<Fr> slow_columns(const r1cs::RowCircuit<Fr>& circuit, std::span<const Fr> lagrange,
                             const ColumnFactors<Fr>& factors) {
  std::vector<Fr> sums(circuit.num_variables(), Fr::zero());
  const auto add = [&](const r1cs::SparseMatrix& matrix, const Fr& factor) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      for (const r1cs::Term& term : matrix.row(row)) {
        sums[term.wire] += factor * circuit.coefficients()[term.coefficient] * lagrange[row];
      }
    }
  };
  add(circuit.a(), factors.a);
  add(circuit.b(), factors.b);
  add(circuit.c(), factors.c);
  for (std::size_t i = 0; i < circuit.num_inputs(); ++i) {
    sums[i] += factors.a * lagrange[circuit.num_constraints() + i];
  }
  return sums;
}

// Sizes below a slice, of some slices, and of several batches; what was in the memory before is not counted.
TYPED_TEST(Columns, AreTheSumsOfTheirTerms) {
  using Fr = TypeParam;
  std::mt19937_64 random(test::run_seed());
  const auto element = [&] { return test::uniform_element<Fr>(random); };
  const test::CircuitShape shapes[] = {{1, 0, 1}, {3, 2, 0}, {5000, 3, 700}, {30'000, 400, 9000}};
  for (const test::CircuitShape& shape : shapes) {
    const auto circuit = test::random_circuit<Fr>(shape, random).circuit;
    std::vector<Fr> lagrange(circuit.num_constraints() + circuit.num_inputs());
    for (Fr& value : lagrange) value = element();
    const ColumnFactors<Fr> kFactors[] = {
        {.a = Fr::one()}, {.b = Fr::one()}, {.a = element(), .b = element(), .c = Fr::one()}, {.c = element()}};
    for (const ColumnFactors<Fr>& factors : kFactors) {
      const auto expected = slow_columns<Fr>(circuit, lagrange, factors);
      for (const unsigned threads : {1U, 2U, 3U}) {
        Arena arena(threads);
        std::vector<Fr> sums(circuit.num_variables(), element());
        weighted_columns<Fr>(arena, circuit, lagrange, factors, sums);
        EXPECT_EQ(sums, expected) << shape.constraints << " rows, " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace cuzk::groth16
