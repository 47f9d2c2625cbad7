// One entry for every circuit: what a recorder, a prover or a test runs for an instance of any kind.
// Thread-safety: a constraint system belongs to one thread.
#pragma once

#include "filecoin/instances.h"
#include "r1cs/constraint_system.h"
#include "support/stop.h"

namespace cuzk::filecoin {

/// Writes the instance's circuit, with the instance's values, into the constraint system. Instantiated for the four
/// models over BLS12-381's Fr (circuit_inst.cpp). Between challenges, or sectors, it looks at the stop: when it was
/// pulled, the circuit is not whole.
template <r1cs::ConstraintSystem CS> void synthesize(CS& cs, const Instance& instance, const StopToken& stop = {});

}  // namespace cuzk::filecoin
