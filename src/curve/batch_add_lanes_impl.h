// Bodies of curve/batch_add_lanes.h.
//
// The two passes of batch_add_impl.h over sets of eight additions. With s = kShift / 2, so that S = 2^(2 s) R (field/
// fp_lanes.h), a coordinate x R in memory is the lane form of x / 2^(2 s), and a quotient of differences of such is the
// slope's own. The sum x = l^2 - x_P - x_Q then wants l^2 / 2^(2 s): the inverses are made 2^s times too small, so that
// the slope is l / 2^s, and y = l (x_P - x) - y_P has its second factor shifted by s bits. Bounds, in p: differences
// below 2, inverses and slopes below 1.1 (fp_lanes.h), the shifted difference below 2^(s + 1), which is below S / (8 p)
// and leaves a product below 1.2.
//
// Two sets at a time, stage by stage, hide the latency of a product; each has its chain of running products.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "curve/batch_add_impl.h"
#include "curve/batch_add_lanes.h"
#include "field/fp_lanes.h"

namespace cuzk::affine_detail {

template <class F> class LaneAdder<F>::Work {
 public:
  explicit Work(std::size_t capacity)
      : norms_(std::make_unique_for_overwrite<Lanes[]>(padded(capacity) / kWidth)),
        products_(std::make_unique_for_overwrite<Lanes[]>(padded(capacity) / kWidth)),
        special_(std::make_unique_for_overwrite<__mmask8[]>(padded(capacity) / kWidth)),
        places_(std::make_unique_for_overwrite<AdditionPlaces<F>[]>(padded(capacity))) {}

  AdditionPlaces<F>* places() noexcept { return places_.get(); }

  [[CUZK_IFMA_TARGET]] void add_batch(std::size_t count, FunctionRef<void()> lookahead) noexcept {
    for (std::size_t i = count; i < padded(count); ++i) places_[i] = {&filler_[0], &filler_[1], &filler_[2]};
    Lanes running[kSets];
    multiply_norms(padded(count) / kWidth, running);
    invert(running);
    for (std::size_t set = padded(count) / kWidth; set > 0; set -= kSets) add_group(set - kSets, running, lookahead);
  }

 private:
  using P = typename F::Params;
  using Repr = typename F::Repr;
  using Lanes = ifma::Lanes<P>;
  using Loose = ifma::Loose<P>;
  using Limbs = ifma::Limbs<F::limbs>;
  static constexpr std::size_t kWidth = ifma::kLanes;
  static constexpr std::size_t kSets = 2;
  static constexpr unsigned kHalfShift = ifma::Digits<P>::kShift / 2;

  static constexpr std::size_t padded(std::size_t count) noexcept {
    return (count + kSets * kWidth - 1) / (kSets * kWidth) * (kSets * kWidth);
  }

  /// One coordinate of eight operands.
  template <F Affine<F>::* Coordinate, const Affine<F>* AdditionPlaces<F>::* Operand>
  CUZK_IFMA Limbs load(std::size_t set) const noexcept {
    const AdditionPlaces<F>* const places = places_.get() + set * kWidth;
    const void* rows[kWidth];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWidth; ++i) rows[i] = &(places[i].*Operand->*Coordinate);
    Limbs x;
    ifma::gather(rows, x);
    return x;
  }
  template <F Affine<F>::* Coordinate> CUZK_IFMA void store(std::size_t set, const Lanes& x) noexcept {
    const AdditionPlaces<F>* const places = places_.get() + set * kWidth;
    void* rows[kWidth];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWidth; ++i) rows[i] = &(places[i].target->*Coordinate);
    ifma::scatter(x.limbs(), rows);
  }
  static constexpr auto kLeft = &AdditionPlaces<F>::left;
  static constexpr auto kRight = &AdditionPlaces<F>::right;
  static constexpr auto kX = &Affine<F>::x;
  static constexpr auto kY = &Affine<F>::y;

  using Elements = std::array<F, kWidth>;
  /// precondition: below 2^(64 N).
  CUZK_IFMA static Elements elements_of(const Lanes& x) noexcept {
    std::array<Repr, kWidth> limbs;
    ifma::store(x.limbs(), limbs.data());
    return std::bit_cast<Elements>(limbs);
  }
  CUZK_IFMA static Lanes lanes_of(const Elements& x) noexcept {
    const auto limbs = std::bit_cast<std::array<Repr, kWidth>>(x);
    return Lanes::from_limbs(ifma::load(limbs.data()));
  }

  /// Puts what special lines have in place of `x` into their lanes.
  [[CUZK_IFMA_TARGET, gnu::noinline]] void replace_special(std::size_t set, F Line<F>::* part, Lanes& x) noexcept {
    Elements elements = elements_of(x);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const AdditionPlaces<F>& places = places_[set * kWidth + i];
      if ((special_[set] >> i & 1) != 0) elements[i] = special_line(*places.left, *places.right).*part;
    }
    x = lanes_of(elements);
  }

  /// norms_, special_, and products_: of the norms before in the same chain; `running`: of all.
  [[CUZK_IFMA_TARGET, gnu::noinline]] void multiply_norms(std::size_t sets, Lanes* running) noexcept {
    const Lanes one = Lanes::from_limbs(every(F::Constants::r));
    Lanes chain[kSets] = {one, one};
    for (std::size_t first = 0; first < sets; first += kSets) {
#pragma GCC unroll 2
      for (std::size_t k = 0; k < kSets; ++k) {
        const std::size_t set = first + k;
        const Limbs left = load<kX, kLeft>(set), right = load<kX, kRight>(set);
        const __m512i zero = _mm512_setzero_si512();
        special_[set] = static_cast<__mmask8>(_mm512_cmpeq_epi64_mask(left.limb[0], right.limb[0]) |
                                              _mm512_cmpeq_epi64_mask(left.limb[0], zero) |
                                              _mm512_cmpeq_epi64_mask(right.limb[0], zero));
        norms_[set] = difference(right, left);
        if (special_[set] != 0) [[unlikely]]
          replace_special(set, &Line<F>::denominator, norms_[set]);
        products_[set] = chain[k];
        chain[k] = ifma::product(chain[k], norms_[set]);
      }
    }
    std::copy_n(chain, kSets, running);
  }
  CUZK_IFMA static Limbs every(const Repr& x) noexcept {
    Limbs limbs;
#pragma GCC unroll 6
    for (std::size_t i = 0; i < F::limbs; ++i) limbs.limb[i] = ifma::every_lane(x.limb[i]);
    return limbs;
  }
  /// Below 2 p.
  CUZK_IFMA static Lanes difference(const Limbs& a, const Limbs& b) noexcept {
    return (Lanes::from_limbs(a) - Lanes::from_limbs(b)).template plus_p<1>().carried();
  }

  /// Products of norms, in lane form, to 1 / 2^s over them.
  [[CUZK_IFMA_TARGET, gnu::noinline]] static void invert(Lanes* running) noexcept {
    std::array<Elements, kSets> elements;
    for (std::size_t k = 0; k < kSets; ++k) elements[k] = elements_of(running[k].loose().template reduced<2>());
    invert_elements(elements);
    for (std::size_t k = 0; k < kSets; ++k) running[k] = lanes_of(elements[k]);
  }
  /// Read as elements, the norms' lane forms v S are v 2^(2 s); (1 / (2^s v)) S is wanted: 2^(3 s) over that.
  [[gnu::noinline]] static void invert_elements(std::array<Elements, kSets>& elements) noexcept {
    std::array<Elements, kSets> before;
    F all = F::one();
    for (std::size_t i = 0; i < kSets * kWidth; ++i) {
      before[i / kWidth][i % kWidth] = all;
      all = all * elements[i / kWidth][i % kWidth];
    }
    constexpr Repr scale = F::Constants::power_of_two(64 * F::limbs + 3 * kHalfShift);
    F inverse = all.inverse() * F::from_montgomery(scale);
    for (std::size_t i = kSets * kWidth; i-- > 0;) {
      const F element = elements[i / kWidth][i % kWidth];
      elements[i / kWidth][i % kWidth] = inverse * before[i / kWidth][i % kWidth];
      inverse = inverse * element;
    }
  }

  /// The additions of kSets sets; `running` holds the inverses of their chains' products so far.
  [[CUZK_IFMA_TARGET, gnu::noinline]] void add_group(std::size_t first, Lanes* running,
                                                     FunctionRef<void()> lookahead) noexcept {
    Lanes inverse[kSets], slope[kSets], x[kSets];
#pragma GCC unroll 2
    for (std::size_t k = 0; k < kSets; ++k) {
      lookahead();
      inverse[k] = ifma::product(running[k], products_[first + k]);
      running[k] = ifma::product(running[k], norms_[first + k]);
    }
#pragma GCC unroll 2
    for (std::size_t k = 0; k < kSets; ++k) {
      slope[k] = difference(load<kY, kRight>(first + k), load<kY, kLeft>(first + k));
      if (special_[first + k] != 0) [[unlikely]]
        replace_special(first + k, &Line<F>::numerator, slope[k]);
      slope[k] = ifma::product(slope[k], inverse[k]);
    }
#pragma GCC unroll 2
    for (std::size_t k = 0; k < kSets; ++k) {
      const Lanes left = Lanes::from_limbs(load<kX, kLeft>(first + k));
      const Loose sum = ifma::loose_square(slope[k]) - left - Lanes::from_limbs(load<kX, kRight>(first + k));
      x[k] = sum.template plus_p<2>().template reduced<4>();
    }
#pragma GCC unroll 2
    for (std::size_t k = 0; k < kSets; ++k) {
      const Lanes left = Lanes::from_limbs(load<kX, kLeft>(first + k));
      const Lanes run = (left - x[k]).template plus_p<1>().carried().template shifted<kHalfShift>();
      const Lanes y = (ifma::loose_product(slope[k], run) - Lanes::from_limbs(load<kY, kLeft>(first + k)))
                          .template plus_p<1>()
                          .template reduced<3>();
      if (special_[first + k] != 0) [[unlikely]] {
        store_special(first + k, x[k], y);
      } else {
        store<kX>(first + k, x[k]);
        store<kY>(first + k, y);
      }
    }
  }

  [[CUZK_IFMA_TARGET, gnu::noinline]] void store_special(std::size_t set, const Lanes& x, const Lanes& y) noexcept {
    const Elements xs = elements_of(x), ys = elements_of(y);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const auto [left, right, target] = places_[set * kWidth + i];
      const bool trivial = (special_[set] >> i & 1) != 0 && special_line(*left, *right).trivial;
      *target = trivial ? trivial_sum(*left, *right) : Affine<F>{xs[i], ys[i]};
    }
  }

  std::unique_ptr<Lanes[]> norms_, products_;  // a set of eight additions each
  std::unique_ptr<__mmask8[]> special_;
  std::unique_ptr<AdditionPlaces<F>[]> places_;
  /// Operands and target of additions that fill up the last group.
  Affine<F> filler_[3] = {{F::one(), F::one()}, {F::one().doubled(), F::one()}, {}};
};

template <class F> LaneAdder<F>::LaneAdder(std::size_t capacity) : work_(std::make_unique<Work>(capacity)) {}
template <class F> LaneAdder<F>::~LaneAdder() = default;
template <class F> AdditionPlaces<F>* LaneAdder<F>::places() noexcept { return work_->places(); }
template <class F> void LaneAdder<F>::add_batch(std::size_t count, FunctionRef<void()> lookahead) noexcept {
  work_->add_batch(count, lookahead);
}

}  // namespace cuzk::affine_detail
