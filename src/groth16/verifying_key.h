// Verifying key of Groth16 (https://eprint.iacr.org/2016/260): what a proof is checked against.
//
//   e(A, B) = e(alpha, beta) e(sum_i public_i ic_i, gamma) e(C, delta),  public_0 = 1.
//
// beta_g1 and delta_g1 are the prover's; bellperson's .vk carries them, snarkjs's JSON does not (identity then).
// Points are on the curve, in the subgroup; alpha, beta_g2, gamma_g2, delta_g2 not the identity: checked by the readers
// in formats/. Thread-safety: a value.
#pragma once

#include <vector>

#include "curve/curves.h"
#include "support/result.h"
#include "support/sha256.h"

namespace cuzk::groth16 {

template <class C> struct VerifyingKey {
  typename C::G1Affine alpha_g1{};
  typename C::G1Affine beta_g1{};
  typename C::G2Affine beta_g2{};
  typename C::G2Affine gamma_g2{};
  typename C::G1Affine delta_g1{};
  typename C::G2Affine delta_g2{};
  std::vector<typename C::G1Affine> ic;  // one more than public inputs

  std::size_t num_public() const noexcept { return ic.size() - 1; }
};

/// A key whose delta equals gamma or the generator never had a phase-2 contribution: anyone can forge proofs for it
/// (as two live systems found out). Error: malformed, Kind::insecure_key; also for an identity in alpha, beta, gamma,
/// delta.
template <class C> Status check_ceremony(const VerifyingKey<C>& key);

/// SHA-256 over alpha_g1, beta_g2, gamma_g2, delta_g2, ic in our memory layout, preceded by the curve's name: tells
/// which circuit and ceremony a key belongs to, whatever file it came from.
template <class C> Sha256::Digest digest(const VerifyingKey<C>& key);

}  // namespace cuzk::groth16
