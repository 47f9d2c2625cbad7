// Proving keys of Filecoin's circuits, opened where they lie and compared with the circuit's counts before any use.
//
// Errors: not_found, naming the file; those of formats/bellperson_params.h; malformed / circuit_mismatch when a count
// is not the circuit's. Thread-safety: pure functions.
#pragma once

#include <string>

#include "filecoin/params/compiled_circuit.h"
#include "filecoin/params/key_files.h"
#include "formats/bellperson_params.h"
#include "support/parallel.h"

namespace cuzk::filecoin {

struct ProvingKey {
  formats::ParamsFile params;
  bool development = false;
};

/// The official name in the folder. Compares what is known without the circuit's matrices: the public inputs.
Result<ProvingKey> open_proving_key(Arena& arena, const Circuit& circuit, const std::string& folder);

/// Variables, rows, and points of the filtered queries.
Status check_key_fits(const formats::ParamsFile& key, const Circuit& circuit, const CompiledCircuit& compiled);

}  // namespace cuzk::filecoin
