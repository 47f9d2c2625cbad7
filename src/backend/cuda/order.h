// The order of elements in a device's memory.
//
// Errors: device. Thread-safety: concurrently, on data of their own.
#pragma once

#include "backend/cuda/runtime.h"

namespace cuzk::cuda {

/// Swaps element i with element br(i), the reversal of log_size bits, in place. The last one, 2^log_size - 1, stays
/// where it is and may be missing. precondition: element_bytes a multiple of 16; 2^log_size - 1 elements at least.
Status reverse_order(const Stream& stream, DeviceSpan<std::byte> data, unsigned element_bytes, unsigned log_size);

}  // namespace cuzk::cuda
