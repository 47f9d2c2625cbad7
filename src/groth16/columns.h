// The QAP polynomials of all variables at one point: column sums of a circuit's matrices, weighted by the Lagrange
// basis at that point.
//
//   out[i] = f_a A_i(x) + f_b B_i(x) + f_c C_i(x),  A_i(x) = sum over rows of A[row][i] L_row(x)
//
// The rows x_i * 0 = 0 of the inputs, behind the circuit's own, are counted in A. A factor of zero costs no pass over
// its matrix. Source: Groth (https://eprint.iacr.org/2016/260), section 3.2. Rows are read once, a batch at a time:
// each thread reads some of them and sorts their terms by variable, then each sums up its share of the variables.
// Memory beside the result: 12 bytes for each term of some thousand rows a thread. Thread-safety: pure function.
#pragma once

#include <span>

#include "r1cs/compiled_circuit.h"
#include "support/parallel.h"

namespace cuzk::groth16 {

template <class Fr> struct ColumnFactors {
  Fr a = Fr::zero(), b = Fr::zero(), c = Fr::zero();
};

/// lagrange: at least one element a row, those of the inputs included; out: one a variable.
template <class Fr>
void weighted_columns(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const Fr> lagrange,
                      const ColumnFactors<Fr>& factors, std::span<Fr> out);

}  // namespace cuzk::groth16
