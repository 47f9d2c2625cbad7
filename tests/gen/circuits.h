// Random circuits with a witness that satisfies them.
#pragma once

#include <algorithm>

#include "r1cs/row_circuit.h"
#include "support/bytes.h"
#include "tests/gen/field_values.h"

namespace cuzk::test {

struct CircuitShape {
  std::size_t constraints;
  std::size_t num_public;
  std::size_t num_aux;
};

template <class Fr> struct SatisfiedCircuit {
  r1cs::RowCircuit<Fr> circuit;
  std::vector<Fr> z;  // Montgomery

  std::vector<U256> values() const {
    std::vector<U256> canonical;
    for (const Fr& value : z) canonical.push_back(value.canonical());
    return canonical;
  }
};

/// Zeros, ones, small and full values, as witnesses have them.
template <class Fr> Fr witness_value(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return Fr::zero();
    case 1:
      return Fr::one();
    case 2:
      return Fr::from_u64(random() % 1000);
    default:
      return uniform_element<Fr>(random);
  }
}

template <class Fr> Fr circuit_coefficient(std::mt19937_64& random) {
  switch (random() % 3) {
    case 0:
      return Fr::one();
    case 1:
      return -Fr::one();
    default:
      return biased_element<Fr>(random);
  }
}

/// sum of coefficient * z[wire], by definition; z in Montgomery form.
template <class Fr>
Fr inner_product(std::span<const r1cs::Term> terms, std::span<const Fr> coefficients, std::span<const Fr> z) {
  Fr sum = Fr::zero();
  for (const r1cs::Term& term : terms) sum += coefficients[term.coefficient] * z[term.wire];
  return sum;
}

/// Rows of 0 to 4 random terms, repeated variables and zero coefficients among them; C's constant term makes each row
/// hold.
template <class Fr> SatisfiedCircuit<Fr> random_circuit(const CircuitShape& shape, std::mt19937_64& random) {
  const std::size_t num_variables = 1 + shape.num_public + shape.num_aux;
  std::vector<Fr> z = {Fr::one()};
  while (z.size() < num_variables) z.push_back(witness_value<Fr>(random));

  r1cs::CircuitBuilder<Fr> builder(num_variables, shape.num_public);
  using Side = typename r1cs::CircuitBuilder<Fr>::Side;
  const auto random_terms = [&](Side side) {
    Fr sum = Fr::zero();
    for (std::size_t count = random() % 5; count > 0; --count) {
      const auto variable = static_cast<r1cs::Wire>(random() % num_variables);
      const Fr coefficient = circuit_coefficient<Fr>(random);
      builder.add_term(side, variable, coefficient);
      sum += coefficient * z[variable];
    }
    return sum;
  };
  for (std::size_t row = 0; row < shape.constraints; ++row) {
    const Fr a = random_terms(Side::a);
    const Fr b = random_terms(Side::b);
    const Fr c = random_terms(Side::c);
    builder.add_term(Side::c, 0, a * b - c);
    builder.end_constraint();
  }
  return {std::move(builder).finish(), std::move(z)};
}

/// The records of a .zkey for a circuit, in row order: values times R^2, rows of the inputs last.
template <class Fr> std::vector<std::byte> coefficient_records(const r1cs::RowCircuit<Fr>& circuit) {
  std::vector<std::byte> bytes;
  const auto put = [&](std::uint32_t matrix, std::size_t row, r1cs::Wire variable, const Fr& coefficient) {
    std::byte record[12 + sizeof(U256)];
    store_le(record, matrix);
    store_le(record + 4, static_cast<std::uint32_t>(row));
    store_le(record + 8, variable);
    (coefficient * Fr::from_montgomery(Fr::Constants::r2)).montgomery().to_le_bytes(record + 12);
    bytes.insert(bytes.end(), std::begin(record), std::end(record));
  };
  for (std::size_t row = 0; row < circuit.num_constraints(); ++row) {
    for (const auto& term : circuit.a().row(row)) put(0, row, term.wire, circuit.coefficients()[term.coefficient]);
    for (const auto& term : circuit.b().row(row)) put(1, row, term.wire, circuit.coefficients()[term.coefficient]);
  }
  for (std::size_t input = 0; input < circuit.num_inputs(); ++input) {
    put(0, circuit.num_constraints() + input, static_cast<r1cs::Wire>(input), Fr::one());
  }
  return bytes;
}

}  // namespace cuzk::test
