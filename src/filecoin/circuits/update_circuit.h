// The circuit of one partition of an empty-sector update: that the challenged nodes of the new replica are those of
// the old one plus the new data times rho, and that the three lie under their commitments.
//
// Public inputs: partition and h_select packed, comm_r_old, comm_d_new, comm_r_new. Variables, constraints and their
// order: docs/circuits.md, "Empty-sector update". Instantiated for the four models over BLS12-381's Fr
// (update_circuit_inst.cpp). Thread-safety: a constraint system belongs to one thread.
#pragma once

#include "filecoin/instances.h"
#include "r1cs/constraint_system.h"
#include "support/stop.h"

namespace cuzk::filecoin {

template <r1cs::ConstraintSystem CS>
void update_circuit(CS& cs, const UpdateInstance& instance, const StopToken& stop = {});

}  // namespace cuzk::filecoin
