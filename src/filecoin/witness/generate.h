// The witness of a partition, straight from its instance: no circuit is run.
//
// Values equal those of the circuit (filecoin/circuits) run on r1cs::WitnessSystem. A circuit's variables are cut in
// pieces of known size that are put in parallel, each where it belongs. Preconditions: the instance has the circuit's
// shape (asserted by count); its nodes are canonical. Which variables are general in the packed form depends on the
// circuit alone. The results are the same for any number of threads. Each piece looks at the stop; when
// it was pulled, the witness is anything. Thread-safety: concurrently on distinct
// destinations.
#pragma once

#include "filecoin/instances.h"
#include "r1cs/packed_witness.h"
#include "support/parallel.h"
#include "support/stop.h"

namespace cuzk::filecoin {

struct WitnessShape {
  std::size_t num_inputs;  // with ONE
  r1cs::WitnessExtent extent;

  std::size_t size() const noexcept { return num_inputs + extent.aux; }
};
WitnessShape witness_shape(const Circuit& circuit);

/// ONE, public inputs, auxiliary variables. precondition: witness_shape(circuit).size() values.
void generate_witness(Arena& arena, const Circuit& circuit, const Instance& instance, std::span<U256> destination,
                      const StopToken& stop = {});
r1cs::Witness generate_witness(Arena& arena, const Circuit& circuit, const Instance& instance,
                               const StopToken& stop = {});

/// precondition: the lengths that packed_witness.h states, of witness_shape(circuit). Nothing need be zero before.
void generate_packed_witness(Arena& arena, const Circuit& circuit, const Instance& instance,
                             const r1cs::PackedDestination& destination, const StopToken& stop = {});
r1cs::PackedWitness generate_packed_witness(Arena& arena, const Circuit& circuit, const Instance& instance);

}  // namespace cuzk::filecoin
