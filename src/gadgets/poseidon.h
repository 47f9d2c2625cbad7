// Poseidon of a circuit's numbers. Variables, constraints and their order: docs/circuits.md, "Poseidon, the circuit":
// 311 of each for arity 2, 377 for 4, 505 for 8, 598 for 11.
#pragma once

#include "gadgets/num.h"
#include "gadgets/poseidon_rows.h"
#include "hash/poseidon.h"

namespace cuzk::gadgets {

/// A Block. precondition: as many inputs as the kind's arity.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> poseidon(CS& cs, hash::PoseidonKind kind, std::span<const Num<typename CS::Field>> inputs);

}  // namespace cuzk::gadgets

#include "gadgets/poseidon_impl.h"
