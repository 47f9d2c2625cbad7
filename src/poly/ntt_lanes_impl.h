// Bodies of poly/ntt_lanes.h.
//
// Stages whose halves are at least eight elements take eight neighbours at a time, all with one twiddle. In the last
// three of a whole block the eight lie in different blocks of eight elements, each lane with its own twiddle. Between
// stages values stay below 2 p and a little (Loose::below_2p): a twiddle, its limbs shifted by kShift bits, is below
// 16 p < S/2 (field/fp_lanes.h), so that its product with such a value is below 2 p. The little is below 2^210 at first
// (five digits), and a stage at most doubles it.
#pragma once

#include "field/fp_lanes.h"
#include "poly/ntt_impl.h"

namespace cuzk::transform {

template <Direction D, class F> class LaneTile {
 public:
  /// `k`: the tile's block in the first stage.
  LaneTile(F* tile, std::size_t k, const F* twiddles) noexcept : tile_(tile), k_(k), twiddles_(twiddles) {}

  [[CUZK_IFMA_TARGET]] void split(unsigned stages) noexcept {
    load_columns();
    for (unsigned stage = 0; stage < std::min(stages, kMaxWideStages); ++stage) run_stage<Split<D>>(stage);
    if (stages <= kMaxWideStages) return store_columns();
    spill_columns();
    for (std::size_t group = 0; group < kTile; group += 64) split_last(group);
  }
  [[CUZK_IFMA_TARGET]] void join(unsigned stages) noexcept {
    if (stages > kMaxWideStages)
      for (std::size_t group = 0; group < kTile; group += 64) join_first(group);
    load_columns();
    for (unsigned stage = std::min(stages, kMaxWideStages); stage-- > 0;) run_stage<Join<D>>(stage);
    store_columns();
  }

 private:
  using P = typename F::Params;
  using Repr = typename F::Repr;
  using Lanes = ifma::Lanes<P>;
  using Limbs = ifma::Limbs<F::limbs>;
  static constexpr std::size_t kWidth = ifma::kLanes;
  static constexpr std::size_t kVectors = kTile / kWidth;

  Repr* limbs(std::size_t i) const noexcept { return reinterpret_cast<Repr*>(tile_ + i); }

  [[CUZK_IFMA_TARGET]] void load_columns() noexcept {
    for (std::size_t i = 0; i < kVectors; ++i) x_[i] = Lanes::from_limbs(ifma::load(limbs(i * kWidth)));
  }
  [[CUZK_IFMA_TARGET]] void store_columns() noexcept {
    for (std::size_t i = 0; i < kVectors; ++i)
      ifma::store(x_[i].loose().template reduced<3>().limbs(), limbs(i * kWidth));
  }
  /// As they are: below 2^256.
  [[CUZK_IFMA_TARGET]] void spill_columns() noexcept {
    for (std::size_t i = 0; i < kVectors; ++i) ifma::store(x_[i].limbs(), limbs(i * kWidth));
  }

  template <class Step> CUZK_IFMA static void apply(Lanes& lo, Lanes& hi, const Lanes& w) noexcept {
    if constexpr (Step::outer_first) {
      const Lanes t = ifma::product(hi, w);
      const Lanes sum = (lo + t).template below_2p<4>();
      const Lanes difference = (lo - t).template plus_p<2>().template below_2p<4>();
      lo = D == Direction::forward ? sum : difference;
      hi = D == Direction::forward ? difference : sum;
    } else {
      const Lanes difference =
          (D == Direction::forward ? lo - hi : hi - lo).template plus_p<4>().template below_2p<6>();
      lo = (lo + hi).template below_2p<4>();
      hi = ifma::product(difference, w);
    }
  }
  CUZK_IFMA static void apply_one(Lanes& lo, Lanes& hi) noexcept {
    const Lanes difference = (lo - hi).template plus_p<4>().template below_2p<6>();
    lo = (lo + hi).template below_2p<4>();
    hi = difference;
  }

  /// A stage whose halves are whole vectors.
  template <class Step> [[CUZK_IFMA_TARGET, gnu::noinline]] void run_stage(unsigned stage) noexcept {
    const std::size_t half = kVectors >> (stage + 1);
    for (std::size_t j = 0; j < std::size_t{1} << stage; ++j) {
      const std::size_t k = (k_ << stage) + j;
      Lanes* const lo = x_ + 2 * half * j;
      if (k == 0) {
        for (std::size_t i = 0; i < half; ++i) apply_one(lo[i], lo[half + i]);
        continue;
      }
      const F& twiddle = twiddles_[twiddle_index<D>(k)];
      Limbs everywhere;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < F::limbs; ++i) everywhere.limb[i] = ifma::every_lane(twiddle.montgomery().limb[i]);
      const Lanes w = Lanes::template from_limbs<ifma::Digits<P>::kShift>(everywhere);
      for (std::size_t i = 0; i < half; ++i) apply<Step>(lo[i], lo[half + i], w);
    }
  }

