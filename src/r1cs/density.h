// Which variables a circuit's A and B contain: the order of the points in filtered queries (bellperson's .params, where
// identities are left out and the file does not say which).
//
// A variable is dense in a matrix when some constraint has it with a non-zero coefficient there (repeated terms of one
// linear combination summed before, as all compiled circuits do). Inputs, ONE included, all count in A: the prover's
// extra rows x_i * 0 = 0 put them there. As maps over the wires (a bit each), or as ascending lists, inputs first.
// Complexity: one pass over the terms; for a BlockCircuit over the distinct pieces alone, which takes some 50 ms for
// the largest of Filecoin's circuits. What looks at a stop ends within so long of it, and what it returns says nothing
// then. Thread-safety: pure functions; values.
#pragma once

#include "r1cs/bitmap.h"
#include "r1cs/compiled_circuit.h"
#include "support/stop.h"

namespace cuzk::r1cs {

struct DensityMaps {
  Bitmap a;
  Bitmap b;
};

struct Densities {
  std::vector<Wire> a;
  std::vector<Wire> b;
};

template <class Fr> DensityMaps density_maps(const CompiledCircuit<Fr>& circuit, const StopToken& stop = {});
template <class Fr> Densities densities(const CompiledCircuit<Fr>& circuit, const StopToken& stop = {});

/// How many of each; all inputs are dense in A.
struct DensityCounts {
  std::uint64_t a_aux = 0, b_inputs = 0, b_aux = 0;
  friend bool operator==(const DensityCounts&, const DensityCounts&) noexcept = default;
};
template <class Fr> DensityCounts density_counts(const CompiledCircuit<Fr>& circuit);

}  // namespace cuzk::r1cs
