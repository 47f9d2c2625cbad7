// A Merkle tree of which only some leaves and what lies above them exist: every other node is a pseudorandom value that
// a seed determines by level and index, as if a subtree of unknown content lay below it.
//
// All paths that such a tree gives out agree with each other and lead to one root; a tree of 2^30 leaves costs what its
// opened leaves cost. Deterministic: results depend on seed, leaves and arities alone. Thread-safety: const methods
// concurrently.
#pragma once

#include "filecoin/seal/merkle_tree.h"

namespace cuzk::filecoin {

/// Pseudorandom canonical nodes: SHA-256 of seed, domain and two numbers, trimmed to 254 bits.
class NodeStream {
 public:
  NodeStream(const Bytes32& seed, std::uint64_t domain) noexcept : seed_(seed), domain_(domain) {}
  Node at(std::uint64_t row, std::uint64_t index) const noexcept;

 private:
  Bytes32 seed_;
  std::uint64_t domain_;
};

class SparseTree {
 public:
  struct Leaf {
    std::uint64_t index;
    Node value;
  };

  /// Leaves in any order. precondition: indices < leaf_count(arities); those with the same index are equal.
  SparseTree(Arena& arena, NodeHash hash, std::vector<unsigned> arities, const NodeStream& unopened,
             std::vector<Leaf> leaves, ProgressRef progress = {});

  std::span<const unsigned> arities() const noexcept { return arities_; }
  Node node(unsigned level, std::uint64_t index) const noexcept;

 private:
  std::vector<Leaf> next_row(Arena& arena, NodeHash hash, unsigned level, ProgressRef progress) const;

  std::vector<unsigned> arities_;
  NodeStream unopened_;
  std::vector<std::vector<Leaf>> rows_;  // by index
};

}  // namespace cuzk::filecoin
