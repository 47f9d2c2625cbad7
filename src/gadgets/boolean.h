// Bits of a circuit: a variable that a constraint keeps at 0 or 1, its negation, or a constant.
//
// Rules of bellpepper-core, to the constraint: constants fold and allocate nothing; which form an operation takes
// depends on the operands' forms alone, never on values. Allocations and constraints: docs/circuits.md, "Bits".
// Thread-safety: values.
#pragma once

#include "r1cs/constraint_system.h"

namespace cuzk::gadgets {

class Boolean {
 public:
  enum class Form : std::uint8_t { is, is_not, constant };

  Boolean() noexcept : Boolean(constant(false)) {}
  static constexpr Boolean constant(bool value) noexcept { return {Form::constant, r1cs::Variable::one(), value}; }
  /// `value`: of the variable.
  static constexpr Boolean is(r1cs::Variable variable, bool value) noexcept { return {Form::is, variable, value}; }
  static constexpr Boolean is_not(r1cs::Variable variable, bool value) noexcept {
    return {Form::is_not, variable, !value};
  }

  constexpr Form form() const noexcept { return form_; }
  constexpr bool is_constant() const noexcept { return form_ == Form::constant; }
  constexpr bool is_constant(bool value) const noexcept { return is_constant() && value_ == value; }
  /// Of the bit itself, negation applied.
  constexpr bool value() const noexcept { return value_; }
  /// precondition: not a constant.
  constexpr r1cs::Variable variable() const noexcept { return variable_; }
  constexpr bool variable_value() const noexcept { return form_ == Form::is_not ? !value_ : value_; }

  friend constexpr Boolean operator!(const Boolean& bit) noexcept {
    switch (bit.form_) {
      case Form::is:
        return {Form::is_not, bit.variable_, !bit.value_};
      case Form::is_not:
        return {Form::is, bit.variable_, !bit.value_};
      case Form::constant:
        break;
    }
    return constant(!bit.value_);
  }

  /// Adds k times this bit to a linear combination.
  template <class L, class Fr> void add_to(L& lc, const Fr& k) const {
    switch (form_) {
      case Form::is:
        lc.add(variable_, k);
        return;
      case Form::is_not:
        lc.add(r1cs::Variable::one(), k);
        lc.add(variable_, -k);
        return;
      case Form::constant:
        if (value_) lc.add(r1cs::Variable::one(), k);
    }
  }
  /// The same for k = 1.
  template <class L> void add_to(L& lc) const {
    switch (form_) {
      case Form::is:
        lc.add(variable_);
        return;
      case Form::is_not:
        lc.add(r1cs::Variable::one());
        lc.sub(variable_);
        return;
      case Form::constant:
        if (value_) lc.add(r1cs::Variable::one());
    }
  }
  template <class L> void sub_from(L& lc) const {
    switch (form_) {
      case Form::is:
        lc.sub(variable_);
        return;
      case Form::is_not:
        lc.sub(r1cs::Variable::one());
        lc.add(variable_);
        return;
      case Form::constant:
        if (value_) lc.sub(r1cs::Variable::one());
    }
  }

 private:
  constexpr Boolean(Form form, r1cs::Variable variable, bool value) noexcept
      : variable_(variable), form_(form), value_(value) {}

  r1cs::Variable variable_;
  Form form_;
  bool value_;
};

/// A new bit: (1 - b) * b = 0.
template <r1cs::ConstraintSystem CS> Boolean alloc_bit(CS& cs, bool value) {
  const r1cs::Variable b = cs.alloc_bit(value);
  cs.enforce(
      [b](auto& lc) {
        lc.add(r1cs::Variable::one());
        lc.sub(b);
      },
      r1cs::term(b), r1cs::kNothing);
  return Boolean::is(b, value);
}

/// The gates below allocate one variable and one constraint, unless a constant folds them.
template <r1cs::ConstraintSystem CS> Boolean bit_xor(CS& cs, const Boolean& a, const Boolean& b);
template <r1cs::ConstraintSystem CS> Boolean bit_and(CS& cs, const Boolean& a, const Boolean& b);
/// a ? b : c, SHA-256's Ch.
template <r1cs::ConstraintSystem CS> Boolean choose(CS& cs, const Boolean& a, const Boolean& b, const Boolean& c);
/// The majority of three, SHA-256's Maj; allocates its result before the inner AND.
template <r1cs::ConstraintSystem CS> Boolean majority(CS& cs, const Boolean& a, const Boolean& b, const Boolean& c);

}  // namespace cuzk::gadgets

#include "gadgets/boolean_impl.h"
