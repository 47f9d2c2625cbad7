#include "r1cs/row_circuit.h"

#include <algorithm>

namespace cuzk::r1cs {

template <class Fr> void RowCircuit<Fr>::visit_rows(std::size_t begin, std::size_t end, RowVisitor visitor) const {
  CUZK_ASSERT(begin <= end && end <= num_constraints());
  for (std::size_t row = begin; row < end; ++row) visitor({row, a_.row(row), b_.row(row), c_.row(row)});
}

template <class Fr>
CircuitBuilder<Fr>::CircuitBuilder(std::size_t num_variables, std::size_t num_public)
    : circuit_(num_variables, num_public) {
  CUZK_ASSERT(num_public < num_variables);
}

template <class Fr> void CircuitBuilder<Fr>::add_term(Side side, Wire wire, const Fr& coefficient) {
  CUZK_ASSERT(wire < circuit_.num_variables_);
  row_[static_cast<std::size_t>(side)].emplace_back(wire, coefficient);
}

template <class Fr> void CircuitBuilder<Fr>::end_constraint() {
  flush(circuit_.a_, row_[0]);
  flush(circuit_.b_, row_[1]);
  flush(circuit_.c_, row_[2]);
}

template <class Fr> RowCircuit<Fr> CircuitBuilder<Fr>::finish() && {
  CUZK_ASSERT(row_[0].empty() && row_[1].empty() && row_[2].empty());
  circuit_.coefficients_ = std::move(dictionary_).take();
  return std::move(circuit_);
}

template <class Fr> void CircuitBuilder<Fr>::flush(SparseMatrix& matrix, std::vector<std::pair<Wire, Fr>>& row) {
  const auto by_wire = [](const auto& x, const auto& y) { return x.first < y.first; };
  if (!std::is_sorted(row.begin(), row.end(), by_wire)) std::sort(row.begin(), row.end(), by_wire);
  for (std::size_t i = 0; i < row.size();) {
    const Wire wire = row[i].first;
    Fr sum = Fr::zero();
    for (; i < row.size() && row[i].first == wire; ++i) sum += row[i].second;
    if (!sum.is_zero()) matrix.terms.push_back({wire, dictionary_.intern(sum)});
  }
  matrix.row_begin.push_back(matrix.terms.size());
  row.clear();
}

template <class Fr> RowCircuit<Fr> to_rows(const CompiledCircuit<Fr>& circuit) {
  CircuitBuilder<Fr> builder(circuit.num_variables(), circuit.num_public());
  using Side = typename CircuitBuilder<Fr>::Side;
  const std::span<const Fr> coefficients = circuit.coefficients();
  circuit.visit_rows(0, circuit.num_constraints(), [&](const Row& row) {
    for (const Term& term : row.a) builder.add_term(Side::a, term.wire, coefficients[term.coefficient]);
    for (const Term& term : row.b) builder.add_term(Side::b, term.wire, coefficients[term.coefficient]);
    for (const Term& term : row.c) builder.add_term(Side::c, term.wire, coefficients[term.coefficient]);
    builder.end_constraint();
  });
  return std::move(builder).finish();
}

namespace {

/// Numbers of the records by row, and where each row's begin.
struct RecordOrder {
  std::vector<std::uint32_t> numbers;
  std::vector<std::size_t> begin;
};

template <class Fr> RecordOrder by_row(const CoefficientRecords<Fr>& records, std::size_t num_rows) {
  RecordOrder order{std::vector<std::uint32_t>(records.size()), std::vector<std::size_t>(num_rows + 1)};
  for (std::size_t i = 0; i < records.size(); ++i) ++order.begin[records[i].row + std::size_t{1}];
  for (std::size_t row = 0; row < num_rows; ++row) order.begin[row + 1] += order.begin[row];
  std::vector<std::size_t> next(order.begin.begin(), order.begin.end() - 1);
  for (std::size_t i = 0; i < records.size(); ++i) {
    order.numbers[next[records[i].row]++] = static_cast<std::uint32_t>(i);
  }
  return order;
}

}  // namespace

template <class Fr>
RowCircuit<Fr> to_rows(const CoefficientRecords<Fr>& records, std::size_t num_variables, std::size_t num_public,
                       std::size_t num_rows) {
  CircuitBuilder<Fr> builder(num_variables, num_public);
  using Side = typename CircuitBuilder<Fr>::Side;
  const RecordOrder order = by_row(records, num_rows);
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::size_t at = order.begin[row]; at < order.begin[row + 1]; ++at) {
      const CoefficientRecord<Fr> record = records[order.numbers[at]];
      const Fr coefficient = Fr::from_montgomery(record.value.canonical());  // c R^2 stored
      builder.add_term(record.matrix == 0 ? Side::a : Side::b, record.variable, coefficient);
    }
    builder.end_constraint();
  }
  return std::move(builder).finish();
}

#define CUZK_INSTANTIATE(Fr)                                   \
  template class RowCircuit<Fr>;                               \
  template class CircuitBuilder<Fr>;                           \
  template RowCircuit<Fr> to_rows(const CompiledCircuit<Fr>&); \
  template RowCircuit<Fr> to_rows(const CoefficientRecords<Fr>&, std::size_t, std::size_t, std::size_t);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::r1cs
