// What the fast form of a Poseidon hash computes with, derived from its constants.
//
// Full rounds. The mixing matrix is 1 / (i + j + width): an integer D times it has small entries that depend on i + j
// alone, so a row costs one multiplication by a word for each element and one product with 1 / D.
//
// Partial rounds. Each changes one element by an S-box and then mixes linearly: a linear system with one input y_k (the
// S-box's output) and one output n_k (the next S-box's input), whose other elements nobody sees until the end. With d =
// width - 1 of those, the outputs obey a recurrence of order d,
//
//   n_(k+1) = sum_(i=1..d) a_i n_(k+1-i) + sum_(i=0..d) b_i y_(k-i),
//
// a_i from the characteristic polynomial of the matrix's minor (Cayley and Hamilton), b_i from the impulse response. A
// round is one sum of 2 d + 1 products, against 3 d + 1 products of the sparse form (paper, appendix B), and the
// constants are the same in each round. Before the first round stand d outputs that never were and that stand for the
// state (`entry`); after the last the state follows from the last d inputs and outputs (`exit`).
//
// Computed once, never freed. Thread-safety: concurrently.
#pragma once

#include "hash/poseidon_constants.h"

namespace cuzk::hash {

struct PoseidonPlan {
  unsigned arity;
  unsigned partial_rounds;

  // Full rounds: mixed_j = unscale * 2^-64 * sum_i state_i small_mds[i + j].
  std::vector<u64> small_mds;  // 2 width - 1
  Fr unscale;                  // 2^64 / D

  // The first round, whose first element is constant.
  Fr first_element;  // after the S-box and the key

  // S-box keys in order of use; those added before the first S-box stand apart.
  std::vector<Fr> first_keys;  // arity: before the S-boxes of the inputs
  std::vector<Fr> keys;        // arity + 3 width + partial_rounds + 3 width

  // Partial rounds, as rows for histories y_(k-d), n_(k-d+1), y_(k-d+1), .., n_k, y_k.
  std::vector<Fr> recurrence;  // 2 d + 1
  std::vector<Fr> entry;       // d rows of `width`: of the state before mixing: n_(1-d), .., n_0
  std::vector<Fr> exit;        // d rows of 2 d: of y_(P-d), n_(P-d+1), .., y_(P-1), n_P: all but the first element
};

const PoseidonPlan& poseidon_plan(PoseidonKind kind);

}  // namespace cuzk::hash
