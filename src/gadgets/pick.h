// Choice between numbers by bits. Variables and constraints: docs/circuits.md, "Choice and insertion".
#pragma once

#include <span>
#include <vector>

#include "gadgets/boolean.h"
#include "gadgets/num.h"

namespace cuzk::gadgets {

/// x = c ? a : b as (b - a) c = b - x.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> pick(CS& cs, const Boolean& c, const Num<typename CS::Field>& a,
                             const Num<typename CS::Field>& b) {
  const auto x = alloc_num(cs, c.value() ? a.value : b.value);
  const auto b_minus = [&b](const Num<typename CS::Field>& other) {
    return [&b, &other](auto& lc) {
      lc.add(b.variable);
      lc.sub(other.variable);
    };
  };
  cs.enforce(b_minus(a), [&c](auto& lc) { c.add_to(lc); }, b_minus(x));
  return x;
}

/// from[i], i given by its bits, least significant first; halves are chosen from the most significant bit down.
/// precondition: 2^bits numbers.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> select(CS& cs, std::span<const Num<typename CS::Field>> from, std::span<const Boolean> bits) {
  std::vector<Num<typename CS::Field>> state(from.begin(), from.end());
  for (std::size_t bit = bits.size(); bit-- > 0;) {
    const std::size_t half = state.size() / 2;
    for (std::size_t i = 0; i < half; ++i) state[i] = pick(cs, bits[bit], state[half + i], state[i]);
    state.resize(half);
  }
  return state.front();
}

}  // namespace cuzk::gadgets
