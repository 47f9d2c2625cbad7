// Which nodes a proof has to open: derived from public data, so that nobody can choose them.
//
// Page: docs/circuits.md, "Challenges" of each kind. All numbers are positions of nodes, below the sector's nodes().
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

using Challenges = std::vector<std::uint64_t>;

// --- proof of replication: never node 0

/// What a seal's challenges depend on: interactive ones on replica_id and seed, synthetic ones on all, non-interactive
/// ones on replica_id and comm_r.
struct SealedReplica {
  Node replica_id;
  Node comm_r;
  Bytes32 seed;
};

/// Those of one partition. precondition: partition < proof.partitions().
Challenges porep_challenges(const SealProof& proof, const SealedReplica& replica, unsigned partition);

/// The challenges among which a synthetic proof's are drawn: min(nodes, 2^18), of which position `index`.
std::uint64_t synthetic_challenge(std::uint64_t nodes, const Node& replica_id, const Node& comm_r, std::uint64_t index);

// --- proofs of spacetime

/// `index`: number of the challenge; see window_challenges.
std::uint64_t post_challenge(std::uint64_t nodes, const Node& randomness, std::uint64_t sector_id, std::uint64_t index);

/// All 66 of the one sector.
Challenges winning_challenges(const SectorShape& sector, const Node& randomness, std::uint64_t sector_id);

/// The 10 of a sector. `position`: of the sector among all sectors of the proof, through all partitions; only versions
/// of the interface before 1.2.0 depend on it.
Challenges window_challenges(const PostProof& proof, const Node& randomness, std::uint64_t sector_id,
                             std::uint64_t position);

/// Which of a provider's sectors answers for a block: the `n`th choice among `sectors` > 0.
std::uint64_t winning_sector(const Bytes32& prover_id, const Node& randomness, std::uint64_t n, std::uint64_t sectors);

// --- empty-sector update

/// Those of one partition; they are nodes of that partition's part of the sector. precondition: the sector has updates.
Challenges update_challenges(const SectorShape& sector, const Node& comm_r_new, unsigned partition);

}  // namespace cuzk::filecoin
