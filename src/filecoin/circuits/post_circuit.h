// The circuit of a proof of spacetime, winning or window: for each sector, that comm_r is made of comm_c and
// comm_r_last, and that the challenged leaves lie under comm_r_last.
//
// Public inputs: for each sector comm_r, then the index of each challenged leaf. Variables, constraints and their
// order: docs/circuits.md, "Proof of spacetime". Instantiated for the four models over BLS12-381's Fr
// (post_circuit_inst.cpp). Thread-safety: a constraint system belongs to one thread.
#pragma once

#include "filecoin/instances.h"
#include "r1cs/constraint_system.h"
#include "support/stop.h"

namespace cuzk::filecoin {

template <r1cs::ConstraintSystem CS>
void post_circuit(CS& cs, const PostInstance& instance, const StopToken& stop = {});

}  // namespace cuzk::filecoin
