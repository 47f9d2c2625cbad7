#include "groth16/columns.h"

#include <algorithm>

#include "field/isa.h"

namespace cuzk::groth16 {

namespace {

/// One task: the variables [begin, end).
template <class F> class ColumnShare {
 public:
  ColumnShare(std::span<const F> coefficients, std::size_t begin, std::size_t end, std::span<F> out) noexcept
      : coefficients_(coefficients), begin_(begin), end_(end), out_(out) {}

  void add(std::span<const r1cs::Term> terms, const F& factor, const F& lagrange) noexcept {
    if (factor.is_zero()) return;
    const F weight = factor.is_one() ? lagrange : factor * lagrange;
    for (const r1cs::Term& term : terms) {
      if (term.wire < begin_ || term.wire >= end_) continue;
      const F& coefficient = coefficients_[term.coefficient];
      out_[term.wire] += coefficient.is_one() ? weight : coefficient * weight;
    }
  }

 private:
  std::span<const F> coefficients_;
  std::size_t begin_, end_;
  std::span<F> out_;
};

}  // namespace

template <class Fr>
void weighted_columns(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const Fr> lagrange,
                      const ColumnFactors<Fr>& factors, std::span<Fr> out) {
  CUZK_ASSERT(out.size() == circuit.num_variables());
  CUZK_ASSERT(lagrange.size() >= circuit.num_constraints() + circuit.num_inputs());
  const std::size_t constraints = circuit.num_constraints();
  const std::size_t inputs = circuit.num_inputs();
  const std::size_t parts = arena.concurrency();
  with_isa([&]<class Isa>() {
    using F = rebind_isa<Fr, Isa>;
    const auto weights = view_as<Isa>(lagrange);
    const auto sums = view_as<Isa>(out);
    const F a = with_arithmetic<Isa>(factors.a), b = with_arithmetic<Isa>(factors.b),
            c = with_arithmetic<Isa>(factors.c);
    parallel_tasks(arena, parts, [&](std::size_t part) {
      const std::size_t begin = sums.size() * part / parts;
      const std::size_t end = sums.size() * (part + 1) / parts;
      for (std::size_t i = begin; i < end; ++i) sums[i] = i < inputs ? a * weights[constraints + i] : F::zero();
      ColumnShare<F> share(view_as<Isa>(circuit.coefficients()), begin, end, sums);
      circuit.visit_rows(0, constraints, [&](const r1cs::Row& row) {
        share.add(row.a, a, weights[row.index]);
        share.add(row.b, b, weights[row.index]);
        share.add(row.c, c, weights[row.index]);
      });
    });
  });
}

template void weighted_columns(Arena&, const r1cs::CompiledCircuit<bn254::Fr>&, std::span<const bn254::Fr>,
                               const ColumnFactors<bn254::Fr>&, std::span<bn254::Fr>);
template void weighted_columns(Arena&, const r1cs::CompiledCircuit<bls12_381::Fr>&, std::span<const bls12_381::Fr>,
                               const ColumnFactors<bls12_381::Fr>&, std::span<bls12_381::Fr>);

}  // namespace cuzk::groth16
