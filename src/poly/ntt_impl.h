// Bodies of poly/ntt.h: the stages, their blocking, and the transforms composed of them.
//
// Splitting (natural order -> bit-reversed order, decimation in frequency). A polynomial A of degree < 2m modulo
// X^(2m) - w^2 is taken modulo X^m - w and X^m + w:  (lo, hi) -> (lo + w hi, lo - w hi).  Starting with X^N - 1, block
// k of a stage holds A modulo X^(2m) - w_k^2, w_k = omega^br(k); after n stages element k is A(omega^br(k)). All
// elements of a block share one twiddle, and every stage reads a prefix of the same table. (Gentleman, Sande, 1966,
// with the twiddles before the butterfly; Fiduccia, Polynomial evaluation via the division algorithm, STOC 1972.)
// Joining (bit-reversed -> natural, decimation in time) is the mirror image:  (lo, hi) -> (lo + hi, (lo - hi) w).
// Each network runs with omega or with 1/omega. It needs no second table: for k >= 1, 1/w_k = -w_k', where k' has the
// bits of k below its highest one flipped, so the inverse direction reads the mirrored entry and exchanges the two
// signs.
//
// Two stages are done at once (radix 4): half the passes over memory. Block 0 of a stage has w = 1 and skips the
// products.
//
// Blocking. The last kLogTile splitting stages work on contiguous blocks of 2^kLogTile elements. The stages before go
// by passes of at most kMaxWideStages: a pass copies R = 2^stages rows of a few neighbouring columns into a tile of the
// same size on the stack, runs its stages there and copies back. Both are one function, `split_stages` on an array
// whose elements are rows of columns. Where a transform begins with has_lanes(), whole tiles go by lanes
// (ntt_lanes.h).
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "field/fp_mul.h"
#include "poly/bit_reversal_impl.h"
#include "poly/bit_reversed_powers.h"
#include "poly/ntt.h"
#include "poly/ntt_lanes.h"

namespace cuzk::transform {

inline unsigned log2_of(std::size_t size) noexcept { return static_cast<unsigned>(std::countr_zero(size)); }

/// Where the table holds the twiddle of block k >= 1, up to its sign in the inverse direction.
template <Direction D> constexpr std::size_t twiddle_index(std::size_t k) noexcept {
  return D == Direction::forward ? k : k ^ (std::bit_floor(k) - 1);
}

/// (lo, hi) -> (lo + w hi, lo - w hi); `w` is the table's entry, which is -w in the inverse direction. Results go where
/// they stay: a whole element that is copied just after its limbs were stored one by one waits for those stores.
template <Direction D> struct Split {
  static constexpr Direction direction = D;
  static constexpr bool outer_first = true;  // halves, then quarters
  template <class F> static void apply(F& lo, F& hi, const F& w) noexcept {
    const F t = hi * w;
    if constexpr (D == Direction::forward) {
      hi = lo - t;
      lo = lo + t;
    } else {
      hi = lo + t;
      lo = lo - t;
    }
  }
};

/// (lo, hi) -> (lo + hi, (lo - hi) w); sign of w as in Split.
template <Direction D> struct Join {
  static constexpr Direction direction = D;
  static constexpr bool outer_first = false;
  template <class F> static void apply(F& lo, F& hi, const F& w) noexcept {
    const F difference = D == Direction::forward ? lo - hi : hi - lo;
    lo = lo + hi;
    hi = difference * w;
  }
};

/// Both for w = 1.
template <class F> inline void butterfly(F& lo, F& hi) noexcept {
  const F difference = lo - hi;
  lo = lo + hi;
  hi = difference;
}

/// One stage of Step (Split or Join) on block k: two halves of `half` elements.
template <class Step, class F> void run_halves(F* x, std::size_t half, std::size_t k, const F* twiddles) noexcept {
  if (k == 0) {
    for (std::size_t i = 0; i < half; ++i) butterfly(x[i], x[half + i]);
    return;
  }
  const F w = twiddles[twiddle_index<Step::direction>(k)];
  for (std::size_t i = 0; i < half; ++i) Step::apply(x[i], x[half + i], w);
}

/// outer(i) and inner(i) in the order of Step for all i < count.
template <class Step, class Outer, class Inner>
inline void run_both(std::size_t count, Outer outer, Inner inner) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (Step::outer_first) outer(i);
    inner(i);
    if constexpr (!Step::outer_first) outer(i);
  }
}

