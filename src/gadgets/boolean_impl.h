// Bodies of gadgets/boolean.h. The rules of each gate are tried in order; the first that matches decides.
#pragma once

#include "gadgets/boolean.h"
#include "gadgets/powers_of_two.h"

namespace cuzk::gadgets {

namespace detail {

/// 2x * y = x + y - z: z = x xor y, of variables.
template <r1cs::ConstraintSystem CS> Boolean xor_variables(CS& cs, r1cs::Variable x, r1cs::Variable y, bool value) {
  const r1cs::Variable z = cs.alloc_bit(value);
  cs.enforce([x](auto& lc) { lc.add(x, kPowersOfTwo<typename CS::Field>[1]); }, r1cs::term(y),
             [x, y, z](auto& lc) {
               lc.add(x);
               lc.add(y);
               lc.sub(z);
             });
  return Boolean::is(z, value);
}

/// 1 - v
inline auto one_minus(r1cs::Variable v) {
  return [v](auto& lc) {
    lc.add(r1cs::Variable::one());
    lc.sub(v);
  };
}

}  // namespace detail

template <r1cs::ConstraintSystem CS> Boolean bit_xor(CS& cs, const Boolean& a, const Boolean& b) {
  if (a.is_constant()) return a.value() ? !b : b;
  if (b.is_constant()) return b.value() ? !a : a;
  const bool value = a.variable_value() != b.variable_value();
  if (a.form() == b.form()) return detail::xor_variables(cs, a.variable(), b.variable(), value);
  // of a negated and a plain bit the plain one comes first
  const bool a_is_plain = a.form() == Boolean::Form::is;
  return !detail::xor_variables(cs, (a_is_plain ? a : b).variable(), (a_is_plain ? b : a).variable(), value);
}

template <r1cs::ConstraintSystem CS> Boolean bit_and(CS& cs, const Boolean& a, const Boolean& b) {
  using Form = Boolean::Form;
  if (a.is_constant(false) || b.is_constant(false)) return Boolean::constant(false);
  if (a.is_constant()) return b;
  if (b.is_constant()) return a;
  const bool value = a.value() && b.value();
  const r1cs::Variable z = cs.alloc_bit(value);
  if (a.form() == Form::is && b.form() == Form::is) {
    cs.enforce(r1cs::term(a.variable()), r1cs::term(b.variable()), r1cs::term(z));
  } else if (a.form() == Form::is_not && b.form() == Form::is_not) {
    cs.enforce(detail::one_minus(a.variable()), detail::one_minus(b.variable()), r1cs::term(z));
  } else {
    const Boolean& plain = a.form() == Form::is ? a : b;
    const Boolean& negated = a.form() == Form::is ? b : a;
    cs.enforce(r1cs::term(plain.variable()), detail::one_minus(negated.variable()), r1cs::term(z));
  }
  return Boolean::is(z, value);
}

/// (b - c) * a = x - c
template <r1cs::ConstraintSystem CS> Boolean choose(CS& cs, const Boolean& a, const Boolean& b, const Boolean& c) {
  const bool value = a.value() ? b.value() : c.value();
  if (a.is_constant() && b.is_constant() && c.is_constant()) return Boolean::constant(value);
  if (a.is_constant(false)) return c;
  if (b.is_constant(false)) return bit_and(cs, !a, c);
  if (c.is_constant(false)) return bit_and(cs, a, b);
  if (c.is_constant(true)) return !bit_and(cs, a, !b);
  if (b.is_constant(true)) return !bit_and(cs, !a, !c);
  const r1cs::Variable x = cs.alloc_bit(value);
  cs.enforce(
      [&](auto& lc) {
        b.add_to(lc);
        c.sub_from(lc);
      },
      [&](auto& lc) { a.add_to(lc); },
      [&](auto& lc) {
        lc.add(x);
        c.sub_from(lc);
      });
  return Boolean::is(x, value);
}

/// (2 bc - b - c) * a = bc - x
template <r1cs::ConstraintSystem CS> Boolean majority(CS& cs, const Boolean& a, const Boolean& b, const Boolean& c) {
  const bool value = a.value() ? b.value() || c.value() : b.value() && c.value();
  if (a.is_constant() && b.is_constant() && c.is_constant()) return Boolean::constant(value);
  if (a.is_constant(false)) return bit_and(cs, b, c);
  if (b.is_constant(false)) return bit_and(cs, a, c);
  if (c.is_constant(false)) return bit_and(cs, a, b);
  if (c.is_constant(true)) return !bit_and(cs, !a, !b);
  if (b.is_constant(true)) return !bit_and(cs, !a, !c);
  if (a.is_constant(true)) return !bit_and(cs, !b, !c);
  const r1cs::Variable x = cs.alloc_bit(value);
  const Boolean bc = bit_and(cs, b, c);
  cs.enforce(
      [&](auto& lc) {
        bc.add_to(lc, kPowersOfTwo<typename CS::Field>[1]);
        b.sub_from(lc);
        c.sub_from(lc);
      },
      [&](auto& lc) { a.add_to(lc); },
      [&](auto& lc) {
        bc.add_to(lc);
        lc.sub(x);
      });
  return Boolean::is(x, value);
}

}  // namespace cuzk::gadgets
