// Random circuits as programs: the same steps for every constraint system, and for a slow twin.
#pragma once

#include <vector>

#include "r1cs/constraint_system.h"
#include "r1cs/row_circuit.h"
#include "tests/gen/circuits.h"

namespace cuzk::test {

template <class Fr> struct ProgramTerm {
  enum class Kind : std::uint8_t { add, sub, scaled };
  Kind kind;
  r1cs::Variable variable;
  Fr coefficient;  // of any kind

  template <class L> void write(L& lc) const {
    switch (kind) {
      case Kind::add:
        lc.add(variable);
        return;
      case Kind::sub:
        lc.sub(variable);
        return;
      case Kind::scaled:
        lc.add(variable, coefficient);
        return;
    }
  }
};

template <class Fr> struct Program {
  using Terms = std::vector<ProgramTerm<Fr>>;
  enum class Kind : std::uint8_t { alloc, alloc_bit, input, enforce };
  struct Step {
    Kind kind;
    Fr value;
    Terms sides[3];
  };

  std::vector<Step> steps;
  std::vector<Fr> inputs = {Fr::one()};
  std::vector<Fr> aux;
  std::size_t constraints = 0;

  const Fr& value(r1cs::Variable v) const { return (v.is_input() ? inputs : aux)[v.index()]; }
  std::vector<Fr> z() const {
    std::vector<Fr> all = inputs;
    all.insert(all.end(), aux.begin(), aux.end());
    return all;
  }
  Fr evaluate(const Terms& terms) const {
    Fr sum = Fr::zero();
    for (const auto& term : terms) sum += term.coefficient * value(term.variable);
    return sum;
  }

  template <r1cs::ConstraintSystem CS> void run(CS& cs) const {
    const auto writer = [](const Terms& terms) {
      return [&terms](auto& lc) {
        for (const auto& term : terms) term.write(lc);
      };
    };
    for (const Step& step : steps) {
      switch (step.kind) {
        case Kind::alloc:
          cs.alloc(step.value);
          break;
        case Kind::alloc_bit:
          cs.alloc_bit(step.value.is_one());
          break;
        case Kind::input:
          cs.input(step.value);
          break;
        case Kind::enforce: {
          const r1cs::Block block(cs);
          cs.enforce(writer(step.sides[0]), writer(step.sides[1]), writer(step.sides[2]));
        }
      }
    }
  }

  /// The circuit by way of its builder.
  r1cs::RowCircuit<Fr> circuit() const {
    r1cs::CircuitBuilder<Fr> builder(inputs.size() + aux.size(), inputs.size() - 1);
    using Side = typename r1cs::CircuitBuilder<Fr>::Side;
    for (const Step& step : steps) {
      if (step.kind != Kind::enforce) continue;
      for (const Side side : {Side::a, Side::b, Side::c}) {
        for (const auto& term : step.sides[static_cast<std::size_t>(side)]) {
          builder.add_term(side, term.variable.wire(static_cast<std::uint32_t>(inputs.size())), term.coefficient);
        }
      }
      builder.end_constraint();
    }
    return std::move(builder).finish();
  }
};

template <class Fr> class ProgramMaker {
 public:
  explicit ProgramMaker(std::mt19937_64& random) : random_(random) {}

  /// Every constraint holds. Among the terms: repeated variables, x - x, coefficients that are zero; empty sides.
  Program<Fr> make(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      switch (random_() % 6) {
        case 0:
          variable(Kind::alloc, witness_value<Fr>(random_));
          break;
        case 1:
          variable(Kind::alloc_bit, random_() % 2 == 0 ? Fr::zero() : Fr::one());
          break;
        case 2:
          variable(Kind::input, witness_value<Fr>(random_));
          break;
        default:
          constraint();
      }
    }
    return std::move(program_);
  }

 private:
  using Kind = typename Program<Fr>::Kind;
  using Term = ProgramTerm<Fr>;

  void variable(Kind kind, const Fr& value) {
    program_.steps.push_back({kind, value, {}});
    (kind == Kind::input ? program_.inputs : program_.aux).push_back(value);
  }
  r1cs::Variable any_variable() {
    const std::size_t at = random_() % (program_.inputs.size() + program_.aux.size());
    const std::size_t inputs = program_.inputs.size();
    return at < inputs ? r1cs::Variable::input(static_cast<std::uint32_t>(at))
                       : r1cs::Variable::aux(static_cast<std::uint32_t>(at - inputs));
  }
  Term any_term() {
    const r1cs::Variable v = any_variable();
    switch (random_() % 4) {
      case 0:
        return {Term::Kind::add, v, Fr::one()};
      case 1:
        return {Term::Kind::sub, v, -Fr::one()};
      case 2:
        return {Term::Kind::scaled, v, Fr::from_u64(random_() % 3)};
      default:
        return {Term::Kind::scaled, v, biased_element<Fr>(random_)};
    }
  }
  typename Program<Fr>::Terms any_terms() {
    typename Program<Fr>::Terms terms;
    for (std::size_t count = random_() % 5; count > 0; --count) {
      terms.push_back(any_term());
      if (random_() % 4 == 0) terms.push_back({Term::Kind::scaled, terms.back().variable, -terms.back().coefficient});
    }
    std::shuffle(terms.begin(), terms.end(), random_);
    return terms;
  }
  void constraint() {
    typename Program<Fr>::Step step{Kind::enforce, Fr::zero(), {any_terms(), any_terms(), any_terms()}};
    const Fr missing =
        program_.evaluate(step.sides[0]) * program_.evaluate(step.sides[1]) - program_.evaluate(step.sides[2]);
    step.sides[2].push_back({Term::Kind::scaled, r1cs::Variable::one(), missing});
    program_.steps.push_back(std::move(step));
    ++program_.constraints;
  }

  std::mt19937_64& random_;
  Program<Fr> program_;
};

template <class Fr> Program<Fr> random_program(std::size_t steps, std::mt19937_64& random) {
  return ProgramMaker<Fr>(random).make(steps);
}

}  // namespace cuzk::test
