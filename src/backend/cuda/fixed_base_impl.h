// Kernels of fixed_base.h.
#pragma once

#include "backend/cuda/fixed_base.h"
#include "backend/cuda/point_kernels.h"

namespace cuzk::cuda::fixed {

constexpr unsigned kPointsPerInversion = 16;

template <class F>
__global__ void __launch_bounds__(kPointThreads, kBlocksOf<F>)
    multiples(FixedWindows windows, const DeviceAffine<F>* table, const u32* scalars, std::uint32_t count,
              DeviceXyzz<F>* sums) {
  const std::uint32_t i = blockIdx.x * kPointThreads + threadIdx.x;
  if (i >= count) return;
  sums[i] = fixed_base_multiple(windows, table, scalars + std::size_t{i} * 8,
                                [](const DeviceAffine<F>* entry) { return load_point<F>(entry); });
}

template <class F>
__global__ void __launch_bounds__(kPointThreads)
    to_affine(const DeviceXyzz<F>* sums, std::uint32_t count, std::uint32_t threads, DeviceAffine<F>* to) {
  const std::uint32_t first = blockIdx.x * kPointThreads + threadIdx.x;
  if (first < threads) to_affine_strided(sums, to, first, threads, count);
}

}  // namespace cuzk::cuda::fixed

namespace cuzk::cuda {

template <class Point> std::size_t fixed_base_bytes(std::size_t scalars) {
  return Workspace::padded(scalars * sizeof(DeviceXyzz<DeviceTwin<typename Point::Field>>));
}

template <class C, class Point>
Status fixed_base(const Stream& stream, const FixedBaseTable<Point>& table, DeviceSpan<const U256> scalars,
                  DeviceSpan<std::byte> work, DeviceSpan<cuzk::Affine<typename Point::Field>> out) {
  using F = DeviceTwin<typename Point::Field>;
  using CalledF = Called<F>;
  CUZK_REQUIRE(scalars.size == out.size && scalars.size >> 32 == 0);
  if (scalars.size == 0) return {};
  const auto count = static_cast<std::uint32_t>(scalars.size);
  const auto sums = Workspace(work).take<DeviceXyzz<F>>(count);
  fixed::multiples<F><<<blocks_for(count, kPointThreads), kPointThreads, 0, stream.get()>>>(
      table.windows, reinterpret_cast<const DeviceAffine<F>*>(table.entries.data),
      reinterpret_cast<const u32*>(scalars.data), count, sums.data);
  CUZK_CUDA(cudaGetLastError());
  const auto threads = (count + fixed::kPointsPerInversion - 1) / fixed::kPointsPerInversion;
  fixed::to_affine<CalledF><<<blocks_for(threads, kPointThreads), kPointThreads, 0, stream.get()>>>(
      reinterpret_cast<const DeviceXyzz<CalledF>*>(sums.data), count, threads,
      reinterpret_cast<DeviceAffine<CalledF>*>(out.data));
  CUZK_CUDA(cudaGetLastError());
  return {};
}

}  // namespace cuzk::cuda

#define CUZK_INSTANTIATE_FIXED_BASE(C, Group)                                                              \
  template std::size_t cuzk::cuda::fixed_base_bytes<cuzk::C::Group>(std::size_t);                          \
  template cuzk::Status cuzk::cuda::fixed_base<cuzk::C, cuzk::C::Group>(                                   \
      const Stream&, const FixedBaseTable<cuzk::C::Group>&, DeviceSpan<const U256>, DeviceSpan<std::byte>, \
      DeviceSpan<cuzk::Affine<cuzk::C::Group::Field>>);
