#include <bit>

#include "backend/cuda/pointwise.h"
#include "backend/cuda/words.h"
#include "field/device_fp.h"

namespace cuzk::cuda {

namespace {

constexpr unsigned kThreads = 128;

template <class F, bool kScaled>
__global__ void __launch_bounds__(kThreads)
    combine_elements(F* a, const F* b, const F* c, std::uint64_t count, const __grid_constant__ F factor) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x;
  if (i >= count) return;
  // a is written here: no load through the cache of constants.
  F x = a[i] * load_element<F>(b + i) - load_element<F>(c + i);
  if constexpr (kScaled) x = x * factor;
  a[i] = x;
}

template <class F>
__global__ void __launch_bounds__(kThreads) multiply_elements(F* a, const F* b, std::uint64_t count) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x;
  if (i < count) a[i] = a[i] * load_element<F>(b + i);
}

/// `to` is one of the others: no load through the cache of constants.
template <class F, bool kScaled>
__global__ void __launch_bounds__(kThreads)
    subtract_elements(F* to, const F* product, const F* c, std::uint64_t count, const __grid_constant__ F factor) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x;
  if (i >= count) return;
  F x = product[i] - c[i];
  if constexpr (kScaled) x = x * factor;
  to[i] = x;
}

}  // namespace

template <class Fr>
Status combine(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b, DeviceSpan<const Fr> c,
               const Fr& factor) {
  using F = DeviceTwin<Fr>;
  CUZK_REQUIRE(b.size == a.size && c.size == a.size);
  if (a.size == 0) return {};
  auto* const kernel = factor.is_one() ? combine_elements<F, false> : combine_elements<F, true>;
  kernel<<<blocks_for(a.size, kThreads), kThreads, 0, stream.get()>>>(
      reinterpret_cast<F*>(a.data), reinterpret_cast<const F*>(b.data), reinterpret_cast<const F*>(c.data), a.size,
      std::bit_cast<F>(factor));
  CUZK_CUDA(cudaGetLastError());
  return {};
}

template <class Fr> Status multiply(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b) {
  using F = DeviceTwin<Fr>;
  CUZK_REQUIRE(b.size == a.size);
  if (a.size == 0) return {};
  multiply_elements<F><<<blocks_for(a.size, kThreads), kThreads, 0, stream.get()>>>(
      reinterpret_cast<F*>(a.data), reinterpret_cast<const F*>(b.data), a.size);
  CUZK_CUDA(cudaGetLastError());
  return {};
}

template <class Fr>
Status subtract(const Stream& stream, DeviceSpan<Fr> to, DeviceSpan<const Fr> product, DeviceSpan<const Fr> c,
                const Fr& factor) {
  using F = DeviceTwin<Fr>;
  CUZK_REQUIRE(product.size == to.size && c.size == to.size);
  if (to.size == 0) return {};
  auto* const kernel = factor.is_one() ? subtract_elements<F, false> : subtract_elements<F, true>;
  kernel<<<blocks_for(to.size, kThreads), kThreads, 0, stream.get()>>>(
      reinterpret_cast<F*>(to.data), reinterpret_cast<const F*>(product.data), reinterpret_cast<const F*>(c.data),
      to.size, std::bit_cast<F>(factor));
  CUZK_CUDA(cudaGetLastError());
  return {};
}

#define CUZK_INSTANTIATE(Fr)                                                                                     \
  template Status combine(const Stream&, DeviceSpan<Fr>, DeviceSpan<const Fr>, DeviceSpan<const Fr>, const Fr&); \
  template Status multiply(const Stream&, DeviceSpan<Fr>, DeviceSpan<const Fr>);                                 \
  template Status subtract(const Stream&, DeviceSpan<Fr>, DeviceSpan<const Fr>, DeviceSpan<const Fr>, const Fr&);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::cuda
