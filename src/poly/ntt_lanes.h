// The stages of a transform on one tile, eight columns at a time: the lane twins of split_stages and join_stages
// (ntt_impl.h), which chooses them where has_lanes().
//
// F is the Fr of either curve with Adx products; same values, canonical. 40 KiB of stack. Thread-safety: concurrently
// on different tiles.
#pragma once

#include "field/fp.h"

namespace cuzk::transform {

inline constexpr unsigned kLogTile = 10;  // 32 KiB: half of a level-1 cache and more, beside the twiddles
inline constexpr std::size_t kTile = std::size_t{1} << kLogTile;
inline constexpr unsigned kMaxWideStages = 7;  // leaves 8 columns, 256 bytes of a row: whole cache lines
static_assert(kLogTile >= kMaxWideStages + 3);

enum class Direction : bool { forward, inverse };

template <class F> inline constexpr bool kHasLaneStages = false;
#if defined(__x86_64__)
template <> inline constexpr bool kHasLaneStages<Fp<Bn254FrParams, Adx>> = true;
template <> inline constexpr bool kHasLaneStages<Fp<Bls12_381FrParams, Adx>> = true;
#endif

/// `stages` splitting stages on kTile elements, which are block k of the first one. stages <= kMaxWideStages, or
/// kLogTile.
template <Direction D, class F>
void split_stages_by_lanes(F* tile, unsigned stages, std::size_t k, const F* twiddles) noexcept;
/// The joining stages that lead back to block k.
template <Direction D, class F>
void join_stages_by_lanes(F* tile, unsigned stages, std::size_t k, const F* twiddles) noexcept;

}  // namespace cuzk::transform