/// Two stages on four quarters of `quarter` elements: the outer one on block k, the inner one on its halves 2k, 2k + 1.
template <class Step, class F> void run_quarters(F* x, std::size_t quarter, std::size_t k, const F* twiddles) noexcept {
  F* const x0 = x;
  F* const x1 = x0 + quarter;
  F* const x2 = x1 + quarter;
  F* const x3 = x2 + quarter;
  const F w_right = twiddles[twiddle_index<Step::direction>(2 * k + 1)];
  if (k == 0) {
    run_both<Step>(
        quarter, [&](std::size_t i) { butterfly(x0[i], x2[i]), butterfly(x1[i], x3[i]); },
        [&](std::size_t i) { butterfly(x0[i], x1[i]), Step::apply(x2[i], x3[i], w_right); });
    return;
  }
  const F w = twiddles[twiddle_index<Step::direction>(k)];
  const F w_left = twiddles[twiddle_index<Step::direction>(2 * k)];
  run_both<Step>(
      quarter, [&](std::size_t i) { Step::apply(x0[i], x2[i], w), Step::apply(x1[i], x3[i], w); },
      [&](std::size_t i) { Step::apply(x0[i], x1[i], w_left), Step::apply(x2[i], x3[i], w_right); });
}

/// Both stages `stage`, `stage` + 1 on all blocks of x, which is block k of stage 0.
template <class Step, class F>
void run_two_stages(F* x, std::size_t size, unsigned stage, std::size_t k, const F* twiddles) noexcept {
  const std::size_t block = size >> stage;
  for (std::size_t j = 0; j < std::size_t{1} << stage; ++j)
    run_quarters<Step>(x + j * block, block / 4, (k << stage) + j, twiddles);
}

/// `stages` splitting stages on x[0, size), which is block k of the first one.
template <Direction D, class F>
void split_stages(F* x, std::size_t size, unsigned stages, std::size_t k, const F* twiddles) noexcept {
  if (stages % 2 == 1) run_halves<Split<D>>(x, size / 2, k, twiddles);
  for (unsigned stage = stages % 2; stage < stages; stage += 2) run_two_stages<Split<D>>(x, size, stage, k, twiddles);
}

/// The joining stages that lead back to block k.
template <Direction D, class F>
void join_stages(F* x, std::size_t size, unsigned stages, std::size_t k, const F* twiddles) noexcept {
  for (unsigned stage = stages; stage >= 2; stage -= 2) run_two_stages<Join<D>>(x, size, stage - 2, k, twiddles);
  if (stages % 2 == 1) run_halves<Join<D>>(x, size / 2, k, twiddles);
}

/// The stages of a tile or block, by lanes if there are any and it is whole.
template <class F> class TileStages {
 public:
  explicit TileStages(const F* twiddles) noexcept : twiddles_(twiddles) {}

  template <Direction D> void split(F* x, std::size_t size, unsigned stages, std::size_t k) const noexcept {
    if constexpr (kHasLaneStages<F>) {
      if (lanes_ && size == kTile) return split_stages_by_lanes<D>(x, stages, k, twiddles_);
    }
    split_stages<D>(x, size, stages, k, twiddles_);
  }
  template <Direction D> void join(F* x, std::size_t size, unsigned stages, std::size_t k) const noexcept {
    if constexpr (kHasLaneStages<F>) {
      if (lanes_ && size == kTile) return join_stages_by_lanes<D>(x, stages, k, twiddles_);
    }
    join_stages<D>(x, size, stages, k, twiddles_);
  }
  template <Direction D> void split_block(std::span<F> block, std::size_t k) const noexcept {
    split<D>(block.data(), block.size(), log2_of(block.size()), k);
  }
  template <Direction D> void join_block(std::span<F> block, std::size_t k) const noexcept {
    join<D>(block.data(), block.size(), log2_of(block.size()), k);
  }

 private:
  const F* twiddles_;
  bool lanes_ = has_lanes();
};

