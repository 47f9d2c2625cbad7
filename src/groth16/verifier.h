// Verification of one proof: e(A, B) e(IC, -gamma) e(C, -delta) = e(alpha, beta) with IC = ic_0 + sum_i public_i ic_i.
//
// Source: Groth (https://eprint.iacr.org/2016/260), section 3.2. A PreparedVerifyingKey holds e(alpha, beta) and the
// Miller lines of -gamma and -delta, so that a proof costs three Miller loops (one with new lines) and one final
// exponentiation. Whether the key's ceremony can be trusted is check_ceremony's question (verifying_key.h), not asked
// here.
//
// Preconditions (the decoders'): points of key and proof on the curve and in the subgroup. Public inputs are canonical
// integers and are checked: a value of r or more would be a second name of the same statement.
// Errors: unsatisfied / invalid_proof (the proof does not verify); malformed / public_count_mismatch, non_canonical,
// identity_point (A, B or C). Thread-safety: const and pure functions concurrently.
#pragma once

#include <span>

#include "curve/pairing.h"
#include "groth16/proof.h"
#include "groth16/verifying_key.h"
#include "support/parallel.h"

namespace cuzk::groth16 {

template <class C> class PreparedVerifyingKey {
 public:
  explicit PreparedVerifyingKey(const VerifyingKey<C>& vk);

  std::size_t num_public() const noexcept { return ic_.size() - 1; }
  const Gt<C>& alpha_beta() const noexcept { return alpha_beta_; }
  const G2Prepared<C>& minus_gamma() const noexcept { return minus_gamma_; }
  const G2Prepared<C>& minus_delta() const noexcept { return minus_delta_; }
  std::span<const typename C::G1Affine> ic() const noexcept { return ic_; }

 private:
  Gt<C> alpha_beta_;
  G2Prepared<C> minus_gamma_;
  G2Prepared<C> minus_delta_;
  std::vector<typename C::G1Affine> ic_;
};

template <class C>
Status verify(Arena& arena, const PreparedVerifyingKey<C>& key, std::span<const U256> public_inputs,
              const Proof<C>& proof);

/// The checks of verify() that come before any pairing: count and range of the public inputs, no identity in the proof.
template <class C>
Status check_statement(const PreparedVerifyingKey<C>& key, std::span<const U256> public_inputs, const Proof<C>& proof);

}  // namespace cuzk::groth16
