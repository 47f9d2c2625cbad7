// Paths of Merkle trees. Variables, constraints and their order: docs/circuits.md, "Merkle paths".
//
// Levels go from the leaf up. A level of a Poseidon tree is a Block; in a SHA-256 tree the hash brings its own.
#pragma once

#include "gadgets/insert.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon.h"
#include "gadgets/sha256.h"

namespace cuzk::gadgets {

using hash::TreeHash;

/// The values of one level: how many children, which of them is the node, the others in order (canonical).
template <class L>
concept PathLevel = requires(const L& level) {
  { level.arity } -> std::convertible_to<unsigned>;
  { level.index } -> std::convertible_to<unsigned>;
  { level.siblings[0] } -> std::convertible_to<const U256&>;
};

/// The parent of its children.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> hash_children(CS& cs, TreeHash hash, std::span<const Num<typename CS::Field>> children);

/// A number from its canonical value.
template <r1cs::ConstraintSystem CS> Num<typename CS::Field> alloc_canonical(CS& cs, const U256& value);

/// One number for each sibling of the level, appended.
template <r1cs::ConstraintSystem CS, PathLevel Level>
void alloc_siblings(CS& cs, const Level& level, std::vector<Num<typename CS::Field>>& siblings);

/// The root above a leaf, at a position that becomes a public input: its index. Bits, siblings, insertion and hash of
/// one level come before those of the next.
template <r1cs::ConstraintSystem CS, PathLevel Level>
Num<typename CS::Field> merkle_path(CS& cs, const Num<typename CS::Field>& leaf, std::span<const Level> path,
                                    TreeHash hash);

/// That it is this root.
template <r1cs::ConstraintSystem CS, PathLevel Level>
void merkle_inclusion(CS& cs, const Num<typename CS::Field>& leaf, std::span<const Level> path,
                      const Num<typename CS::Field>& root, TreeHash hash) {
  enforce_equal(cs, merkle_path(cs, leaf, path, hash), root);
}

/// The same at the position of given bits (least significant first), from siblings that exist already:
/// arity - 1 of each level. precondition: sizes agree.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> merkle_root(CS& cs, const Num<typename CS::Field>& leaf, std::span<const unsigned> arities,
                                    std::span<const Boolean> bits, std::span<const Num<typename CS::Field>> siblings,
                                    TreeHash hash);

}  // namespace cuzk::gadgets

#include "gadgets/merkle_path_impl.h"