/// Columns of a matrix that lies by rows, `stride` elements apart.
template <class F> struct Columns {
  F* first;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;

  void load(F* tile) const noexcept {
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(first + r * stride, columns, tile + r * columns);
  }
  void store(const F* tile) const noexcept {
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(tile + r * columns, columns, first + r * stride);
  }
};

/// Splitting stages [first, first + stages) of the ones above the contiguous blocks.
struct WidePass {
  unsigned first;
  unsigned stages;
};

/// These stages in as few passes as possible, of sizes that differ by at most one.
class WidePasses {
 public:
  explicit WidePasses(std::size_t size) noexcept
      : stages_(size > kTile ? log2_of(size) - kLogTile : 0), count_((stages_ + kMaxWideStages - 1) / kMaxWideStages) {}
  unsigned count() const noexcept { return count_; }
  WidePass operator[](unsigned i) const noexcept {
    const unsigned first = stages_ * i / count_;
    return {first, stages_ * (i + 1) / count_ - first};
  }

 private:
  unsigned stages_;
  unsigned count_;
};

/// Calls work(tile, k) on every tile of a pass, k being its block of the pass's first stage. precondition: a.size() >
/// kTile.
template <class F, class Work>
void for_each_wide_tile(Arena& arena, std::span<F> a, WidePass pass, const StopToken& stop, Work work) noexcept {
  const std::size_t block = a.size() >> pass.first;
  const std::size_t rows = std::size_t{1} << pass.stages;
  const std::size_t columns = kTile / rows;
  const std::size_t stride = block / rows;
  const std::size_t tiles_per_block = stride / columns;
  const std::size_t grain = kMaxWideStages / pass.stages;  // 512 butterflies a stage and tile: 100 us in a chunk
  parallel_for(arena, 0, a.size() / kTile, grain, [&](std::size_t begin, std::size_t end) {
    if (stop.stop_requested()) return;
    alignas(64) F tile[kTile];
    for (std::size_t t = begin; t < end; ++t) {
      const std::size_t k = t / tiles_per_block;
      const Columns<F> matrix{a.data() + k * block + t % tiles_per_block * columns, rows, columns, stride};
      matrix.load(tile);
      work(tile, k);
      matrix.store(tile);
    }
  });
}

/// The splitting stages above the contiguous blocks.
template <Direction D, class F>
void split_wide(Arena& arena, const TileStages<F>& stages, std::span<F> a, const StopToken& stop) noexcept {
  const WidePasses passes(a.size());
  for (unsigned i = 0; i < passes.count(); ++i)
    for_each_wide_tile(arena, a, passes[i], stop,
                       [&](F* tile, std::size_t k) { stages.template split<D>(tile, kTile, passes[i].stages, k); });
}

/// Their mirror image.
template <Direction D, class F>
void join_wide(Arena& arena, const TileStages<F>& stages, std::span<F> a, const StopToken& stop) noexcept {
  const WidePasses passes(a.size());
  for (unsigned i = passes.count(); i-- > 0;)
    for_each_wide_tile(arena, a, passes[i], stop,
                       [&](F* tile, std::size_t k) { stages.template join<D>(tile, kTile, passes[i].stages, k); });
}

/// Calls work(block, k) for the contiguous blocks of up to kTile elements; 150 us and more of work each, so grain 1.
template <class F, class Work>
void for_each_block(Arena& arena, std::span<F> a, const StopToken& stop, Work work) noexcept {
  const std::size_t size = std::min(a.size(), kTile);
  parallel_for(arena, 0, a.size() / size, 1, [&](std::size_t begin, std::size_t end) {
    if (stop.stop_requested()) return;
    for (std::size_t k = begin; k < end; ++k) work(a.subspan(k * size, size), k);
  });
}

