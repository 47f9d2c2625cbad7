// The variables of Merkle paths: choices, insertion, Poseidon hashes.
//
// Page: docs/circuits.md, "Gadgets" and "Poseidon". Nodes are canonical; a choice copies one of two nodes, so only
// hashes compute in the field. Thread-safety: pure functions over a sink.
#pragma once

#include "filecoin/witness/node_hashes.h"
#include "hash/poseidon.h"
#include "hash/tree_hash.h"

namespace cuzk::filecoin::witness {

using hash::PoseidonKind;

// --- Poseidon

inline WitnessExtent poseidon_extent(PoseidonKind kind) noexcept {
  return r1cs::values_extent(hash::poseidon_trace_size(kind));
}

template <WitnessSink S> Node put_poseidon(S& sink, PoseidonKind kind, std::span<const Node> inputs) noexcept {
  return hash::poseidon_trace(kind, inputs, sink.values(hash::poseidon_trace_size(kind)));
}
template <WitnessSink S>
Node put_poseidon_pair(S& sink, PoseidonKind kind, const Node& left, const Node& right) noexcept {
  const std::array pair = {left, right};
  return put_poseidon(sink, kind, pair);
}

// --- insertion of a node among its siblings

namespace merkle_detail {

/// Picks in a row, whose results are variables one after another.
class Picks {
 public:
  explicit Picks(std::span<Node> results) noexcept : next_(results.data()) {}
  /// a if chosen, else b.
  const Node& operator()(bool chosen, const Node& a, const Node& b) noexcept { return *next_++ = chosen ? a : b; }

 private:
  Node* next_;
};

template <WitnessSink S>
void put_insertion_2(S& sink, const Node& x, unsigned index, std::span<const Node> others, std::span<Node> out) {
  Picks pick(sink.values(2));
  out[0] = pick(index != 0, others[0], x);
  out[1] = pick(index != 0, x, others[0]);
}

template <WitnessSink S>
void put_insertion_4(S& sink, const Node& x, unsigned index, std::span<const Node> others, std::span<Node> out) {
  const bool bit0 = (index & 1) != 0, bit1 = (index & 2) != 0;
  const Node &b = others[0], &c = others[1], &d = others[2];
  Picks pick(sink.values(8));
  out[0] = pick(bit1, b, pick(bit0, b, x));
  out[1] = pick(bit1, c, pick(bit0, x, b));
  out[2] = pick(bit1, pick(bit0, d, x), c);
  out[3] = pick(bit1, pick(bit0, x, d), d);
}

template <WitnessSink S>
void put_insertion_8(S& sink, const Node& x, unsigned index, std::span<const Node> others, std::span<Node> out) {
  const bool bit0 = (index & 1) != 0, bit1 = (index & 2) != 0, bit2 = (index & 4) != 0;
  const bool neither = !bit0 && !bit1, both = bit0 && bit1;
  sink.bits(u64{neither} | u64{both} << 1, 2);
  const Node &b = others[0], &c = others[1], &d = others[2], &e = others[3], &f = others[4], &g = others[5],
             &h = others[6];
  Picks pick(sink.values(20));
  out[0] = pick(bit2, b, pick(neither, x, b));
  out[1] = pick(bit2, c, pick(bit1, c, pick(bit0, x, b)));
  out[2] = pick(bit2, d, pick(bit1, pick(bit0, d, x), c));
  out[3] = pick(bit2, e, pick(both, x, d));
  out[4] = pick(bit2, pick(neither, x, f), e);
  out[5] = pick(bit2, pick(bit1, g, pick(bit0, x, f)), f);
  out[6] = pick(bit2, pick(bit1, pick(bit0, h, x), g), g);
  out[7] = pick(bit2, pick(both, x, h), h);
}

}  // namespace merkle_detail

constexpr WitnessExtent insertion_extent(unsigned arity) noexcept {
  if (arity == 2) return r1cs::values_extent(2);
  if (arity == 4) return r1cs::values_extent(8);
  return r1cs::bits_extent(2) + r1cs::values_extent(20);
}

/// The first `arity` are the children of a node.
using Children = std::array<Node, hash::kMaxTreeArity>;

/// The node x, which stands at `index`, among its siblings. precondition: 1, 3 or 7 others.
template <WitnessSink S>
Children put_insertion(S& sink, const Node& x, unsigned index, std::span<const Node> others) noexcept {
  Children children;
  switch (others.size()) {
    case 1:
      merkle_detail::put_insertion_2(sink, x, index, others, children);
      break;
    case 3:
      merkle_detail::put_insertion_4(sink, x, index, others, children);
      break;
    default:
      merkle_detail::put_insertion_8(sink, x, index, others, children);
  }
  return children;
}

// --- levels of paths

using hash::TreeHash;

inline std::span<const Node> siblings_of(const PathLevel& level) noexcept {
  return std::span(level.siblings).first(level.arity - std::size_t{1});
}
inline unsigned index_bits(unsigned arity) noexcept { return static_cast<unsigned>(std::countr_zero(arity)); }

/// Insertion and hash of one level: where bits and siblings have been put before.
inline WitnessExtent step_extent(TreeHash tree_hash, unsigned arity) noexcept {
  if (tree_hash == TreeHash::sha256) return insertion_extent(2) + kPairExtent;
  return insertion_extent(arity) + poseidon_extent(hash::poseidon_kind_of_arity(arity));
}

template <TreeHash kHash, WitnessSink S>
Node put_step(S& sink, const Node& x, unsigned index, std::span<const Node> others) noexcept {
  const Children children = put_insertion(sink, x, index, others);
  if constexpr (kHash == TreeHash::sha256) {
    return put_pair(sink, children[0], children[1]);
  } else {
    const std::size_t arity = others.size() + 1;
    return put_poseidon(sink, hash::poseidon_kind_of_arity(static_cast<unsigned>(arity)),
                        std::span(children).first(arity));
  }
}

inline WitnessExtent level_extent(TreeHash tree_hash, unsigned arity) noexcept {
  return r1cs::bits_extent(index_bits(arity)) + r1cs::values_extent(arity - 1) + step_extent(tree_hash, arity);
}
inline WitnessExtent path_extent(TreeHash tree_hash, std::span<const unsigned> arities) noexcept {
  WitnessExtent extent;
  for (const unsigned arity : arities) extent += level_extent(tree_hash, arity);
  return extent;
}

/// A path with its position: bits, siblings, insertion and hash of each level. Returns the root.
template <TreeHash kHash, WitnessSink S> Node put_path(S& sink, Node x, std::span<const PathLevel> path) noexcept {
  for (const PathLevel& level : path) {
    const std::span<const Node> siblings = siblings_of(level);
    sink.bits(level.index, index_bits(level.arity));
    for (const Node& sibling : siblings) sink.value(sibling);
    x = put_step<kHash>(sink, x, level.index, siblings);
  }
  return x;
}

}  // namespace cuzk::filecoin::witness
