#include "r1cs/compiled_circuit.h"

#include <algorithm>

#include "field/fp_batch.h"
#include "support/parallel_find.h"

namespace cuzk::r1cs {

namespace {

constexpr std::size_t kRowsPerChunk = 1024;         // three inner products each: some 100 us
constexpr std::size_t kConversionsPerChunk = 4096;  // one product each

/// sum of coefficient * z over a row; coefficients 1 and -1, the most common ones, cost no product.
template <class F, class Fr>
F inner_product(std::span<const Term> row, std::span<const Fr> coefficients, std::span<const Fr> z) noexcept {
  const F minus_one = -F::one();
  F sum = F::zero();
  for (const Term& term : row) {
    const F coefficient = F::from_montgomery(coefficients[term.coefficient].montgomery());
    const F value = F::from_montgomery(z[term.variable].montgomery());
    if (coefficient.is_one()) {
      sum += value;
    } else if (coefficient == minus_one) {
      sum -= value;
    } else {
      sum += coefficient * value;
    }
  }
  return sum;
}

template <class F, class Fr>
bool is_satisfied(const CompiledCircuit<Fr>& circuit, std::size_t row, std::span<const Fr> z) noexcept {
  const std::span<const Fr> coefficients = circuit.coefficients;
  return inner_product<F>(circuit.a.row(row), coefficients, z) *
             inner_product<F>(circuit.b.row(row), coefficients, z) ==
         inner_product<F>(circuit.c.row(row), coefficients, z);
}

}  // namespace

template <class Fr>
Fr evaluate_row(const CompiledCircuit<Fr>& circuit, const SparseMatrix& matrix, std::size_t row,
                std::span<const Fr> z) noexcept {
  return inner_product<Fr, Fr>(matrix.row(row), circuit.coefficients, z);
}

template <class Fr>
std::optional<std::size_t> first_unsatisfied(Arena& arena, const CompiledCircuit<Fr>& circuit, std::span<const Fr> z) {
  CUZK_ASSERT(z.size() == circuit.num_variables);
  return with_isa([&]<class Isa>() {
    return parallel_find_first(arena, 0, circuit.num_constraints(), kRowsPerChunk,
                               [&](std::size_t row) { return !is_satisfied<rebind_isa<Fr, Isa>>(circuit, row, z); });
  });
}

template <class Fr>
std::optional<std::size_t> first_unsatisfied(Arena& arena, const CompiledCircuit<Fr>& circuit,
                                             std::span<const U256> values) {
  std::vector<Fr> z(values.size());
  parallel_for(arena, 0, values.size(), kConversionsPerChunk, [&](std::size_t begin, std::size_t end) {
    from_canonical_n(std::span(z).subspan(begin, end - begin), values.subspan(begin, end - begin));
  });
  return first_unsatisfied(arena, circuit, std::span<const Fr>(z));
}

template <class Fr>
std::size_t CircuitBuilder<Fr>::LimbHash::operator()(const typename Fr::Repr& value) const noexcept {
  u64 hash = 0;
  for (const u64 limb : value.limb) hash = (hash ^ limb) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return hash ^ hash >> 32;
}

template <class Fr> CircuitBuilder<Fr>::CircuitBuilder(std::size_t num_variables, std::size_t num_public) {
  CUZK_ASSERT(num_public < num_variables);
  circuit_.num_variables = num_variables;
  circuit_.num_public = num_public;
}

template <class Fr> void CircuitBuilder<Fr>::add_term(Side side, Variable variable, const Fr& coefficient) {
  CUZK_ASSERT(variable < circuit_.num_variables);
  row_[static_cast<std::size_t>(side)].emplace_back(variable, coefficient);
}

template <class Fr> void CircuitBuilder<Fr>::end_constraint() {
  flush(circuit_.a, row_[0]);
  flush(circuit_.b, row_[1]);
  flush(circuit_.c, row_[2]);
}

template <class Fr> CompiledCircuit<Fr> CircuitBuilder<Fr>::finish() && {
  CUZK_ASSERT(row_[0].empty() && row_[1].empty() && row_[2].empty());
  return std::move(circuit_);
}

template <class Fr> std::uint32_t CircuitBuilder<Fr>::intern(const Fr& coefficient) {
  const auto next = static_cast<std::uint32_t>(circuit_.coefficients.size());
  const auto [at, is_new] = index_.try_emplace(coefficient.montgomery(), next);
  if (is_new) circuit_.coefficients.push_back(coefficient);
  return at->second;
}

template <class Fr> void CircuitBuilder<Fr>::flush(SparseMatrix& matrix, std::vector<std::pair<Variable, Fr>>& row) {
  const auto by_variable = [](const auto& x, const auto& y) { return x.first < y.first; };
  if (!std::is_sorted(row.begin(), row.end(), by_variable)) std::sort(row.begin(), row.end(), by_variable);
  for (std::size_t i = 0; i < row.size();) {
    const Variable variable = row[i].first;
    Fr sum = Fr::zero();
    for (; i < row.size() && row[i].first == variable; ++i) sum += row[i].second;
    if (!sum.is_zero()) matrix.terms.push_back({variable, intern(sum)});
  }
  matrix.row_begin.push_back(matrix.terms.size());
  row.clear();
}

#define CUZK_INSTANTIATE(Fr)                                                                                      \
  template class CircuitBuilder<Fr>;                                                                              \
  template Fr evaluate_row(const CompiledCircuit<Fr>&, const SparseMatrix&, std::size_t,                          \
                           std::span<const Fr>) noexcept;                                                         \
  template std::optional<std::size_t> first_unsatisfied(Arena&, const CompiledCircuit<Fr>&, std::span<const Fr>); \
  template std::optional<std::size_t> first_unsatisfied(Arena&, const CompiledCircuit<Fr>&, std::span<const U256>);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::r1cs
