// The kernel of check_points.h.
#pragma once

#include "backend/cuda/point_kernels.h"
#include "curve/device_fixed_base.h"
#include "tests/device/check_points.h"

namespace cuzk::test {

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
    const F z = inverse_of(sum.zzz);  // ZZ / ZZZ = 1 / Z
    points[i] = {sum.x * (sum.zz * z).squared(), sum.y * z};
    sum.add(generator);
  }
}

template <class Affine> void fill_with_multiples(const Affine& generator, DeviceSpan<Affine> points) {
  using F = Called<DeviceTwin<typename Affine::Field>>;
  const auto threads = static_cast<unsigned>((points.size + 31) / 32);
  multiples<<<(threads + 63) / 64, 64>>>(std::bit_cast<DeviceAffine<F>>(generator),
                                         reinterpret_cast<DeviceAffine<F>*>(points.data), points.size);
  must(cudaGetLastError(), "points");
  must(cudaDeviceSynchronize(), "points");
}

}  // namespace cuzk::test
