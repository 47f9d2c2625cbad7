#include <algorithm>
#include <bit>

#include "backend/cuda/msm.h"

namespace cuzk::cuda {

// Widths measured on an H200 (docs/benchmarks.md): what is more in buckets to weigh is less in windows to add up.
MsmShape MsmShape::of(std::uint32_t points, unsigned scalar_bits) {
  constexpr std::uint64_t kPairs = std::uint64_t{1} << 25;  // sorted at a time, where a window has fewer
  const unsigned log = points == 0 ? 0 : static_cast<unsigned>(std::bit_width(points - 1));
  const unsigned wanted = log <= 16 ? std::max(log, 7u) - 3 : std::min(log - 4, 22u);
  MsmShape shape{.points = points};
  shape.windows = (scalar_bits + wanted) / wanted;  // of scalar_bits + 1 bits
  shape.width = (scalar_bits + shape.windows) / shape.windows;
  shape.group = static_cast<unsigned>(std::clamp<std::uint64_t>(kPairs / std::max(points, 1u), 1, shape.windows));
  return shape;
}

}  // namespace cuzk::cuda
