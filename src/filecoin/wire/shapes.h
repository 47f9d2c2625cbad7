// What a vanilla proof of a sector size must look like: counts, arities and depths, which the decoders compare with
// what they read before they take memory for it.
// Thread-safety: values.
#pragma once

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

/// A Merkle path on the wire: levels of one arity, then at most one level each for the trees above them. The number of
/// parts is the variant of the format's enum.
struct MerkleShape {
  unsigned base_arity;
  unsigned base_levels;
  unsigned sub;  // 0: no such level
  unsigned top;

  unsigned parts() const noexcept { return 1U + (sub != 0 ? 1U : 0U) + (top != 0 ? 1U : 0U); }
  unsigned levels() const noexcept { return base_levels + parts() - 1; }
  unsigned arity_at(unsigned level) const noexcept {
    return level < base_levels ? base_arity : level == base_levels ? sub : top;
  }
};

/// The binary tree over a sector's data.
inline MerkleShape data_tree(const SectorShape& sector) noexcept { return {2, sector.log2_nodes(), 0, 0}; }
/// The trees over its replica and columns.
inline MerkleShape replica_tree(const SectorShape& sector) noexcept {
  return {8, sector.tree.base_levels, sector.tree.sub, sector.tree.top};
}

/// Merkle proofs of a sector in a proof of spacetime.
inline unsigned post_challenges(ProofKind kind) noexcept {
  return kind == ProofKind::winning ? kWinningSectors : kWindowChallenges;
}

}  // namespace cuzk::filecoin
