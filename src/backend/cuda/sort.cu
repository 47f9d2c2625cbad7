#include <cub/device/device_radix_sort.cuh>

#include "backend/cuda/sort.h"

namespace cuzk::cuda {

Result<std::size_t> sort_bytes(std::size_t most_pairs) {
  // A second pair of buffers, and for each pass some words for every few thousand pairs: a fiftieth more on an H200. A
  // sort that finds too little says so.
  constexpr std::size_t kFixed = std::size_t{1} << 20;
  return kFixed + 2 * sizeof(std::uint32_t) * most_pairs + most_pairs / 4;
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
