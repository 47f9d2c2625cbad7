#include "r1cs/density.h"

namespace cuzk::r1cs {

namespace {

std::vector<Variable> variables_of(const SparseMatrix& matrix, std::size_t always_present, std::size_t num_variables) {
  std::vector<bool> present(num_variables);
  for (std::size_t i = 0; i < always_present; ++i) present[i] = true;
  for (const Term& term : matrix.terms) present[term.variable] = true;
  std::vector<Variable> list;
  for (std::size_t i = 0; i < num_variables; ++i) {
    if (present[i]) list.push_back(static_cast<Variable>(i));
  }
  return list;
}

}  // namespace

template <class Fr> Densities densities(const CompiledCircuit<Fr>& circuit) {
  return {variables_of(circuit.a, circuit.num_inputs(), circuit.num_variables),
          variables_of(circuit.b, 0, circuit.num_variables)};
}

template Densities densities(const CompiledCircuit<bn254::Fr>&);
template Densities densities(const CompiledCircuit<bls12_381::Fr>&);

}  // namespace cuzk::r1cs
