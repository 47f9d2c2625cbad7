// Multiples of one point by the million, as the keys of a setup need them: from a table on the device, in affine form.
//
// A sum of one entry a window in XYZZ coordinates, a thread a scalar, then one inversion for every so many points
// (curve/device_fixed_base.h). Bound by the multiplier: 16 additions a point with windows of 16 bits, whose table in G1
// (50 MB on BLS12-381) the cache keeps. Scalars: canonical, below r; points in Montgomery form, the identity as zeros.
// Errors: device. Thread-safety: concurrently, on memory and streams of their own.
#pragma once

#include "backend/cuda/runtime.h"
#include "curve/curves.h"
#include "curve/device_fixed_base.h"

namespace cuzk::cuda {

template <class Point> struct FixedBaseTable {
  using Affine = cuzk::Affine<typename Point::Field>;
  FixedWindows windows{};
  DeviceSpan<const Affine> entries{};

  static std::size_t size_of(const FixedWindows& windows) { return std::size_t{windows.count()} * windows.entries(); }
};

/// Bytes that multiples of so many scalars work in.
template <class Point> std::size_t fixed_base_bytes(std::size_t scalars);

/// Queues out[i] = scalars[i] G. precondition: scalars.size == out.size < 2^32; work at a multiple of 256 bytes.
template <class C, class Point>
Status fixed_base(const Stream& stream, const FixedBaseTable<Point>& table, DeviceSpan<const U256> scalars,
                  DeviceSpan<std::byte> work, DeviceSpan<cuzk::Affine<typename Point::Field>> out);

}  // namespace cuzk::cuda
