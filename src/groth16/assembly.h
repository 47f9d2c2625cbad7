// A proof from its sums: the last step of proving, the same for every backend.
//
//   A = alpha + sum_i z_i a_i + r delta          B = beta + sum_i z_i b_i + s delta   (in G2, and B1 in G1)
//   C = sum_aux z_i l_i + sum_j h_j h_query_j + s A + r B1 - r s delta
// Source: Groth (https://eprint.iacr.org/2016/260), section 3.2. Needs the prover's beta_g1 and delta_g1 in the key.
// Deterministic: equal inputs give equal bytes. Not constant time. Thread-safety: pure function. Errors: none.
#pragma once

#include "groth16/proof.h"
#include "groth16/verifying_key.h"

namespace cuzk::groth16 {

/// Multi-scalar products of the witness (and the quotient's scalars) with the queries of the proving key.
template <class C> struct ProofSums {
  typename C::G1 a, b_g1, l, h;
  typename C::G2 b_g2;
};

template <class C>
Proof<C> assemble(const VerifyingKey<C>& vk, const ProofSums<C>& sums, const typename C::Fr& r,
                  const typename C::Fr& s) noexcept;

}  // namespace cuzk::groth16
