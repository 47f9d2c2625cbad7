// The rows of A and B times the witness: what the quotient is computed from.
//
// a[i] = <A_i, z>, b[i] = <B_i, z> for the N rows of the domain, in Montgomery form; rows without terms are zero. Both
// forms include the rows x_i * 0 = 0 of the inputs i = 0 .. num_public, which follow the constraints: a .zkey's records
// hold them, for a circuit they are added here. C's rows are a o b for a satisfied circuit, so provers never multiply
// C; a circuit's are computed where c is given.
//
// Stored coefficients are taken as c R^2 (in a .zkey they are), so that one Montgomery product with a canonical witness
// word gives c w in Montgomery form and the witness is never converted; coefficients 1 and -1 cost at most one product
// a row together (r1cs/row_sum.h). The destination may lie in pieces, as buffers for devices do: each value is written
// once, where it belongs. Preconditions: a, b and c, where given, have the same length, no shorter than the rows;
// witness has as many elements as the circuit has variables, canonical. Memory: two dictionaries for a circuit, nothing
// for records. When the stop is pulled, it returns within some milliseconds; the destination is
// then anything. Complexity: one pass over the terms; unsorted records are read once per thread. Thread-safety: pure
// functions.
#pragma once

#include <span>

#include "r1cs/coefficient_records.h"
#include "r1cs/compiled_circuit.h"
#include "support/parallel.h"
#include "support/stop.h"

namespace cuzk::groth16 {

/// A run of rows and where their values go: three spans of one length, or two (c empty: not wanted).
template <class Fr> struct RowPart {
  std::size_t first = 0;  // row
  std::span<Fr> a, b, c;
};

/// `parts`: together the rows from 0 on, in order, none of them empty; c in all or in none. Records have no C: their c,
/// where wanted, is a o b.
template <class Fr>
void evaluate(Arena& arena, const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness,
              std::span<const RowPart<Fr>> parts, const StopToken& stop = {}) noexcept;

template <class Fr>
void evaluate(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const U256> witness,
              std::span<const RowPart<Fr>> parts, const StopToken& stop = {});

/// Into vectors that lie in one piece each.
template <class Fr>
void evaluate(Arena& arena, const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness, std::span<Fr> a,
              std::span<Fr> b, const StopToken& stop = {}) noexcept {
  const RowPart<Fr> whole{0, a, b, {}};
  evaluate<Fr>(arena, records, witness, std::span(&whole, 1), stop);
}

template <class Fr>
void evaluate(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const U256> witness, std::span<Fr> a,
              std::span<Fr> b, std::span<Fr> c = {}, const StopToken& stop = {}) {
  const RowPart<Fr> whole{0, a, b, c};
  evaluate<Fr>(arena, circuit, witness, std::span(&whole, 1), stop);
}

}  // namespace cuzk::groth16
