#include "filecoin/seal/sparse_tree.h"

#include <algorithm>

#include "hash/sha256_compress.h"
#include "support/result.h"

namespace cuzk::filecoin {

Node NodeStream::at(std::uint64_t row, std::uint64_t index) const noexcept {
  std::array<std::byte, 64> block{};
  std::memcpy(block.data(), seed_.data(), seed_.size());
  store_le(&block[32], domain_);
  store_le(&block[40], row);
  store_le(&block[48], index);
  hash::Sha256State state = hash::kSha256Initial;  // one block without padding: a generator, not a message digest
  hash::sha256_compress(state, block);
  return hash::trimmed_digest(state);
}

SparseTree::SparseTree(Arena& arena, NodeHash hash, std::vector<unsigned> arities, const NodeStream& unopened,
                       std::vector<Leaf> leaves, ProgressRef progress)
    : arities_(std::move(arities)), unopened_(unopened) {
  std::ranges::sort(leaves, {}, &Leaf::index);
  const auto repeated = std::ranges::unique(leaves, {}, &Leaf::index);
  leaves.erase(repeated.begin(), repeated.end());
  CUZK_REQUIRE(leaves.empty() || leaves.back().index < leaf_count(arities_));
  rows_.reserve(arities_.size() + 1);
  rows_.push_back(std::move(leaves));
  for (unsigned level = 0; level < arities_.size(); ++level) rows_.push_back(next_row(arena, hash, level, progress));
}

Node SparseTree::node(unsigned level, std::uint64_t index) const noexcept {
  const std::vector<Leaf>& row = rows_[level];
  const auto found = std::ranges::lower_bound(row, index, {}, &Leaf::index);
  if (found != row.end() && found->index == index) return found->value;
  return unopened_.at(level, index);
}

std::vector<SparseTree::Leaf> SparseTree::next_row(Arena& arena, NodeHash hash, unsigned level,
                                                   ProgressRef progress) const {
  const unsigned arity = arities_[level];
  std::vector<Leaf> above;
  for (const Leaf& below : rows_[level])
    if (above.empty() || above.back().index != below.index / arity) above.push_back({below.index / arity, {}});
  parallel_for(arena, 0, above.size(), hash_grain(hash), [&](std::size_t begin, std::size_t end) {
    std::array<Node, 8> children;
    for (std::size_t i = begin; i < end; ++i) {
      for (unsigned child = 0; child < arity; ++child) children[child] = node(level, above[i].index * arity + child);
      above[i].value = hash(std::span(children).first(arity));
    }
    progress.advance(end - begin);
  });
  return above;
}

}  // namespace cuzk::filecoin
