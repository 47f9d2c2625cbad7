// The Merkle tree over content that repeats: the leaves are cut into equal ranges, and each range repeats a short
// pattern of its own.
//
// Every node of a tree of 2^30 leaves is known after some thousand hashes, so its root can be had before it is known
// which leaves will be opened. Thread-safety: const methods concurrently.
#pragma once

#include "filecoin/seal/merkle_tree.h"

namespace cuzk::filecoin {

class RepeatingTree {
 public:
  /// Leaf x is patterns[x / range][x % period], range = leaf_count(arities) / patterns.size(), period that of the
  /// patterns. precondition: the number of leaves, of patterns and the period are powers of two; period <= range;
  /// all patterns of one length.
  RepeatingTree(Arena& arena, NodeHash hash, std::vector<unsigned> arities, std::vector<std::vector<Node>> patterns,
                ProgressRef progress = {});

  std::span<const unsigned> arities() const noexcept { return arities_; }
  Node node(unsigned level, std::uint64_t index) const noexcept;

 private:
  /// A level: in each of `ranges` ranges of `range_nodes` nodes, `kept` nodes repeat.
  struct Row {
    std::uint64_t range_nodes;
    std::uint64_t kept;
    std::vector<Node> nodes;
  };
  Row next_row(Arena& arena, NodeHash hash, unsigned level, ProgressRef progress) const;

  std::vector<unsigned> arities_;
  std::vector<Row> rows_;
};

}  // namespace cuzk::filecoin
