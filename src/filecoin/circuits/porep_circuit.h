// The circuit of a proof of replication: that a sector was labelled, encoded and committed to as Filecoin's stacked
// graph demands, at the partition's challenges.
//
// For each challenge: the data lies under comm_d; the columns of the node's 14 parents lie under comm_c; the labels of
// all layers follow from the parents' labels; label and data make the replica, which lies under comm_r_last; the labels
// make the column under comm_c. comm_r is made of comm_c and comm_r_last.
//
// Public inputs: replica_id, comm_d, comm_r; then for each challenge its index in the data's tree, the indices of the 6
// parents of the base graph and of the 8 of the expander, and three times the index again: as node number in the
// labels, in the replica's tree, in the columns' tree. Variables, constraints and their order: docs/circuits.md, "Proof
// of replication". Interactive, synthetic and non-interactive proofs share it. The number of layers is that of the
// columns' rows. Source: filecoin-proofs 19.0.1, storage-proofs-porep's stacked circuit. Instantiated for the models
// over BLS12-381's Fr (porep_circuit_inst.cpp). Thread-safety: a constraint system belongs to one thread.
#pragma once

#include "filecoin/instances.h"
#include "r1cs/constraint_system.h"
#include "support/stop.h"

namespace cuzk::filecoin {

/// precondition: at least one challenge, all of the same shape.
template <r1cs::ConstraintSystem CS>
void porep_circuit(CS& cs, const PorepInstance& instance, const StopToken& stop = {});

}  // namespace cuzk::filecoin
