// Many different points on a device: multiples of a generator, for sums whose result is known without adding them up.
#pragma once

#include "curve/curves.h"
#include "curve/device_fq2.h"
#include "curve/device_xyzz.h"
#include "tests/device/check_tools.h"

namespace cuzk::test {

template <class P> __device__ DeviceFp<P> inverse(const DeviceFp<P>& a) {
  constexpr auto exponent = DeviceFp<P>::words_of([] {
    auto v = P::modulus;
    v.sub(decltype(v)::from_u64(2));
    return v;
  }());
  auto r = DeviceFp<P>::one();
  for (int i = DeviceFp<P>::kWords * 32 - 1; i >= 0; --i) {
    r = r.squared();
    if ((exponent.w[i / 32] >> (i % 32) & 1) != 0) r = r * a;
  }
  return r;
}
template <class P> __device__ DeviceFq2<P> inverse(const DeviceFq2<P>& a) {
  const CalledFp<P> norm{inverse((a.c0.squared() + a.c1.squared()).value)};
  return {a.c0 * norm, -a.c1 * norm};
}

/// points[i] = (i + 1) G.
template <class F> __global__ void multiples(DeviceAffine<F> generator, DeviceAffine<F>* points, std::uint64_t count) {
  constexpr unsigned kEach = 32;
  const std::uint64_t begin = (blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x) * kEach;
  if (begin >= count) return;
  auto sum = DeviceXyzz<F>::identity();
  for (int bit = 40; bit >= 0; --bit) {
    sum = sum.doubled();
    if (((begin + 1) >> bit & 1) != 0) sum.add(generator);
  }
  for (std::uint64_t i = begin; i < begin + kEach && i < count; ++i) {
    const F z = inverse(sum.zzz);  // ZZ / ZZZ = 1 / Z
    points[i] = {sum.x * (sum.zz * z).squared(), sum.y * z};
    sum.add(generator);
  }
}

template <class Point> struct Twin {
  using type = DeviceFp<typename Point::Field::Params>;
};
template <class Base> struct Twin<Point<Fq2<Base>>> {
  using type = DeviceFq2<typename Base::Params>;
};

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
  using F = typename Twin<Point>::type;
  DeviceBuffer memory;

  explicit Multiples(std::size_t count) : memory(must(DeviceBuffer::create(count * sizeof(Affine)), "points")) {
    const auto threads = static_cast<unsigned>((count + 31) / 32);
    multiples<<<(threads + 63) / 64, 64>>>(std::bit_cast<DeviceAffine<F>>(generator<C, Point>()),
                                           memory.as<DeviceAffine<F>>().data, count);
    must(cudaDeviceSynchronize(), "points");
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
