#include "filecoin/vanilla/merkle_root.h"

#include "hash/poseidon.h"
#include "hash/sha256_compress.h"

namespace cuzk::filecoin {
namespace {

using hash::Fr;

Node climb_sha256(Node node, std::span<const PathLevel> levels) noexcept {
  for (const PathLevel& level : levels) {
    node = level.index == 0 ? hash::sha256_pair(node, level.siblings[0]) : hash::sha256_pair(level.siblings[0], node);
  }
  return node;
}

Node climb_poseidon(const Node& leaf, std::span<const PathLevel> levels) noexcept {
  Fr node = Fr::from_canonical(leaf);
  for (const PathLevel& level : levels) {
    std::array<Fr, hash::kMaxTreeArity> children;
    for (unsigned i = 0, sibling = 0; i < level.arity; ++i)
      children[i] = i == level.index ? node : Fr::from_canonical(level.siblings[sibling++]);
    node = hash::poseidon(hash::poseidon_kind_of_arity(level.arity), std::span<const Fr>(children.data(), level.arity));
  }
  return node.canonical();
}

}  // namespace

Node climb(const Node& leaf, std::span<const PathLevel> levels, TreeHash hash) noexcept {
  return hash == TreeHash::sha256 ? climb_sha256(leaf, levels) : climb_poseidon(leaf, levels);
}

}  // namespace cuzk::filecoin
