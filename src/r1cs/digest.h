// The identity of a circuit's matrices, whatever file they came from.
//
// SHA-256 over, for each constraint in order, for A, then B, then C: u32 number of terms, then each term as u8 kind (0
// input, 1 auxiliary) | u32 index within its kind | 32 bytes canonical coefficient; terms by ascending variable,
// repeated ones summed, zeros left out. After the last constraint: u64 inputs (with ONE) | u64 auxiliary | u64
// constraints. All little-endian; without the prover's extra input rows. Thread-safety: pure function.
#pragma once

#include "r1cs/compiled_circuit.h"
#include "support/progress.h"
#include "support/sha256.h"
#include "support/stop.h"

namespace cuzk::r1cs {

/// Progress counts constraints. Anything when the stop was pulled meanwhile.
template <class Fr>
Sha256::Digest matrices_digest(const CompiledCircuit<Fr>& circuit, ProgressRef progress = {},
                               const StopToken& stop = {});

}  // namespace cuzk::r1cs
