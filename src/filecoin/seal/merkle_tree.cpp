#include "filecoin/seal/merkle_tree.h"

#include "hash/poseidon.h"
#include "hash/sha256_compress.h"
#include "support/result.h"

namespace cuzk::filecoin {
namespace {

std::vector<Node> next_row(Arena& arena, NodeHash hash, unsigned arity, std::span<const Node> row,
                           ProgressRef progress) {
  std::vector<Node> above(row.size() / arity);
  parallel_for(arena, 0, above.size(), hash_grain(hash), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) above[i] = hash(row.subspan(i * arity, arity));
    progress.advance(end - begin);
  });
  return above;
}

}  // namespace

Node poseidon_node(std::span<const Node> children) noexcept {
  return hash::poseidon(hash::poseidon_kind_of_arity(static_cast<unsigned>(children.size())), children);
}

Node sha256_node(std::span<const Node> children) noexcept { return hash::sha256_pair(children[0], children[1]); }

std::size_t hash_grain(NodeHash hash) noexcept { return hash == &sha256_node ? 512 : 8; }

std::uint64_t leaf_count(std::span<const unsigned> arities) noexcept {
  std::uint64_t count = 1;
  for (const unsigned arity : arities) count *= arity;
  return count;
}

std::vector<unsigned> binary_arities(unsigned levels) { return std::vector<unsigned>(levels, 2); }

MerkleTree::MerkleTree(Arena& arena, NodeHash hash, std::vector<unsigned> arities, std::vector<Node> leaves,
                       ProgressRef progress)
    : arities_(std::move(arities)) {
  CUZK_REQUIRE(leaves.size() == leaf_count(arities_));
  rows_.reserve(arities_.size() + 1);
  rows_.push_back(std::move(leaves));
  for (const unsigned arity : arities_) rows_.push_back(next_row(arena, hash, arity, rows_.back(), progress));
}

}  // namespace cuzk::filecoin
