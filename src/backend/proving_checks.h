// What every backend checks before it proves: that witness, circuit, rows and key belong together.
//
// Thread-safety: pure functions.
#pragma once

#include "backend/abc_buffer.h"
#include "groth16/proving_key.h"
#include "r1cs/compiled_circuit.h"
#include "r1cs/witness.h"

namespace cuzk::backend {

/// What the checks know of a key.
struct KeyShape {
  std::size_t num_variables = 0;
  std::size_t num_inputs = 0;  // with ONE
  std::size_t domain_size = 0;
  bool filtered = false;
  bool has_matrices = false;
  std::size_t a_points = 0, b_points = 0;

  template <class C> static KeyShape of(const groth16::ProvingKeyView<C>& view) noexcept {
    return {.num_variables = view.num_variables,
            .num_inputs = view.num_public() + 1,
            .domain_size = view.domain_size,
            .filtered = view.filtered,
            .has_matrices = view.coefficients.has_value(),
            .a_points = view.a.size() / sizeof(typename C::G1Affine),
            .b_points = view.b_g1.size() / sizeof(typename C::G1Affine)};
  }
};

/// A compiled circuit and how many variables are dense in A and B; the null circuit is none.
template <class Fr> struct CircuitShape {
  const r1cs::CompiledCircuit<Fr>* compiled = nullptr;
  std::size_t dense_a = 0, dense_b = 0;
};

/// invalid_argument: there is none; malformed / witness_length_mismatch.
Status check_witness(const KeyShape& key, const r1cs::Witness* witness);
/// invalid_argument: no circuit, and the key has no matrices; malformed / bad_count: different shapes.
template <class Fr> Status check_circuit(const KeyShape& key, const CircuitShape<Fr>& circuit);
/// invalid_argument: other lengths than the circuit's.
template <class Fr>
Status check_abc(const KeyShape& key, const r1cs::CompiledCircuit<Fr>* circuit, const AbcBuffer<Fr>& abc);

}  // namespace cuzk::backend
