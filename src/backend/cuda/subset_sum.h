// The sum of the points whose bit is set: what a query's scalars of value 1 come to. Nothing is sorted; points are read
// where they lie.
//
// Shapes: points affine in Montgomery form, the identity as zeros; any points, equal and opposite ones too. Bit i is
// bit i % 64 of word i / 64. Parts of a query are summed by themselves, cut at multiples of 64 points.
// Errors: device. Thread-safety: concurrently, on memory and streams of their own.
#pragma once

#include <cstdint>

#include "backend/cuda/runtime.h"
#include "curve/curves.h"

namespace cuzk::cuda {

/// A point as a device leaves it: x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2; the identity has ZZ = 0.
template <class Point> struct XyzzPoint {
  using Field = typename Point::Field;
  Field x, y, zz, zzz;

  /// ZZ = z^2 and ZZZ = z^3: Jacobian with Z = z^5, X z^8, Y z^12, so that nothing is inverted.
  Point point() const noexcept {
    if (zz.is_zero()) return Point::identity();
    const Field z4 = zz.squared(), z8 = z4.squared();
    return {x * z8, y * (z8 * z4), zz * zzz};
  }
};

/// Bytes that a sum works in, however many points it has.
template <class C, class Point> std::size_t subset_sum_bytes();

/// Queues the sum; `to` is page-locked memory that has it when the stream has come so far. precondition: set.size is
/// at least points.size / 64 rounded up; bits beyond the last point are zero; work at a multiple of 256 bytes.
template <class C, class Point>
Status subset_sum(const Stream& stream, DeviceSpan<const Affine<typename Point::Field>> points,
                  DeviceSpan<const u64> set, DeviceSpan<std::byte> work, XyzzPoint<Point>* to);

}  // namespace cuzk::cuda
