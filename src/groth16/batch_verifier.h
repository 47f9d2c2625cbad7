// Many proofs under one key at the price of few: a random linear combination of their equations.
//
//   prod_i e(z_i A_i, B_i) e(sum_i z_i IC_i, -gamma) e(sum_i z_i C_i, -delta) = e(alpha, beta)^(sum_i z_i)
// with z_i random, 128 bits: a batch with a wrong proof passes with probability 2^-128 (Bellare, Garay, Rabin, Fast
// batch verification, Eurocrypt 1998). One Miller loop a proof and one final exponentiation in all. A batch that fails
// is halved until its wrong proofs are found; each of those is confirmed by verify().
//
// Preconditions as in verifier.h. Errors of the batch itself: unavailable (no randomness). What is wrong with a single
// proof is in its Refusal: the errors of verify(). Parallel over the Arena. Thread-safety: pure function.
#pragma once

#include "groth16/verifier.h"
#include "support/random.h"

namespace cuzk::groth16 {

template <class C> struct BatchItem {
  std::span<const U256> public_inputs;
  Proof<C> proof;
};

struct Refusal {
  std::size_t index;
  Error error;
};

/// The proofs that do not verify, by ascending index; empty when all do.
template <class C>
Result<std::vector<Refusal>> batch_verify(Arena& arena, const PreparedVerifyingKey<C>& key,
                                          std::span<const BatchItem<C>> items, RandomSource random = fill_random);

}  // namespace cuzk::groth16
