// <row, z> for a canonical z, which is never converted.
//
// Coefficients are kept twice: as c R^2, so that one Montgomery product with a canonical word w is c w in Montgomery
// form, and as c R, which is what a term with w = 1 adds. Terms with c = 1 and -1, by far the commonest, are summed as
// they are, and multiplied once a row; words below 2^32, most of which are bits, are summed as plain integers, and
// small sums are looked up. Results are fully reduced. Thread-safety: values and pure functions.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "field/dot_product.h"
#include "r1cs/block_circuit.h"

namespace cuzk::r1cs {

/// A dictionary as sums need it. The first two coefficients are 1 and -1.
template <class F> class CoefficientTable {
 public:
  struct Entry {
    F r;   // c R: Montgomery form
    F r2;  // c R^2
  };

  template <class Fr> explicit CoefficientTable(std::span<const Fr> coefficients) {
    entries_.reserve(coefficients.size());
    for (const Fr& coefficient : coefficients) {
      const F c = F::from_montgomery(coefficient.montgomery());
      entries_.push_back({c, c * F::from_montgomery(F::Constants::r2)});
    }
  }
  const Entry* data() const noexcept { return entries_.data(); }

 private:
  std::vector<Entry> entries_;
};

template <class F> class RowSum {
 public:
  /// + w, - w, + c w
  void add(const U256& w) noexcept {
    if (is_word(w)) {
      count_ += static_cast<std::int64_t>(w.limb[0]);
    } else {
      units_ += F::from_montgomery(w);
      only_words_ = false;
    }
  }
  void subtract(const U256& w) noexcept {
    if (is_word(w)) {
      count_ -= static_cast<std::int64_t>(w.limb[0]);
    } else {
      units_ -= F::from_montgomery(w);
      only_words_ = false;
    }
  }
  void add(const typename CoefficientTable<F>::Entry& c, const U256& w) noexcept {
    only_words_ = false;
    if (is_word(w) && w.limb[0] <= 1) {
      sum_ += masked(c.r, w.limb[0]);
    } else {
      gather(c.r2, F::from_montgomery(w));
    }
  }
  void add_product(const F& c_r2, const U256& w) noexcept {
    if (w.is_zero()) return;
    only_words_ = false;
    gather(c_r2, F::from_montgomery(w));
  }

  /// In Montgomery form. Called once.
  F total() noexcept {
    const bool is_small = -kSmall <= count_ && count_ <= kSmall;
    if (is_small && only_words_) return kSmallElements[static_cast<std::size_t>(count_ + kSmall)];
    return total_of_all(is_small);
  }

 private:
  static constexpr std::int64_t kSmall = 32;
  static constexpr std::array<F, 2 * kSmall + 1> kSmallElements = [] {
    std::array<F, 2 * kSmall + 1> elements{};
    for (std::size_t i = 1; i <= kSmall; ++i) {
      elements[kSmall + i] = elements[kSmall + i - 1] + F::one();
      elements[kSmall - i] = -elements[kSmall + i];
    }
    return elements;
  }();

  [[gnu::noinline]] F total_of_all(bool is_small) noexcept {
    if (!units_.is_zero()) gather(F::from_montgomery(F::Constants::r2), units_);
    const F sum = num_products_ == 0 ? sum_ : sum_ + products();
    if (is_small) return sum + kSmallElements[static_cast<std::size_t>(count_ + kSmall)];
    const F words = F::from_u64(static_cast<u64>(count_ < 0 ? -count_ : count_));
    return count_ < 0 ? sum - words : sum + words;
  }
  void gather(const F& c_r2, const F& word) noexcept {
    if (num_products_ == kMaxProducts) sum_ += products();
    coefficients_[num_products_] = c_r2;
    words_[num_products_] = word;
    ++num_products_;
  }
  /// The sum of those gathered, which are none thereafter. precondition: there are any.
  F products() noexcept { return sum_of(std::exchange(num_products_, 0), std::make_index_sequence<kMaxProducts>()); }
  template <std::size_t kCount> static F dot(const F* x, const F* y) noexcept {
    if constexpr (kCount == 1) {
      return F::mul(x[0], y[0]);
    } else {
      return dot_product<kCount>(x, y);
    }
  }
  template <std::size_t... I> F sum_of(std::size_t count, std::index_sequence<I...>) const noexcept {
    using Sum = F (*)(const F*, const F*) noexcept;
    static constexpr Sum kSums[] = {dot<I + 1>...};
    return kSums[count - 1](coefficients_, words_);
  }

  static bool is_word(const U256& w) noexcept { return (w.limb[1] | w.limb[2] | w.limb[3] | w.limb[0] >> 32) == 0; }
  /// x for bit 1, zero for bit 0; no branch, for the bits of a hash cannot be foreseen.
  static F masked(const F& x, u64 bit) noexcept {
    typename F::Repr limbs = x.montgomery();
    for (u64& limb : limbs.limb) limb &= u64{0} - bit;
    return F::from_montgomery(limbs);
  }

  static constexpr std::size_t kMaxProducts = 12;  // a row of Poseidon's widest mix

  F sum_ = F::zero();       // Montgomery form
  F units_ = F::zero();     // canonical
  std::int64_t count_ = 0;  // plain words with 1 and -1
  bool only_words_ = true;  // nothing but count_
  std::size_t num_products_ = 0;
  F coefficients_[kMaxProducts];  // c R^2
  F words_[kMaxProducts];         // canonical
};

namespace detail {

/// wire_of(term): the wire of a Term or a PieceTerm.
template <class F, class T, class WireOf>
F row_times(std::span<const T> terms, const typename CoefficientTable<F>::Entry* coefficients, const U256* values,
            WireOf wire_of) noexcept {
  RowSum<F> sum;
  for (const T* term = terms.data(); term != terms.data() + terms.size(); ++term) {
    const U256& w = values[wire_of(*term)];
    if (term->coefficient == 0) {
      sum.add(w);
    } else if (term->coefficient == 1) {
      sum.subtract(w);
    } else {
      sum.add(coefficients[term->coefficient], w);
    }
  }
  return sum.total();
}

}  // namespace detail

/// take(row, a, b, c) for the rows [begin, end) in order, with their sums in Montgomery form; c is zero unless WithC.
/// values: num_variables canonical elements.
template <bool WithC, class F, class Fr, class Take>
void evaluate_rows(const CompiledCircuit<Fr>& circuit, const CoefficientTable<F>& coefficients,
                   std::span<const U256> values, std::size_t begin, std::size_t end, Take&& take) {
  if (const auto* blocks = dynamic_cast<const BlockCircuit<Fr>*>(&circuit)) {
    blocks->visit_pieces(begin, end, [&](const PlacedPiece& piece, std::size_t first, std::size_t last) {
      const auto wire_of = [&](const PieceTerm& term) { return piece.wire(term.place); };
      const auto times = [&](std::size_t row, std::size_t side) {
        return detail::row_times<F>(piece.side(row, side), coefficients.data(), values.data(), wire_of);
      };
      for (std::size_t row = first; row < last; ++row) {
        take(piece.first_row() + row, times(row, 0), times(row, 1), WithC ? times(row, 2) : F::zero());
      }
    });
    return;
  }
  const auto wire_of = [](const Term& term) { return term.wire; };
  const auto times = [&](std::span<const Term> terms) {
    return detail::row_times<F>(terms, coefficients.data(), values.data(), wire_of);
  };
  circuit.visit_rows(begin, end, [&](const Row& row) {
    take(row.index, times(row.a), times(row.b), WithC ? times(row.c) : F::zero());
  });
}

}  // namespace cuzk::r1cs
