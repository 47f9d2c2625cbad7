// Which variables a circuit's A and B contain: the order of the points in filtered queries (bellperson's .params, where
// identities are left out and the file does not say which).
//
// A variable is dense in a matrix when some constraint has it with a non-zero coefficient there (repeated terms of one
// linear combination summed before, as CircuitBuilder does). Inputs, ONE included, all count in A: the prover's extra
// rows x_i * 0 = 0 put them there. Lists ascend, so inputs come first. Thread-safety: pure functions; values.
#pragma once

#include "r1cs/compiled_circuit.h"

namespace cuzk::r1cs {

struct Densities {
  std::vector<Variable> a;
  std::vector<Variable> b;
};

template <class Fr> Densities densities(const CompiledCircuit<Fr>& circuit);

}  // namespace cuzk::r1cs
