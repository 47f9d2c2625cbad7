// Compiled circuits: recorded from the circuit's text with blank values, or opened from a folder that keeps them.
//
// Files are "<circuit id>.circuit" (r1cs/circuit_file.h). Errors: those of circuit_file.h; malformed / circuit_mismatch
// for a file of another circuit. Thread-safety: pure functions.
#pragma once

#include <memory>
#include <string>

#include "filecoin/registry.h"
#include "r1cs/circuit_file.h"
#include "support/progress.h"
#include "support/stop.h"

namespace cuzk::filecoin {

struct CompiledCircuit {
  std::shared_ptr<const r1cs::BlockCircuit<bls12_381::Fr>> matrices;
  r1cs::DensityCounts densities;
};

/// Runs the circuit once, on one thread.
CompiledCircuit record_circuit(const Circuit& circuit, ProgressRef progress = {});

std::string circuit_path(const Circuit& circuit, const std::string& folder);

/// From the folder; recorded and put there when it is missing. An empty name: recorded and not kept. cancelled when the
/// stop was seen.
Result<CompiledCircuit> compiled_circuit(const Circuit& circuit, const std::string& folder, ProgressRef progress = {},
                                         const StopToken& stop = {});

}  // namespace cuzk::filecoin
