// The bit-reversal permutation in place: a[i] <-> a[br(i)], br reversing the n bits of an index.
//
// Large arrays go by tiles of Q x Q elements, Q = 2^q (Carter, Gatlin, Towards an optimal bit-reversal permutation
// program, FOCS 1998): with i = (row, middle, column) of q, n - 2q, q bits, br(i) = (br(column), br(middle), br(row)),
// so tile `middle` is exchanged with tile br(middle) as a whole, in runs of Q neighbouring elements instead of single
// ones.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "support/parallel.h"
#include "support/stop.h"

namespace cuzk::transform {

/// precondition: i < 2^bits, bits <= 63.
constexpr std::size_t bit_reversed(std::size_t i, unsigned bits) noexcept {
  std::size_t r = 0;
  for (unsigned t = 0; t < bits; ++t) r |= (i >> t & 1) << (bits - 1 - t);
  return r;
}

inline constexpr unsigned kLogPermutationTile = 4;
inline constexpr std::size_t kPermutationTile = std::size_t{1} << kLogPermutationTile;
inline constexpr auto kTileReversal = [] {
  std::array<std::uint8_t, kPermutationTile> reversal{};
  for (std::size_t i = 0; i < kPermutationTile; ++i)
    reversal[i] = static_cast<std::uint8_t>(bit_reversed(i, kLogPermutationTile));
  return reversal;
}();

/// A tile with its own permutation done: element (row, column) stands at (br(column), br(row)).
template <class F> struct PermutedTile {
  F element[kPermutationTile][kPermutationTile];

  void read(const F* first, std::size_t stride) noexcept {
    for (std::size_t row = 0; row < kPermutationTile; ++row)
      for (std::size_t column = 0; column < kPermutationTile; ++column)
        element[kTileReversal[column]][kTileReversal[row]] = first[row * stride + column];
  }
  void write(F* first, std::size_t stride) const noexcept {
    for (std::size_t row = 0; row < kPermutationTile; ++row)
      std::copy_n(element[row], kPermutationTile, first + row * stride);
  }
};

/// Through buffers, since the rows of one tile compete for the same cache sets: each is read once and written once.
template <class F> void exchange_tiles(F* a, unsigned log_size, std::size_t middle, std::size_t mirror) noexcept {
  const std::size_t stride = std::size_t{1} << (log_size - kLogPermutationTile);
  F* const first = a + middle * kPermutationTile;
  F* const second = a + mirror * kPermutationTile;
  PermutedTile<F> here;
  PermutedTile<F> there;
  here.read(first, stride);
  if (middle != mirror) {
    there.read(second, stride);
    there.write(first, stride);
  }
  here.write(second, stride);
}

template <class F> void permute_bit_reversed(Arena& arena, std::span<F> a, const StopToken& stop) noexcept {
  const unsigned log_size = static_cast<unsigned>(std::countr_zero(a.size()));
  if (log_size < 2 * kLogPermutationTile) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t j = bit_reversed(i, log_size);
      if (i < j) std::swap(a[i], a[j]);
    }
    return;
  }
  const unsigned middle_bits = log_size - 2 * kLogPermutationTile;
  constexpr std::size_t grain = 64;  // 64 tiles are 1 MiB of traffic, some 100 us
  parallel_for(arena, 0, std::size_t{1} << middle_bits, grain, [&](std::size_t begin, std::size_t end) {
    if (stop.stop_requested()) return;
    for (std::size_t middle = begin; middle < end; ++middle) {
      const std::size_t mirror = bit_reversed(middle, middle_bits);
      if (middle <= mirror) exchange_tiles(a.data(), log_size, middle, mirror);
    }
  });
}

}  // namespace cuzk::transform
