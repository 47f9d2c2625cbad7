// The graph of a stacked replica: which labels a label depends on.
//
// A node has 6 parents in its own layer (a bucket-sampled depth-robust graph) and 8 in the layer before (an expander:
// a Feistel permutation of the edges). Both follow from the porep_id.
// Source: Fisch, Tight proofs of space and replication (https://eprint.iacr.org/2018/702); page: docs/circuits.md,
// "Graph". Thread-safety: concurrently. Complexity: one ChaCha8 block a node, 24 or more BLAKE2b blocks an expander's.
#pragma once

#include <array>
#include <cstdint>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

using DrgParents = std::array<std::uint32_t, kDrgParents>;
using ExpanderParents = std::array<std::uint32_t, kExpanderParents>;

class Graph {
 public:
  /// `nodes`: a power of two, 2^31 at most. `api` decides where the predecessor stands among the DRG parents.
  Graph(std::uint64_t nodes, const Bytes32& porep_id, ApiVersion api);
  explicit Graph(const SealProof& proof) : Graph(proof.sector->nodes(), proof.porep_id(), proof.api()) {}

  std::uint64_t nodes() const noexcept { return nodes_; }

  /// precondition of both: node < nodes(). Nodes 0 and 1 have six times the DRG parent 0.
  DrgParents drg_parents(std::uint32_t node) const noexcept;
  ExpanderParents expander_parents(std::uint32_t node) const noexcept;

 private:
  std::uint64_t permuted_edge(std::uint64_t edge) const noexcept;

  std::uint64_t nodes_;
  ApiVersion api_;
  std::array<std::byte, 28> drg_seed_;
  std::array<std::uint64_t, 3> feistel_keys_;
  unsigned feistel_half_bits_;
};

}  // namespace cuzk::filecoin
