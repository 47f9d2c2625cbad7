// Where a Merkle path leads.
// Thread-safety: pure functions.
#pragma once

#include <span>

#include "filecoin/vanilla/proofs.h"
#include "hash/tree_hash.h"

namespace cuzk::filecoin {

using hash::TreeHash;

/// The node above the last of these levels. precondition: arities that the hash has.
Node climb(const Node& leaf, std::span<const PathLevel> levels, TreeHash hash) noexcept;

inline Node merkle_root(const MerkleProof& proof, TreeHash hash) noexcept {
  return climb(proof.leaf, proof.path, hash);
}

}  // namespace cuzk::filecoin
