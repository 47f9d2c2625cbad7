#include "groth16/evaluate.h"

#include <gtest/gtest.h>

#include "r1cs/proving_system.h"
#include "r1cs/recording_system.h"
#include "r1cs/satisfaction.h"
#include "tests/gen/circuits.h"
#include "tests/r1cs/random_statements.h"

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
    rows.a[row] = is_constraint ? test::inner_product<Fr>(circuit.a().row(row), circuit.coefficients(), z) : of_input;
    rows.b[row] = is_constraint ? test::inner_product<Fr>(circuit.b().row(row), circuit.coefficients(), z) : Fr::zero();
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

/// Cuts three vectors at the same random rows.
template <class Fr>
std::vector<RowPart<Fr>> random_parts(std::span<Fr> a, std::span<Fr> b, std::span<Fr> c, std::mt19937_64& random) {
  std::vector<RowPart<Fr>> parts;
  for (std::size_t first = 0; first < a.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % (random() % 4 == 0 ? 3000 : 20), a.size() - first);
    parts.push_back({first, a.subspan(first, count), b.subspan(first, count), c.empty() ? c : c.subspan(first, count)});
    first += count;
  }
  return parts;
}

TYPED_TEST(EvaluateTest, DestinationsInPiecesGetTheSameRows) {
  using Fr = TypeParam;
  using Records = r1cs::CoefficientRecords<Fr>;
  for (const test::CircuitShape& shape : {test::CircuitShape{1, 0, 1}, {100, 3, 40}, {5000, 10, 3000}}) {
    const auto satisfied = test::random_circuit<Fr>(shape, this->random);
    const auto witness = satisfied.values();
    const std::size_t size = shape.constraints + shape.num_public + 1;  // no zeros behind
    const auto expected = slow_rows(satisfied, size);
    std::vector<Fr> product(size);
    for (std::size_t i = 0; i < size; ++i) product[i] = expected.a[i] * expected.b[i];
    const auto records = test::coefficient_records(satisfied.circuit);
    const auto in_disorder = shuffled(records, Records::kBytes, this->random);

    const auto check = [&](auto&& matrices, bool with_c) {
      Rows<Fr> rows(size);
      std::vector<Fr> c(with_c ? size : 0, Fr::one());
      const auto parts = random_parts<Fr>(rows.a, rows.b, c, this->random);
      evaluate<Fr>(this->arena, matrices, witness, std::span(parts));
      EXPECT_EQ(rows, expected);
      EXPECT_TRUE(c.empty() || c == product);
    };
    for (const bool with_c : {false, true}) {
      check(satisfied.circuit, with_c);
      check(Records(records, true), with_c);
      check(Records(in_disorder, false), with_c);
    }
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

TYPED_TEST(EvaluateTest, CircuitOfPiecesAgreesWithTheProvingSystem) {
  using Fr = TypeParam;
  for (const std::size_t pieces : {0u, 1u, 50u, 3000u}) {
    const std::uint64_t seed = this->random();
    r1cs::RecordingSystem<Fr> recorder;
    test::RandomStatements<Fr>(seed).write(recorder, pieces);
    const auto circuit = std::move(recorder).finish();

    const std::size_t size = std::bit_ceil(circuit.num_constraints() + circuit.num_inputs());
    Rows<Fr> expected(size), rows(size);
    std::fill(expected.a.begin(), expected.a.end(), Fr::zero());
    std::fill(expected.b.begin(), expected.b.end(), Fr::zero());
    std::vector<Fr> expected_c(size, Fr::zero()), c(size, Fr::one()), z(circuit.num_variables());
    r1cs::ProvingSystem<Fr> prover(circuit.num_inputs(), z,
                                   r1cs::EvaluationSpans<Fr>(expected.a, expected.b, expected_c));
    test::RandomStatements<Fr>(seed).write(prover, pieces);
    prover.finish();

    std::vector<U256> witness;
    for (const Fr& value : z) witness.push_back(value.canonical());
    evaluate<Fr>(this->arena, circuit, witness, rows.a, rows.b, c);
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(c, expected_c);
    Rows<Fr> without_c(size);
    evaluate<Fr>(this->arena, circuit, witness, without_c.a, without_c.b);
    EXPECT_EQ(without_c, expected);

    std::optional<std::size_t> first;
    for (std::size_t row = circuit.num_constraints(); row-- > 0;) {
      if (expected.a[row] * expected.b[row] != expected_c[row]) first = row;
    }
    EXPECT_EQ(r1cs::first_unsatisfied<Fr>(this->arena, circuit, witness), first);
  }
}

TYPED_TEST(EvaluateTest, AStopEndsIt) {
  using Fr = TypeParam;
  const auto satisfied = test::random_circuit<Fr>({5000, 10, 3000}, this->random);
  const auto witness = satisfied.values();
  const Rows<Fr> untouched(8192);
  Rows<Fr> rows = untouched;
  std::stop_source stop;
  stop.request_stop();
  evaluate<Fr>(this->arena, satisfied.circuit, witness, rows.a, rows.b, {}, stop.get_token());
  EXPECT_EQ(rows, untouched);
  const auto bytes = test::coefficient_records(satisfied.circuit);
  evaluate<Fr>(this->arena, r1cs::CoefficientRecords<Fr>(bytes, true), witness, rows.a, rows.b, stop.get_token());
  EXPECT_EQ(rows, untouched);
}

}  // namespace
}  // namespace cuzk::groth16
