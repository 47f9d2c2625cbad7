// Insertion of a node among its siblings, at a position given by bits. Variables, constraints and their order:
// docs/circuits.md, "Choice and insertion": 2 of each for 2 children, 8 for 4, 22 for 8.
#pragma once

#include <array>

#include "gadgets/pick.h"
#include "hash/tree_hash.h"

namespace cuzk::gadgets {

/// The children of a node; the first `arity` count.
template <class Fr> using Children = std::array<Num<Fr>, hash::kMaxTreeArity>;

/// The siblings with x put in at the position of the bits, least significant first. precondition: 1, 2 or 3 bits
/// (variables, not negated), 2^bits - 1 siblings.
template <r1cs::ConstraintSystem CS>
Children<typename CS::Field> insert(CS& cs, const Num<typename CS::Field>& x, std::span<const Boolean> bits,
                                    std::span<const Num<typename CS::Field>> siblings);

}  // namespace cuzk::gadgets

#include "gadgets/insert_impl.h"
