// The output of seal_commit_phase1 in bincode: that of filecoin-proofs, which names no proof, and that of its API,
// which does (docs/circuits.md, "Wire formats"). Errors and memory: wire/bincode_archive.h; bytes behind the end are
// refused. Thread-safety: pure functions.
#pragma once

#include <vector>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"
#include "support/bytes.h"

namespace cuzk::filecoin {

/// filecoin-proofs' struct; the caller knows which proof it is of.
Result<PorepVanillaProof> read_phase1_bincode(Bytes bytes, const SealProof& seal);
/// The API's struct. Error: also unsupported / unknown_proof_type, malformed / wrong_proof_type.
Result<PorepVanillaProof> read_api_phase1_bincode(Bytes bytes);

/// precondition: the shapes of the registered proof.
std::vector<std::byte> write_phase1_bincode(const PorepVanillaProof& proof);
std::vector<std::byte> write_api_phase1_bincode(const PorepVanillaProof& proof);

}  // namespace cuzk::filecoin
