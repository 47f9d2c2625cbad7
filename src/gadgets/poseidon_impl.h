// Bodies of gadgets/poseidon.h.
#pragma once

#include <array>

#include "gadgets/poseidon.h"

namespace cuzk::gadgets {

namespace detail {

struct PoseidonTrace {
  std::array<hash::Fr, kMaxPoseidonRows> values;

  PoseidonTrace(hash::PoseidonKind kind, std::span<const Num<hash::Fr>> inputs, std::size_t rows) {
    std::array<hash::Fr, hash::kMaxPoseidonArity> preimage;
    for (std::size_t i = 0; i < inputs.size(); ++i) preimage[i] = inputs[i].value;
    hash::poseidon_trace(kind, std::span(preimage).first(inputs.size()), std::span(values).first(rows));
  }
  PoseidonTrace() : values{} {}
};

}  // namespace detail

template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> poseidon(CS& cs, hash::PoseidonKind kind, std::span<const Num<typename CS::Field>> inputs) {
  static_assert(std::is_same_v<typename CS::Field, hash::Fr>);
  const r1cs::Block block(cs);
  const PoseidonRows& rows = poseidon_rows(kind);
  const auto trace = CS::kHasValues ? detail::PoseidonTrace(kind, inputs, rows.size()) : detail::PoseidonTrace();

  std::array<r1cs::Variable, 1 + hash::kMaxPoseidonArity + kMaxPoseidonRows> slots;
  slots[0] = r1cs::Variable::one();
  for (std::size_t i = 0; i < inputs.size(); ++i) slots[1 + i] = inputs[i].variable;
  r1cs::Variable* const variables = slots.data() + 1 + inputs.size();

  const auto side = [&](std::span<const PoseidonRows::Term> terms) {
    return [&rows, &slots, terms](auto& lc) {
      for (const PoseidonRows::Term& term : terms) {
        if (term.coefficient == PoseidonRows::kUnit) {
          lc.add(slots[term.slot]);
        } else {
          lc.add(slots[term.slot], rows.coefficient(term.coefficient));
        }
      }
    };
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    variables[i] = cs.alloc(trace.values[i]);
    const PoseidonRows::Row row = rows.row(i);
    cs.enforce(side(row.a), side(row.b), side(row.c));
  }
  const std::size_t last = rows.size() - 1;
  return {variables[last], trace.values[last]};
}

}  // namespace cuzk::gadgets
