// Does an assignment satisfy a circuit?
//
// Sums are taken with coefficients times R^2 and canonical values (row_sum.h), so nothing of z is converted or copied.
// Memory: two dictionaries. Complexity: one pass over the terms, in parallel over rows. Thread-safety: pure
// functions.
#pragma once

#include <optional>

#include "r1cs/compiled_circuit.h"
#include "support/parallel.h"
#include "support/stop.h"

namespace cuzk::r1cs {

/// Index of the first constraint with a * b != c. values: num_variables canonical elements. It ends within a
/// millisecond of a stop; whoever may have pulled it knows nothing by the answer.
template <class Fr>
std::optional<std::size_t> first_unsatisfied(Arena& arena, const CompiledCircuit<Fr>& circuit,
                                             std::span<const U256> values, const StopToken& stop = {});

}  // namespace cuzk::r1cs
