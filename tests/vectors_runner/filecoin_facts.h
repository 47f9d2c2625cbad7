// What the vectors say of a circuit (counts.json, partition-<k>.json), compared with a recorded one.
#pragma once

#include "curve/curves.h"
#include "filecoin/registry.h"
#include "r1cs/block_circuit.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {

using FilecoinField = Bls12_381::Fr;
using RecordedCircuit = r1cs::BlockCircuit<FilecoinField>;

std::shared_ptr<const RecordedCircuit> record_circuit(const filecoin::Circuit& circuit);

/// Counts, non-zeros, densities and their bitmaps, domain, lengths of the key's queries. `counts` and the digests may
/// be one object.
void expect_circuit_facts(const RecordedCircuit& circuit, const nlohmann::json& counts,
                          const nlohmann::json& density_bitmaps_sha256, const nlohmann::json& matrices_sha256);

/// The bytes over which matrices_sha256 runs, row by row, without its trailer.
std::vector<std::byte> digest_body(const RecordedCircuit& circuit, std::size_t begin, std::size_t end);

}  // namespace cuzk::test
