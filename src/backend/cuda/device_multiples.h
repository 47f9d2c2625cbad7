// Multiples of the generators made on a CUDA device: what setup() makes keys with in seconds. Callers need no toolkit.
//
// Scalars cross to the device and points back in chunks, through page-locked memory, two chunks on their way at once.
// The tables (BLS12-381: 50 MB in G1, 101 MB in G2) are made on the device, from small ones of the host. Takes memory
// from the driver, beside what backends of the device have: some 800 MB, or less where there is less, down to tables
// and the smallest chunk. Thread-safety: external, one call at a time; the Arena must outlive it.
#pragma once

#include <memory>
#include <optional>

#include "backend/cuda/devices.h"
#include "groth16/generator_multiples.h"

namespace cuzk::backend {

/// `limit_bytes`: of the device's memory. Errors: device; exhausted: not even the smallest chunk has room.
template <class C>
Result<std::unique_ptr<groth16::GeneratorMultiples<C>>> open_cuda_multiples(
    Arena& arena, const CudaDeviceInfo& device, std::optional<std::uint64_t> limit_bytes = std::nullopt);

}  // namespace cuzk::backend
