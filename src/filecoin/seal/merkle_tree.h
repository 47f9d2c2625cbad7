// Merkle trees whose levels may differ in arity: the binary tree over a sector's data, the trees of base, sub and top
// arity over its replica and columns.
//
// Leaves enter unhashed. A level's arity joins that many consecutive nodes of the level below, so that base trees,
// their roots joined by `sub` and those by `top` are one tree (docs/circuits.md, "Merkle trees"). What a tree has to
// offer for a path is in MerkleSource; prove_inclusion() serves the full tree here and those of which only a part
// exists (sparse_tree.h, repeating_tree.h). Results are the same for any number of threads. Thread-safety: const
// methods concurrently.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "filecoin/vanilla/proofs.h"
#include "support/parallel.h"
#include "support/progress.h"

namespace cuzk::filecoin {

/// The hash of a node from its children, in order.
using NodeHash = Node (*)(std::span<const Node> children) noexcept;
/// Poseidon of arity 2, 4 or 8.
Node poseidon_node(std::span<const Node> children) noexcept;
/// SHA-256 of two children, trimmed to 254 bits.
Node sha256_node(std::span<const Node> children) noexcept;

/// Nodes by level and index, level 0 being the leaves, and the arity that joins each level's nodes.
template <class T>
concept MerkleSource = requires(const T& tree, unsigned level, std::uint64_t index) {
  { tree.arities() } -> std::convertible_to<std::span<const unsigned>>;
  { tree.node(level, index) } -> std::convertible_to<Node>;
};

/// Number of leaves: the product of the arities.
std::uint64_t leaf_count(std::span<const unsigned> arities) noexcept;

/// `levels` times arity 2.
std::vector<unsigned> binary_arities(unsigned levels);

template <MerkleSource T> Node root_of(const T& tree) {
  return tree.node(static_cast<unsigned>(std::span<const unsigned>(tree.arities()).size()), 0);
}

/// precondition: leaf < leaf_count().
template <MerkleSource T> MerkleProof prove_inclusion(const T& tree, std::uint64_t leaf) {
  const std::span<const unsigned> arities = tree.arities();
  MerkleProof proof{root_of(tree), tree.node(0, leaf), {}};
  proof.path.reserve(arities.size());
  std::uint64_t index = leaf;
  for (unsigned level = 0; level < arities.size(); ++level) {
    const unsigned arity = arities[level];
    PathLevel step{static_cast<std::uint8_t>(arity), static_cast<std::uint8_t>(index % arity), {}};
    std::size_t taken = 0;
    for (unsigned child = 0; child < arity; ++child)
      if (child != step.index) step.siblings[taken++] = tree.node(level, index - step.index + child);
    proof.path.push_back(step);
    index /= arity;
  }
  return proof;
}

/// All nodes of a tree in memory.
class MerkleTree {
 public:
  /// precondition: leaves.size() == leaf_count(arities). Progress advances by the nodes hashed.
  MerkleTree(Arena& arena, NodeHash hash, std::vector<unsigned> arities, std::vector<Node> leaves,
             ProgressRef progress = {});

  std::span<const unsigned> arities() const noexcept { return arities_; }
  std::span<const Node> row(unsigned level) const noexcept { return rows_[level]; }
  std::span<const Node> leaves() const noexcept { return rows_.front(); }
  const Node& node(unsigned level, std::uint64_t index) const noexcept { return rows_[level][index]; }
  const Node& root() const noexcept { return rows_.back().front(); }

 private:
  std::vector<unsigned> arities_;
  std::vector<std::vector<Node>> rows_;
};

/// Nodes a thread hashes at a time: 50 us or more of either hash.
std::size_t hash_grain(NodeHash hash) noexcept;

}  // namespace cuzk::filecoin
