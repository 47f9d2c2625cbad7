#include <algorithm>

#include <cub/device/device_radix_sort.cuh>

#include "backend/cuda/sort.h"

namespace cuzk::cuda {

Result<std::size_t> sort_bytes(std::size_t most_pairs) {
  const std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
  std::size_t up = 0, down = 0;
  const auto pairs = static_cast<std::int64_t>(most_pairs);
  CUZK_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, up, in, out, in, out, pairs));
  CUZK_CUDA(cub::DeviceRadixSort::SortPairsDescending(nullptr, down, in, out, in, out, pairs));
  return std::max(up, down);
}

Status sort_pairs(const Stream& stream, DeviceSpan<std::byte> work, const SortedPairs& pairs, unsigned key_bits) {
  std::size_t bytes = work.size;
  CUZK_CUDA(cub::DeviceRadixSort::SortPairs(
      work.data, bytes, pairs.keys_in.data, pairs.keys_out.data, pairs.values_in.data, pairs.values_out.data,
      static_cast<std::int64_t>(pairs.keys_in.size), 0, static_cast<int>(key_bits), stream.get()));
  return {};
}

Status sort_pairs_descending(const Stream& stream, DeviceSpan<std::byte> work, const SortedPairs& pairs,
                             unsigned key_bits) {
  std::size_t bytes = work.size;
  CUZK_CUDA(cub::DeviceRadixSort::SortPairsDescending(
      work.data, bytes, pairs.keys_in.data, pairs.keys_out.data, pairs.values_in.data, pairs.values_out.data,
      static_cast<std::int64_t>(pairs.keys_in.size), 0, static_cast<int>(key_bits), stream.get()));
  return {};
}

}  // namespace cuzk::cuda
