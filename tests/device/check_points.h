// Many different points on a device: multiples of a generator, for sums whose result is known without adding them up.
#pragma once

#include "curve/curves.h"
#include "tests/device/check_tools.h"

namespace cuzk::test {

/// points[i] = (i + 1) generator. Instantiated in check_points_*.cu.
template <class Affine> void fill_with_multiples(const Affine& generator, DeviceSpan<Affine> points);

template <class C, class Point> const auto& generator() {
  if constexpr (std::is_same_v<Point, typename C::G1>) {
    return g1_generator<C>();
  } else {
    return g2_generator<C>();
  }
}

/// Multiples of a generator, and sums of them as one multiple.
template <class C, class Point> struct Multiples {
  using Affine = cuzk::Affine<typename Point::Field>;
  DeviceBuffer memory;

  explicit Multiples(std::size_t count) : memory(must(DeviceBuffer::create(count * sizeof(Affine)), "points")) {
    fill_with_multiples<Affine>(generator<C, Point>(), {memory.as<Affine>().data, count});
  }
  DeviceSpan<const Affine> first(std::size_t count) const { return {memory.as<Affine>().data, count}; }

  static Point sum(const std::vector<U256>& scalars) {
    auto factor = C::Fr::zero();
    for (std::size_t i = 0; i < scalars.size(); ++i)
      factor += C::Fr::from_canonical(scalars[i]) * C::Fr::from_u64(i + 1);
    return Point::from_affine(generator<C, Point>()).times(factor.canonical());
  }
};

}  // namespace cuzk::test
