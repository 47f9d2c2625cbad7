// Multi-scalar multiplication on a device: sum_i scalar_i P_i.
//
// Windows of signed digits, buckets in XYZZ coordinates (Pippenger 1976; msm_impl.h says how a device does it). The
// sums of the windows come to the host, which puts them together.
//
// Shapes: points affine in Montgomery form, the identity as zeros (curve/point.h); scalars canonical, below r. Any
// distribution of scalars is done in about the time of a uniform one; zeros cost nothing.
// Memory is the caller's: bytes() of it for the largest sum; sums one after the other on one stream share it.
// Errors: bytes, use: invalid_argument (above 2^30 points), device; the rest: device.
// Thread-safety: one thread at a time for each object; it has a second stream of its own.
#pragma once

#include <cstdint>
#include <memory>

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
template <class C, class Point> struct Table;
}  // namespace msm

/// What a sum leaves on the host, in page-locked memory; one for each that is on its way.
template <class C, class Point> class MsmResult {
 public:
  static Result<MsmResult> create();

  /// The last sum that was started into this. precondition: its stream has come so far.
  Point value() const;

 private:
  template <class, class> friend class Msm;
  using Table = msm::Table<C, Point>;
  struct End {
    void operator()(Table* table) const;
  };
  explicit MsmResult(std::unique_ptr<Table, End> table) : table_(std::move(table)) {}
  std::unique_ptr<Table, End> table_;
};

template <class C, class Point> class Msm {
 public:
  using Affine = cuzk::Affine<typename Point::Field>;

  static Result<std::size_t> bytes(std::uint32_t most_points);

  /// Without memory yet.
  static Result<Msm> create();
  /// From now on works in this memory. precondition: at least bytes(most_points), at a multiple of 256; no sum is on
  /// its way.
  Status use(DeviceSpan<std::byte> memory, std::uint32_t most_points);

  /// Queues the sum of as many products as there are points, at most `most_points`. All of them must stay until the
  /// stream has come so far.
  Status start(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
               MsmResult<C, Point>& to);
  /// The sum of scalars[i] times points[numbers[i]]; at most `most_points` scalars of any number of points below 2^31.
  Status start(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
               DeviceSpan<const std::uint32_t> numbers, MsmResult<C, Point>& to);

 private:
  using State = msm::State<C, Point>;
  Status queue(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
               const std::uint32_t* numbers, MsmResult<C, Point>& to);
  struct End {
    void operator()(State* state) const;
  };
  explicit Msm(std::unique_ptr<State, End> state) : state_(std::move(state)) {}
  std::unique_ptr<State, End> state_;
};

}  // namespace cuzk::cuda
