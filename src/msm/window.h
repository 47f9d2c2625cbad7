// Which windows of the scalars get which width: the plan of a bucket method.
//
// A plan covers bit positions [0, top) by windows [at, at + bits). Digits are signed, so a window has 2^(bits-1)
// buckets and `top` is one more than the length of the longest scalar. Costs are counted in additions: a window pays
// one for each entry beyond the first of its bucket and two for each bucket of its weighted sum. Scalars differ in
// length, so low windows see more entries than high ones and may be wider; the best cut is found exactly, by dynamic
// programming over bit positions. Thread-safety: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cuzk {

struct Window {
  unsigned at;    // lowest bit
  unsigned bits;  // 1..kMaxWindowBits

  std::uint32_t buckets() const noexcept { return std::uint32_t{1} << (bits - 1); }
};

inline constexpr unsigned kMaxWindowBits = 20;

/// How many scalars have which bit length (index 0: zeros).
using LengthCounts = std::array<std::uint64_t, 257>;

/// Lowest window first; empty when all scalars are zero.
std::vector<Window> plan_windows(const LengthCounts& counts);

/// How many of the windows a scalar of this length can have digits in.
unsigned windows_of_length(std::span<const Window> windows, unsigned length) noexcept;

}  // namespace cuzk
