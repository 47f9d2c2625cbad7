#include "backend/proving_checks.h"

#include <string>

#include "groth16/setup.h"

namespace cuzk::backend {

namespace {

Status shapes_differ(std::string_view what, std::size_t circuit, std::size_t key) {
  return fail(Code::malformed, Kind::bad_count,
              "circuit and key do not belong together: the circuit has " + std::to_string(circuit) + " " +
                  std::string(what) + ", the key " + std::to_string(key));
}

}  // namespace

Status check_witness(const KeyShape& key, const r1cs::Witness* witness) {
  if (witness == nullptr) return fail(Code::invalid_argument, "no witness");
  if (witness->size() == key.num_variables) return {};
  return fail(Code::malformed, Kind::witness_length_mismatch,
              "the witness has " + std::to_string(witness->size()) + " values, the key " +
                  std::to_string(key.num_variables) +
                  " variables: made for another circuit, or for this one compiled with other options");
}

template <class Fr> Status check_circuit(const KeyShape& key, const CircuitShape<Fr>& circuit) {
  if (circuit.compiled == nullptr) {
    if (key.has_matrices && !key.filtered) return {};
    return fail(Code::invalid_argument, "this key carries no matrices: proving with it needs the circuit");
  }
  const auto& compiled = *circuit.compiled;
  if (compiled.num_variables() != key.num_variables) {
    return shapes_differ("variables", compiled.num_variables(), key.num_variables);
  }
  if (compiled.num_inputs() != key.num_inputs) {
    return shapes_differ("public inputs", compiled.num_public(), key.num_inputs - 1);
  }
  const std::size_t rows = groth16::domain_size_of(compiled);
  const bool may_be_larger = key.has_matrices;  // the key's own rows are proven then
  if (rows > key.domain_size || (rows < key.domain_size && !may_be_larger)) {
    return shapes_differ("rows (with those of the inputs, rounded up to a power of two)", rows, key.domain_size);
  }
  if (!key.filtered) return {};
  if (circuit.dense_a != key.a_points) return shapes_differ("variables in A", circuit.dense_a, key.a_points);
  if (circuit.dense_b != key.b_points) return shapes_differ("variables in B", circuit.dense_b, key.b_points);
  return {};
}

template <class Fr>
Status check_abc(const KeyShape& key, const r1cs::CompiledCircuit<Fr>* circuit, const AbcBuffer<Fr>& abc) {
  const std::size_t most = key.domain_size;
  const std::size_t least = circuit == nullptr ? 1 : circuit->num_constraints() + circuit->num_inputs();
  if (abc.rows() >= least && abc.rows() <= most) return {};
  return fail(Code::invalid_argument, "a, b, c of " + std::to_string(abc.rows()) + " rows, expected " +
                                          std::to_string(least) + " to " + std::to_string(most));
}

#define CUZK_INSTANTIATE(Fr)                                               \
  template Status check_circuit(const KeyShape&, const CircuitShape<Fr>&); \
  template Status check_abc(const KeyShape&, const r1cs::CompiledCircuit<Fr>*, const AbcBuffer<Fr>&);
CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::backend
