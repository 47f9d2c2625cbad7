// Constants of Poseidon over BLS12-381's Fr as Filecoin uses it: x^5, width arity + 1, 8 full rounds.
//
// Source: Grassi et al., Poseidon (https://eprint.iacr.org/2019/458), appendix B for the sparse factorisation; the
// generation of constants (Grain LFSR, Cauchy matrix) and their compressed form are those of neptune, version 11:
// docs/circuits.md, "Poseidon". Computed once, on first use, and never freed. Thread-safety: concurrently.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "field/fp.h"
#include "support/result.h"

namespace cuzk::hash {

using Fr = bls12_381::Fr;

/// Which hash: the arity, and what its state's first element starts from.
enum class PoseidonKind : std::uint8_t {
  arity_2,
  arity_4,
  arity_8,
  arity_11,
  randomness,  // arity 2 with the domain tag 2^40: the update's phi, rho and challenges
};

struct SparseMatrix {
  std::vector<Fr> w_hat;   // width elements: the first column
  std::vector<Fr> v_rest;  // width - 1 elements: the first row without its first element
};

struct PoseidonConstants {
  unsigned arity;
  unsigned width;  // arity + 1
  unsigned partial_rounds;
  Fr domain_tag;
  std::vector<Fr> round_constants;       // width * (8 + partial_rounds), round by round
  std::vector<Fr> compressed_constants;  // 8 * width + partial_rounds, in order of use
  std::vector<Fr> mds;                   // width * width, row-major
  std::vector<Fr> pre_sparse;            // the same
  std::vector<SparseMatrix> sparse;      // one a partial round, in order of use

  static constexpr unsigned kHalfFullRounds = 4;
};

const PoseidonConstants& poseidon_constants(PoseidonKind kind);

/// Of any kind.
inline constexpr unsigned kMaxPoseidonArity = 11;
inline constexpr unsigned kMaxPoseidonPartialRounds = 57;

/// precondition: 2, 4, 8 or 11.
PoseidonKind poseidon_kind_of_arity(unsigned arity) noexcept;

/// What follows from a kind alone: make(kind) on first use, then the same object for ever. precondition: each caller
/// has a lambda of its own (the objects go by its type). Thread-safety: concurrently.
template <class Make> const auto& once_per_poseidon_kind(PoseidonKind kind, Make make) {
  static_assert(std::is_empty_v<Make>);
  const auto of = [make]<PoseidonKind kKind>() -> const auto& {
    static const auto* const object = new auto(make(kKind));
    return *object;
  };
  switch (kind) {
    case PoseidonKind::arity_2:
      return of.template operator()<PoseidonKind::arity_2>();
    case PoseidonKind::arity_4:
      return of.template operator()<PoseidonKind::arity_4>();
    case PoseidonKind::arity_8:
      return of.template operator()<PoseidonKind::arity_8>();
    case PoseidonKind::arity_11:
      return of.template operator()<PoseidonKind::arity_11>();
    case PoseidonKind::randomness:
      return of.template operator()<PoseidonKind::randomness>();
  }
  CUZK_REQUIRE(false);
}

}  // namespace cuzk::hash
