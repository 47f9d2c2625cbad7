#include "gadgets/boolean.h"

#include <gtest/gtest.h>

#include "r1cs/test_system.h"

namespace cuzk::gadgets {
namespace {

using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;
using Form = Boolean::Form;

/// An operand: plain or negated variable of a value, or a constant.
struct Operand {
  Form form;
  bool value;

  Boolean make(Cs& cs) const {
    if (form == Form::constant) return Boolean::constant(value);
    return form == Form::is ? alloc_bit(cs, value) : !alloc_bit(cs, !value);
  }
  bool is_constant() const { return form == Form::constant; }
  bool is(bool constant) const { return is_constant() && value == constant; }
};

std::vector<Operand> all_operands() {
  std::vector<Operand> operands;
  for (const Form form : {Form::is, Form::is_not, Form::constant}) {
    for (const bool value : {false, true}) operands.push_back({form, value});
  }
  return operands;
}

/// The gate's own variables and constraints, after the operands'.
struct Cost {
  std::size_t variables, constraints;
  friend bool operator==(const Cost&, const Cost&) = default;
};

/// Runs a gate on fresh operands; checks value and satisfaction, and that another output does not satisfy.
template <class Gate> Cost run(const std::vector<Operand>& operands, bool expected, Gate gate) {
  Cs cs;
  std::vector<Boolean> bits;
  bits.reserve(operands.size());
  for (const Operand& operand : operands) bits.push_back(operand.make(cs));
  const Cost before{cs.num_aux(), cs.num_constraints()};
  const Boolean result = gate(cs, bits);
  const Cost cost{cs.num_aux() - before.variables, cs.num_constraints() - before.constraints};
  EXPECT_EQ(result.value(), expected);
  EXPECT_TRUE(cs.is_satisfied());
  if (!result.is_constant()) {
    EXPECT_EQ(cs.value(result.variable()), result.variable_value() ? Fr::one() : Fr::zero());
  }
  if (cost.variables > 0) {
    cs.set(result.variable(), result.variable_value() ? Fr::zero() : Fr::one());
    EXPECT_FALSE(cs.is_satisfied());
  }
  return cost;
}

TEST(Boolean, NegationSwapsForms) {
  Cs cs;
  const Boolean x = alloc_bit(cs, true);
  EXPECT_EQ((!x).form(), Form::is_not);
  EXPECT_FALSE((!x).value());
  EXPECT_TRUE((!x).variable_value());
  EXPECT_EQ((!!x).form(), Form::is);
  EXPECT_EQ((!x).variable(), x.variable());
  EXPECT_TRUE((!Boolean::constant(false)).is_constant(true));
}

TEST(Boolean, BitIsZeroOrOne) {
  Cs cs;
  const Boolean x = alloc_bit(cs, true);
  EXPECT_EQ(cs.row_text(0), "(1 I0 - 1 A0) * (1 A0) = ()");
  for (const u64 value : {0u, 1u, 2u}) {
    cs.set(x.variable(), Fr::from_u64(value));
    EXPECT_EQ(cs.is_satisfied(), value < 2);
  }
}

TEST(Boolean, CombinationsAreThoseOfTheBit) {
  const Fr k = Fr::from_u64(5);
  for (const Operand& operand : all_operands()) {
    Cs cs;
    const Boolean bit = operand.make(cs);
    const std::size_t row = cs.num_constraints();
    cs.enforce([&](auto& lc) { bit.add_to(lc, k); }, [&](auto& lc) { bit.add_to(lc); },
               [&](auto& lc) { bit.sub_from(lc); });
    const Fr value = operand.value ? Fr::one() : Fr::zero();
    EXPECT_EQ(cs.evaluate(Cs::Side::a, row), k * value);
    EXPECT_EQ(cs.evaluate(Cs::Side::b, row), value);
    EXPECT_EQ(cs.evaluate(Cs::Side::c, row), -value);
  }
}

TEST(Boolean, XorFoldsConstants) {
  for (const Operand& a : all_operands()) {
    for (const Operand& b : all_operands()) {
      const Cost cost = run({a, b}, a.value != b.value, [](Cs& cs, auto& x) { return bit_xor(cs, x[0], x[1]); });
      const bool folds = a.is_constant() || b.is_constant();
      EXPECT_EQ(cost, (folds ? Cost{0, 0} : Cost{1, 1}));
    }
  }
}

TEST(Boolean, AndFoldsConstants) {
  for (const Operand& a : all_operands()) {
    for (const Operand& b : all_operands()) {
      const Cost cost = run({a, b}, a.value && b.value, [](Cs& cs, auto& x) { return bit_and(cs, x[0], x[1]); });
      const bool folds = a.is_constant() || b.is_constant();
      EXPECT_EQ(cost, (folds ? Cost{0, 0} : Cost{1, 1}));
    }
  }
}

Cost and_cost(const Operand& a, const Operand& b) {
  return a.is_constant() || b.is_constant() ? Cost{0, 0} : Cost{1, 1};
}

TEST(Boolean, ChooseFoldsInTheOrderOfItsRules) {
  const auto expected_cost = [](const Operand& a, const Operand& b, const Operand& c) -> Cost {
    if (a.is_constant() && b.is_constant() && c.is_constant()) return {0, 0};
    if (a.is(false)) return {0, 0};
    if (b.is(false)) return and_cost(a, c);
    if (c.is_constant()) return and_cost(a, b);
    if (b.is(true)) return and_cost(a, c);
    return {1, 1};
  };
  for (const Operand& a : all_operands()) {
    for (const Operand& b : all_operands()) {
      for (const Operand& c : all_operands()) {
        const Cost cost =
            run({a, b, c}, a.value ? b.value : c.value, [](Cs& cs, auto& x) { return choose(cs, x[0], x[1], x[2]); });
        EXPECT_EQ(cost, expected_cost(a, b, c));
      }
    }
  }
}

TEST(Boolean, MajorityFoldsToAnd) {
  const auto expected_cost = [](const Operand& a, const Operand& b, const Operand& c) -> Cost {
    if (a.is_constant() && b.is_constant() && c.is_constant()) return {0, 0};
    if (a.is(false)) return and_cost(b, c);
    if (b.is(false)) return and_cost(a, c);
    if (c.is_constant()) return and_cost(a, b);
    if (b.is(true)) return and_cost(a, c);
    if (a.is(true)) return and_cost(b, c);
    return {2, 2};
  };
  for (const Operand& a : all_operands()) {
    for (const Operand& b : all_operands()) {
      for (const Operand& c : all_operands()) {
        const Cost cost = run({a, b, c}, a.value + b.value + c.value >= 2,
                              [](Cs& cs, auto& x) { return majority(cs, x[0], x[1], x[2]); });
        EXPECT_EQ(cost, expected_cost(a, b, c));
      }
    }
  }
}

// A0, A1, A2 are the operands. Rows as bellpepper-core has them, written by hand.
TEST(Boolean, RowsOfTheGates) {
  const auto last_row = [](auto gate) {
    Cs cs;
    const Boolean a = alloc_bit(cs, true), b = alloc_bit(cs, false), c = alloc_bit(cs, true);
    gate(cs, a, b, c);
    return cs.row_text(cs.num_constraints() - 1);
  };
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto) { bit_xor(cs, a, b); }),
            "(2 A0) * (1 A1) = (1 A0 + 1 A1 - 1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto) { bit_xor(cs, !b, !a); }),
            "(2 A1) * (1 A0) = (1 A0 + 1 A1 - 1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto) { bit_xor(cs, !a, b); }),
            "(2 A1) * (1 A0) = (1 A0 + 1 A1 - 1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto) { bit_xor(cs, a, !b); }),
            "(2 A0) * (1 A1) = (1 A0 + 1 A1 - 1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto) { bit_and(cs, b, a); }), "(1 A1) * (1 A0) = (1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto) { bit_and(cs, !a, b); }), "(1 A1) * (1 I0 - 1 A0) = (1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto) { bit_and(cs, !a, !b); }),
            "(1 I0 - 1 A0) * (1 I0 - 1 A1) = (1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto c) { choose(cs, a, b, !c); }),
            "(-1 I0 + 1 A1 + 1 A2) * (1 A0) = (-1 I0 + 1 A2 + 1 A3)");
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto c) { choose(cs, a, b, Boolean::constant(true)), (void)c; }),
            "(1 A0) * (1 I0 - 1 A1) = (1 A3)");
  // the majority is A3, the inner AND A4
  EXPECT_EQ(last_row([](Cs& cs, auto a, auto b, auto c) { majority(cs, a, b, c); }),
            "(-1 A1 - 1 A2 + 2 A4) * (1 A0) = (-1 A3 + 1 A4)");
}

}  // namespace
}  // namespace cuzk::gadgets