/// block k times the factors of its place; generated here, since a table of all would cost as much memory as the array.
template <class F> void scale_block(std::span<F> block, std::size_t k, const BitReversedPowers<F>& factors) noexcept {
  F factor[kTile];
  factors.fill(k * block.size(), {factor, block.size()});
  for (std::size_t i = 0; i < block.size(); ++i) block[i] *= factor[i];
}

template <class F> F inverse_of_size(std::size_t size) noexcept { return F::from_u64(size).inverse(); }

template <class F> void build_twiddles(Arena& arena, const F& omega, std::span<F> out, const StopToken& stop) noexcept {
  if (out.empty()) return;
  const BitReversedPowers<F> powers(omega, log2_of(out.size()));
  for_each_block(arena, out, stop, [&](std::span<F> block, std::size_t k) { powers.fill(k * block.size(), block); });
}

template <class F> void ntt(Arena& arena, std::span<const F> twiddles, std::span<F> a, const StopToken& stop) noexcept {
  const TileStages<F> stages(twiddles.data());
  split_wide<Direction::forward>(arena, stages, a, stop);
  for_each_block(arena, a, stop,
                 [&](std::span<F> block, std::size_t k) { stages.template split_block<Direction::forward>(block, k); });
  permute_bit_reversed(arena, a, stop);
}

template <class F>
void inverse_ntt(Arena& arena, std::span<const F> twiddles, std::span<F> a, const StopToken& stop) noexcept {
  const F scale = inverse_of_size<F>(a.size());
  const TileStages<F> stages(twiddles.data());
  split_wide<Direction::inverse>(arena, stages, a, stop);
  for_each_block(arena, a, stop, [&](std::span<F> block, std::size_t k) {
    stages.template split_block<Direction::inverse>(block, k);
    for (F& x : block) x *= scale;
  });
  permute_bit_reversed(arena, a, stop);
}

template <class F>
void to_coset(Arena& arena, std::span<const F> twiddles, const F& shift, std::span<F> a,
              const StopToken& stop) noexcept {
  const BitReversedPowers<F> factors(shift, log2_of(a.size()), inverse_of_size<F>(a.size()));
  const TileStages<F> stages(twiddles.data());
  split_wide<Direction::inverse>(arena, stages, a, stop);
  for_each_block(arena, a, stop, [&](std::span<F> block, std::size_t k) {  // all three while the block is in the cache
    stages.template split_block<Direction::inverse>(block, k);
    scale_block(block, k, factors);
    stages.template join_block<Direction::forward>(block, k);
  });
  join_wide<Direction::forward>(arena, stages, a, stop);
}

template <class F>
void coset_to_coefficients(Arena& arena, std::span<const F> twiddles, const F& shift, std::span<F> a,
                           const StopToken& stop) noexcept {
  const BitReversedPowers<F> factors(shift.inverse(), log2_of(a.size()), inverse_of_size<F>(a.size()));
  const TileStages<F> stages(twiddles.data());
  split_wide<Direction::inverse>(arena, stages, a, stop);
  for_each_block(arena, a, stop, [&](std::span<F> block, std::size_t k) {
    stages.template split_block<Direction::inverse>(block, k);
    scale_block(block, k, factors);
  });
  permute_bit_reversed(arena, a, stop);
}

/// With c = (x^N - 1)/N:  L_j(x) = c omega^j / (x - omega^j) = 1 / ((x/c) omega^-j - 1/c).
template <class F> void lagrange_at(Arena& arena, const F& omega, const F& x, std::span<F> out) noexcept {
  const F inverse_c = F::from_u64(out.size()) * (x.pow(out.size()) - F::one()).inverse();
  const F start = x * inverse_c;
  const F omega_inverse = omega.inverse();
  parallel_for(arena, 0, out.size(), kTile, [&](std::size_t begin, std::size_t end) {
    F scratch[kTile];
    F term = start * omega_inverse.pow(begin);
    for (std::size_t j = begin; j < end; ++j, term *= omega_inverse) out[j] = term - inverse_c;
    batch_inverse(out.subspan(begin, end - begin), std::span<F>(scratch, end - begin));
  });
}

}  // namespace cuzk::transform
