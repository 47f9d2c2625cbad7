#include "filecoin/seal/repeating_tree.h"

#include <algorithm>

#include "support/result.h"

namespace cuzk::filecoin {

RepeatingTree::RepeatingTree(Arena& arena, NodeHash hash, std::vector<unsigned> arities,
                             std::vector<std::vector<Node>> patterns, ProgressRef progress)
    : arities_(std::move(arities)) {
  Row leaves{leaf_count(arities_) / patterns.size(), patterns.front().size(), {}};
  CUZK_REQUIRE(leaves.kept != 0 && leaves.range_nodes % leaves.kept == 0);
  for (const std::vector<Node>& pattern : patterns) {
    CUZK_REQUIRE(pattern.size() == leaves.kept);
    leaves.nodes.insert(leaves.nodes.end(), pattern.begin(), pattern.end());
  }
  rows_.push_back(std::move(leaves));
  for (unsigned level = 0; level < arities_.size(); ++level) rows_.push_back(next_row(arena, hash, level, progress));
}

Node RepeatingTree::node(unsigned level, std::uint64_t index) const noexcept {
  const Row& row = rows_[level];
  return row.nodes[index / row.range_nodes * row.kept + index % row.range_nodes % row.kept];
}

/// Above the level at which one node spans a range, the whole level is one range and all its nodes are kept.
RepeatingTree::Row RepeatingTree::next_row(Arena& arena, NodeHash hash, unsigned level, ProgressRef progress) const {
  const Row& below = rows_[level];
  const std::uint64_t arity = arities_[level];
  const std::uint64_t ranges = below.nodes.size() / below.kept;
  Row row{};
  if (below.range_nodes >= arity) {
    row.range_nodes = below.range_nodes / arity;
    row.kept = std::max<std::uint64_t>(1, below.kept / arity);
    row.nodes.resize(ranges * row.kept);
  } else {
    row.range_nodes = row.kept = ranges * below.range_nodes / arity;
    row.nodes.resize(row.kept);
  }
  parallel_for(arena, 0, row.nodes.size(), hash_grain(hash), [&](std::size_t begin, std::size_t end) {
    std::array<Node, 8> children;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t index = i / row.kept * row.range_nodes + i % row.kept;
      for (std::uint64_t child = 0; child < arity; ++child) children[child] = node(level, index * arity + child);
      row.nodes[i] = hash(std::span(children).first(arity));
    }
    progress.advance(end - begin);
  });
  return row;
}

}  // namespace cuzk::filecoin
