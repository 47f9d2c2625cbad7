// Sorting pairs of 32-bit words on a device: CUB's radix sort behind a call that compiles once.
//
// Errors: device. Thread-safety: concurrently, on memory and streams of their own.
#pragma once

#include <cstdint>

#include "backend/cuda/runtime.h"

namespace cuzk::cuda {

/// Bytes that a sort of so many pairs works in; asks no device.
Result<std::size_t> sort_bytes(std::size_t most_pairs);

struct SortedPairs {
  DeviceSpan<const std::uint32_t> keys_in, values_in;
  DeviceSpan<std::uint32_t> keys_out, values_out;
};
/// By the lowest `key_bits` bits of the keys; stable. All spans have one size; in and out do not overlap.
Status sort_pairs(const Stream& stream, DeviceSpan<std::byte> work, const SortedPairs& pairs, unsigned key_bits);
Status sort_pairs_descending(const Stream& stream, DeviceSpan<std::byte> work, const SortedPairs& pairs,
                             unsigned key_bits);

}  // namespace cuzk::cuda
