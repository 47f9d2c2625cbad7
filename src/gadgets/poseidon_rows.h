// The constraints of one Poseidon hash as rows over its own variables: made once for a kind, replayed for each hash.
//
// Slots stand for variables: 0 is ONE, 1..arity the preimage, arity + 1 + i the i-th variable of the hash. Row i
// defines variable i, so a hash has as many variables as constraints; the last one is its value. State elements that
// have no variable are linear combinations here, multiplied out in advance. Source: docs/circuits.md, "Poseidon, the
// circuit". Thread-safety: concurrently.
#pragma once

#include "hash/poseidon.h"

namespace cuzk::gadgets {

class PoseidonRows {
 public:
  using Fr = hash::Fr;

  struct Term {
    std::uint32_t slot;
    std::uint32_t coefficient;  // index, kUnit: 1
  };
  static constexpr std::uint32_t kUnit = ~std::uint32_t{0};

  struct Row {
    std::span<const Term> a, b, c;
  };

  explicit PoseidonRows(const hash::PoseidonConstants& constants);

  unsigned arity() const noexcept { return arity_; }
  std::size_t size() const noexcept { return ends_.size(); }
  Row row(std::size_t i) const noexcept {
    const std::span<const Term> terms(terms_);
    const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1].c;
    const Ends& end = ends_[i];
    return {terms.subspan(begin, end.a - begin), terms.subspan(end.a, end.b - end.a),
            terms.subspan(end.b, end.c - end.b)};
  }
  const Fr& coefficient(std::uint32_t index) const noexcept { return coefficients_[index]; }

 private:
  class Builder;

  /// Of a row's sides in terms_.
  struct Ends {
    std::uint32_t a, b, c;
  };

  unsigned arity_;
  std::vector<Term> terms_;
  std::vector<Ends> ends_;
  std::vector<Fr> coefficients_;
};

/// Made on first use and never freed.
const PoseidonRows& poseidon_rows(hash::PoseidonKind kind);

/// Of any kind.
inline constexpr std::size_t kMaxPoseidonRows =
    hash::poseidon_trace_size(hash::kMaxPoseidonArity, hash::kMaxPoseidonPartialRounds);

}  // namespace cuzk::gadgets