  /// Twiddles of the blocks k, k + step, ..
  CUZK_IFMA Lanes twiddles(std::size_t k, std::size_t step) const noexcept {
    const void* rows[kWidth];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWidth; ++i) {
      const std::size_t block = k + i * step;
      rows[i] = block == 0 ? &unit_ : twiddles_ + twiddle_index<D>(block);
    }
    Limbs x;
    ifma::gather(rows, x);
    return Lanes::template from_limbs<ifma::Digits<P>::kShift>(x);
  }
  /// Element c of eight neighbouring blocks of eight.
  CUZK_IFMA Lanes load_across(std::size_t group, std::size_t c) const noexcept {
    const void* rows[kWidth];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWidth; ++i) rows[i] = tile_ + group + i * kWidth + c;
    Limbs x;
    ifma::gather(rows, x);
    return Lanes::from_limbs(x);
  }
  CUZK_IFMA void store_across(const Lanes& x, std::size_t group, std::size_t c) const noexcept {
    void* rows[kWidth];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWidth; ++i) rows[i] = tile_ + group + i * kWidth + c;
    ifma::scatter(x.limbs(), rows);
  }
  /// One of the last three stages on eight blocks of eight, of which each is `parts` blocks of that stage.
  template <class Step> CUZK_IFMA void run_across(Lanes (&x)[8], std::size_t group, std::size_t parts) const noexcept {
    const std::size_t half = 4 / parts, first = ((k_ << kMaxWideStages) + group / kWidth) * parts;
    for (std::size_t j = 0; j < parts; ++j) {
      const Lanes w = twiddles(first + j, parts);
      for (std::size_t i = 0; i < half; ++i) apply<Step>(x[2 * half * j + i], x[2 * half * j + half + i], w);
    }
  }
  [[CUZK_IFMA_TARGET, gnu::noinline]] void split_last(std::size_t group) const noexcept {
    Lanes x[8];
    for (std::size_t c = 0; c < 8; ++c) x[c] = load_across(group, c);
    for (const std::size_t parts : {1u, 2u, 4u}) run_across<Split<D>>(x, group, parts);
    for (std::size_t c = 0; c < 8; ++c) store_across(x[c].loose().template reduced<3>(), group, c);
  }
  [[CUZK_IFMA_TARGET, gnu::noinline]] void join_first(std::size_t group) const noexcept {
    Lanes x[8];
    for (std::size_t c = 0; c < 8; ++c) x[c] = load_across(group, c);
    for (const std::size_t parts : {4u, 2u, 1u}) run_across<Join<D>>(x, group, parts);
    for (std::size_t c = 0; c < 8; ++c) store_across(x[c], group, c);
  }

  F* const tile_;
  const std::size_t k_;
  const F* const twiddles_;
  /// What the table would have for block 0.
  const F unit_ = D == Direction::forward ? F::one() : -F::one();
  Lanes x_[kVectors];
};

template <Direction D, class F>
void split_stages_by_lanes(F* tile, unsigned stages, std::size_t k, const F* twiddles) noexcept {
  LaneTile<D, F>(tile, k, twiddles).split(stages);
}
template <Direction D, class F>
void join_stages_by_lanes(F* tile, unsigned stages, std::size_t k, const F* twiddles) noexcept {
  LaneTile<D, F>(tile, k, twiddles).join(stages);
}

}  // namespace cuzk::transform
