#include "msm/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cuzk {

namespace {

// In additions of a batch; from instruction counts and times of bench/msm.
constexpr double kEntry = 0.25;         // digit, sort, copy
constexpr double kBucket = 2.5;         // two additions of its weighted sum; it is cleared, read, written
constexpr double kFinalAddition = 1.8;  // Jacobian: the last part of the weighted sum
constexpr double kWindow = 150;         // inversions of batches that are not full

double window_cost(double entries, unsigned bits) {
  const double buckets = std::ldexp(1.0, static_cast<int>(bits) - 1);
  const double occupied = buckets * -std::expm1(-entries / buckets);
  return entries * kEntry + (entries - occupied) + kBucket * buckets + 4 * std::sqrt(buckets) * kFinalAddition +
         kWindow;
}

}  // namespace

std::vector<Window> plan_windows(const LengthCounts& counts) {
  unsigned top = 256;
  while (top > 0 && counts[top] == 0) --top;
  if (top == 0) return {};
  ++top;

  // entries[i]: scalars that reach bit i (a carry may reach one bit beyond the length).
  std::vector<double> entries(top + 1, 0);
  for (unsigned i = top; i-- > 0;) entries[i] = entries[i + 1] + static_cast<double>(counts[std::max(i, 1u)]);
  entries[0] = top > 1 ? entries[1] : entries[0];

  std::vector<double> best(top + 1, std::numeric_limits<double>::infinity());
  std::vector<unsigned> width(top + 1, 0);
  best[top] = 0;
  for (unsigned at = top; at-- > 0;) {
    for (unsigned bits = 1; bits <= std::min(kMaxWindowBits, top - at); ++bits) {
      const double cost = window_cost(entries[at], bits) + best[at + bits];
      if (cost < best[at]) best[at] = cost, width[at] = bits;
    }
  }
  std::vector<Window> windows;
  for (unsigned at = 0; at < top; at += width[at]) windows.push_back({at, width[at]});
  return windows;
}

unsigned windows_of_length(std::span<const Window> windows, unsigned length) noexcept {
  if (length == 0) return 0;
  unsigned needed = 1;
  for (const Window& w : windows) {
    if (length + 1 < w.at + w.bits) return needed;  // a bit to spare: the shift of lower windows may carry
    ++needed;
  }
  return static_cast<unsigned>(windows.size());
}

}  // namespace cuzk
