// The public inputs of Filecoin's circuits, without ONE, in the order in which the circuits allocate them: from an
// instance (the prover's side) and from public data alone (the verifier's). For a true instance both are equal.
//
// Page: docs/circuits.md, "Public inputs". Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "filecoin/instances.h"
#include "filecoin/primitives/statements.h"

namespace cuzk::filecoin {

/// Exactly what the circuit allocates for this instance, whether the instance is true or not.
std::vector<U256> public_inputs(const Instance& instance);

/// precondition: partition < partitions_of(statement). Short partitions of a PoSt repeat their last sector.
std::vector<U256> public_inputs(const Statement& statement, std::uint64_t partition);

}  // namespace cuzk::filecoin
