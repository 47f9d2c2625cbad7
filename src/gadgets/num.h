// A number of a circuit: an auxiliary variable and its value. Public inputs never are: `inputize` makes a copy.
// Allocations and constraints: docs/circuits.md, "Numbers". Thread-safety: values.
#pragma once

#include "r1cs/constraint_system.h"

namespace cuzk::gadgets {

template <class Fr> struct Num {
  r1cs::Variable variable;
  Fr value;  // meaningless where CS::kHasValues is false
};

/// One variable, no constraint.
template <r1cs::ConstraintSystem CS> Num<typename CS::Field> alloc_num(CS& cs, const typename CS::Field& value) {
  return {cs.alloc(value), value};
}

/// A public input that equals x: input * 1 = x.
template <r1cs::ConstraintSystem CS> void inputize(CS& cs, const Num<typename CS::Field>& x) {
  const r1cs::Variable input = cs.input(x.value);
  cs.enforce(r1cs::term(input), r1cs::kOne, r1cs::term(x.variable));
}

/// a * 1 = b.
template <r1cs::ConstraintSystem CS>
void enforce_equal(CS& cs, const Num<typename CS::Field>& a, const Num<typename CS::Field>& b) {
  cs.enforce(r1cs::term(a.variable), r1cs::kOne, r1cs::term(b.variable));
}

/// z = x y.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> multiply(CS& cs, const Num<typename CS::Field>& x, const Num<typename CS::Field>& y) {
  const auto z = alloc_num(cs, x.value * y.value);
  cs.enforce(r1cs::term(x.variable), r1cs::term(y.variable), r1cs::term(z.variable));
  return z;
}

/// s = a + b: (a + b) * 1 = s.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> add(CS& cs, const Num<typename CS::Field>& a, const Num<typename CS::Field>& b) {
  const auto s = alloc_num(cs, a.value + b.value);
  cs.enforce(
      [&](auto& lc) {
        lc.add(a.variable);
        lc.add(b.variable);
      },
      r1cs::kOne, r1cs::term(s.variable));
  return s;
}

}  // namespace cuzk::gadgets
