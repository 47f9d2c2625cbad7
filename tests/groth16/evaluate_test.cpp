#include "groth16/evaluate.h"

#include <gtest/gtest.h>

#include "tests/gen/circuits.h"

namespace cuzk::groth16 {
namespace {

template <class F> struct Rows {
  explicit Rows(std::size_t size) : a(size, F::one()), b(size, F::one()) {}  // not zero: evaluate must write all
  std::vector<F> a, b;
  bool operator==(const Rows&) const = default;
};

/// Row by row in Montgomery form.
template <class Fr> Rows<Fr> slow_rows(const test::SatisfiedCircuit<Fr>& satisfied, std::size_t size) {
  const auto& circuit = satisfied.circuit;
  Rows<Fr> rows(size);
  for (std::size_t row = 0; row < size; ++row) {
    const bool is_constraint = row < circuit.num_constraints();
    const std::size_t input = row - circuit.num_constraints();
    const Fr of_input = input < circuit.num_inputs() ? satisfied.z[input] : Fr::zero();
    const std::span<const Fr> z = satisfied.z;
    rows.a[row] = is_constraint ? evaluate_row(circuit, circuit.a, row, z) : of_input;
    rows.b[row] = is_constraint ? evaluate_row(circuit, circuit.b, row, z) : Fr::zero();
  }
  return rows;
}

std::vector<std::byte> shuffled(std::vector<std::byte> records, std::size_t record_bytes, std::mt19937_64& random) {
  for (std::size_t i = records.size() / record_bytes; i > 1; --i) {
    const auto at = [&](std::size_t k) { return records.begin() + static_cast<std::ptrdiff_t>(k * record_bytes); };
    const std::size_t j = random() % i;
    if (j != i - 1) std::swap_ranges(at(j), at(j + 1), at(i - 1));
  }
  return records;
}

template <class F> class EvaluateTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
  Arena arena = Arena::on_threads(3);
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(EvaluateTest, Fields);

TYPED_TEST(EvaluateTest, CircuitAndRecordsAgreeWithRowByRow) {
  using Fr = TypeParam;
  using Records = r1cs::CoefficientRecords<Fr>;
  const test::CircuitShape shapes[] = {{0, 0, 1}, {1, 0, 1}, {3, 4, 0}, {100, 3, 40}, {5000, 10, 3000}};
  for (const auto& shape : shapes) {
    const auto satisfied = test::random_circuit<Fr>(shape, this->random);
    const auto witness = satisfied.values();
    const std::size_t size = std::bit_ceil(shape.constraints + shape.num_public + 1) * 2;
    const auto expected = slow_rows(satisfied, size);

    Rows<Fr> rows(size);
    evaluate<Fr>(this->arena, satisfied.circuit, witness, rows.a, rows.b);
    EXPECT_EQ(rows, expected);

    const auto records = test::coefficient_records(satisfied.circuit);
    Rows<Fr> sorted(size);
    evaluate<Fr>(this->arena, Records(records, true), witness, sorted.a, sorted.b);
    EXPECT_EQ(sorted, expected);

    const auto in_disorder = shuffled(records, Records::kBytes, this->random);
    Rows<Fr> unsorted(size);
    evaluate<Fr>(this->arena, Records(in_disorder, false), witness, unsorted.a, unsorted.b);
    EXPECT_EQ(unsorted, expected);
  }
}

TYPED_TEST(EvaluateTest, RepeatedRecordsAreSummed) {
  using Fr = TypeParam;
  const auto satisfied = test::random_circuit<Fr>({10, 1, 5}, this->random);
  auto records = test::coefficient_records(satisfied.circuit);
  const auto once = records;
  records.insert(records.end(), once.begin(), once.end());
  Rows<Fr> rows(16);
  evaluate<Fr>(this->arena, r1cs::CoefficientRecords<Fr>(records, false), satisfied.values(), rows.a, rows.b);
  auto expected = slow_rows(satisfied, 16);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(rows.a[i], expected.a[i].doubled());
    EXPECT_EQ(rows.b[i], expected.b[i].doubled());
  }
}

}  // namespace
}  // namespace cuzk::groth16
