// The rows of A and B times the witness: what the quotient is computed from.
//
// a[i] = <A_i, z>, b[i] = <B_i, z> for the N rows of the domain, in Montgomery form; rows without terms are zero. Both
// forms include the rows x_i * 0 = 0 of the inputs i = 0 .. num_public, which follow the constraints: a .zkey's records
// hold them, for a circuit they are added here. C's rows are a o b for a satisfied circuit; C itself is never
// multiplied.
//
// Stored coefficients are taken as c R^2 (in a .zkey they are), so that one Montgomery product with a canonical witness
// word gives c w in Montgomery form and the witness is never converted; coefficients 1 and -1 cost one product a row
// together. Preconditions: a and b have the same length N, no shorter than the rows; witness has as many elements as
// the circuit has variables, canonical. Memory: the dictionary's size for a circuit, nothing for records. Complexity:
// one pass over the terms; unsorted records are read once per thread. Thread-safety: pure functions.
#pragma once

#include <span>

#include "r1cs/coefficient_records.h"
#include "r1cs/compiled_circuit.h"
#include "support/parallel.h"

namespace cuzk::groth16 {

template <class Fr>
void evaluate(Arena& arena, const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness, std::span<Fr> a,
              std::span<Fr> b) noexcept;

template <class Fr>
void evaluate(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const U256> witness, std::span<Fr> a,
              std::span<Fr> b);

}  // namespace cuzk::groth16
