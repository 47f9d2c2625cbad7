// Bodies of gadgets/merkle_path.h.
#pragma once

#include <bit>
#include <optional>

#include "gadgets/merkle_path.h"

namespace cuzk::gadgets {

namespace detail {

/// 2, 4, 8: the bits of an index among so many.
constexpr unsigned index_bits(unsigned arity) noexcept { return static_cast<unsigned>(std::countr_zero(arity)); }

/// The block of a level, where levels are blocks.
template <class CS> void begin_level(CS& cs, TreeHash hash, std::optional<r1cs::Block<CS>>& block) {
  if (hash == TreeHash::poseidon) block.emplace(cs);
}

/// The parent of a node put among its siblings.
template <class CS>
Num<typename CS::Field> parent(CS& cs, const Num<typename CS::Field>& node, std::span<const Boolean> bits,
                               std::span<const Num<typename CS::Field>> siblings, TreeHash hash) {
  const auto children = insert(cs, node, bits, siblings);
  return hash_children<CS>(cs, hash, std::span(children).first(siblings.size() + 1));
}

}  // namespace detail

template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> hash_children(CS& cs, TreeHash hash, std::span<const Num<typename CS::Field>> children) {
  if (hash == TreeHash::sha256) return sha256_pair(cs, children[0], children[1]);
  return poseidon(cs, hash::poseidon_kind_of_arity(static_cast<unsigned>(children.size())), children);
}

template <r1cs::ConstraintSystem CS> Num<typename CS::Field> alloc_canonical(CS& cs, const U256& value) {
  return alloc_num(cs, CS::Field::from_canonical(value));
}

template <r1cs::ConstraintSystem CS, PathLevel Level>
void alloc_siblings(CS& cs, const Level& level, std::vector<Num<typename CS::Field>>& siblings) {
  for (unsigned i = 0; i + 1 < level.arity; ++i) siblings.push_back(alloc_canonical(cs, level.siblings[i]));
}

template <r1cs::ConstraintSystem CS, PathLevel Level>
Num<typename CS::Field> merkle_path(CS& cs, const Num<typename CS::Field>& leaf, std::span<const Level> path,
                                    TreeHash hash) {
  std::vector<Boolean> position;
  std::vector<Num<typename CS::Field>> siblings;
  auto node = leaf;
  for (const Level& level : path) {
    std::optional<r1cs::Block<CS>> block;
    detail::begin_level(cs, hash, block);
    const auto bits = alloc_bits(cs, level.index, detail::index_bits(level.arity));
    siblings.clear();
    alloc_siblings(cs, level, siblings);
    node = detail::parent<CS>(cs, node, bits, siblings, hash);
    position.insert(position.end(), bits.begin(), bits.end());
  }
  pack_into_input(cs, std::span<const Boolean>(position));
  return node;
}

template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> merkle_root(CS& cs, const Num<typename CS::Field>& leaf, std::span<const unsigned> arities,
                                    std::span<const Boolean> bits, std::span<const Num<typename CS::Field>> siblings,
                                    TreeHash hash) {
  auto node = leaf;
  for (const unsigned arity : arities) {
    std::optional<r1cs::Block<CS>> block;
    detail::begin_level(cs, hash, block);
    const unsigned width = detail::index_bits(arity);
    node = detail::parent<CS>(cs, node, bits.first(width), siblings.first(arity - 1), hash);
    bits = bits.subspan(width);
    siblings = siblings.subspan(arity - 1);
  }
  return node;
}

}  // namespace cuzk::gadgets
