// Multi-scalar multiplication on a device: sum_i scalar_i P_i.
//
// Windows of signed digits, buckets in XYZZ coordinates (Pippenger 1976; msm_impl.h says how a device does it). The
// sums of the windows come to the host, which puts them together.
//
// Shapes: points affine in Montgomery form, the identity as zeros (curve/point.h); scalars canonical, below r. Any
// distribution of scalars is done in about the time of a uniform one; zeros cost nothing.
// Errors: create: invalid_argument (above 2^30 points), exhausted, device; the rest: device.
// Thread-safety: one sum at a time for each object; its memory and its second stream are its own.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cuda/runtime.h"
#include "curve/curves.h"

namespace cuzk::cuda {

/// How a sum is cut: windows of at most `width` bits, `group` of them at a time.
struct MsmShape {
  std::uint32_t points = 0;
  unsigned windows = 0;
  unsigned width = 0;
  unsigned group = 0;

  static MsmShape of(std::uint32_t points, unsigned scalar_bits);
};

namespace msm {
template <class C, class Point> struct State;
}

/// Point: the group, C::G1 or C::G2.
template <class C, class Point> class Msm {
 public:
  using Affine = cuzk::Affine<typename Point::Field>;

  static Result<Msm> create(std::uint32_t most_points);

  /// Queues the sum of as many products as there are points, at most `most_points`. Both spans must stay until
  /// finish() has returned.
  Status start(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars);
  /// The sum of scalars[i] times points[numbers[i]]; at most `most_points` scalars of any number of points below 2^31.
  Status start(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
               DeviceSpan<const std::uint32_t> numbers);
  /// Waits for the sum that was started.
  Result<Point> finish(const Stream& stream);

 private:
  using State = msm::State<C, Point>;
  Status queue(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
               const std::uint32_t* numbers);
  struct End {
    void operator()(State* state) const;
  };
  explicit Msm(std::unique_ptr<State, End> state) : state_(std::move(state)) {}
  std::unique_ptr<State, End> state_;
};

}  // namespace cuzk::cuda
