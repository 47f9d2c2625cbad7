// Vanilla proofs of spacetime (FallbackPoStSectorProof) and of updates (PartitionProof) in bincode (docs/circuits.md,
// "Wire formats").
//
// `name` is what the value is called in errors ("vanilla_proofs[3]"). Errors and memory: wire/bincode_archive.h; bytes
// behind the end are refused. Thread-safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"
#include "support/bytes.h"

namespace cuzk::filecoin {

/// One sector. precondition: kind is winning (66 inclusion proofs) or window (10).
Result<PostVanillaProof> read_post_bincode(Bytes bytes, const SectorShape& sector, ProofKind kind,
                                           std::string_view name = {});
/// One partition. Error: also unsupported, when the sector size has no update.
Result<UpdatePartitionProof> read_update_bincode(Bytes bytes, const SectorShape& sector, std::string_view name = {});

/// precondition: the shapes of the sector size and kind.
std::vector<std::byte> write_post_bincode(const PostVanillaProof& proof, const SectorShape& sector, ProofKind kind);
std::vector<std::byte> write_update_bincode(const UpdatePartitionProof& proof, const SectorShape& sector);

}  // namespace cuzk::filecoin
