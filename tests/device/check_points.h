// Many different points on a device: multiples of a generator, for sums whose result is known without adding them up.
#pragma once

#include "curve/device_fq2.h"
#include "curve/device_xyzz.h"

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

}  // namespace cuzk::test
