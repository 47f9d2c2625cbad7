// Kernels of a sum over the set bits of a bitmap.
//
// A thread takes every so-manieth word of 32 points and adds up those whose bit is set; it goes on to its next word by
// itself, so that the threads of a warp end together wherever the bits lie. What threads have is added up by blocks, as
// a tree in shared memory, twice. Bound by the multiplier, as the sums of buckets are (msm_impl.h).
#pragma once

#include <algorithm>

#include "backend/cuda/point_kernels.h"
#include "backend/cuda/subset_sum.h"

namespace cuzk::cuda::subset {

constexpr unsigned kMultiprocessors = 132;  // of the largest device; more blocks than there is room for would do too
template <class F> constexpr unsigned kBlocks = kBlocksOf<F> * kMultiprocessors;

template <class F>
__global__ void __launch_bounds__(kPointThreads, kBlocksOf<F>)
    add_set(const DeviceAffine<F>* points, const std::uint32_t* set, std::uint32_t words, DeviceXyzz<F>* sums) {
  const std::uint32_t thread = blockIdx.x * kPointThreads + threadIdx.x;
  std::uint32_t word = thread;
  std::uint32_t bits = word < words ? set[word] : 0;
  DeviceXyzz<F> sum = DeviceXyzz<F>::identity();
  while (true) {
    while (bits == 0 && word < words) {
      word += gridDim.x * kPointThreads;
      bits = word < words ? set[word] : 0;
    }
    if (bits == 0) break;
    const DeviceAffine<F> p =
        load_point(points + std::uint64_t{32} * word + static_cast<unsigned>(__ffs(static_cast<int>(bits)) - 1));
    bits &= bits - 1;
    if (!p.is_identity()) sum.add(p);
  }
  sums[thread] = sum;
}

/// out[block] = the sum of every gridDim-th run of kPointThreads elements.
template <class F>
__global__ void __launch_bounds__(kPointThreads)
    add_up_block(const DeviceXyzz<F>* in, std::uint32_t count, DeviceXyzz<F>* out) {
  __shared__ DeviceXyzz<F> half[kPointThreads / 2];
  const unsigned t = threadIdx.x;
  DeviceXyzz<F> sum = DeviceXyzz<F>::identity();
  for (std::uint32_t i = blockIdx.x * kPointThreads + t; i < count; i += gridDim.x * kPointThreads) sum.add(in[i]);
  for (unsigned d = kPointThreads / 2; d > 0; d /= 2) {
    if (t >= d && t < 2 * d) half[t - d] = sum;
    __syncthreads();
    if (t < d) sum.add(half[t]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum;
}

}  // namespace cuzk::cuda::subset

namespace cuzk::cuda {

template <class C, class Point> std::size_t subset_sum_bytes() {
  using F = typename TwinOf<typename Point::Field>::type;
  using Sum = DeviceXyzz<F>;
  constexpr std::size_t kBlocks = subset::kBlocks<F>;
  return Workspace::padded(kBlocks * kPointThreads * sizeof(Sum)) + Workspace::padded((kBlocks + 1) * sizeof(Sum));
}

template <class C, class Point>
Status subset_sum(const Stream& stream, DeviceSpan<const Affine<typename Point::Field>> points,
                  DeviceSpan<const u64> set, DeviceSpan<std::byte> work, XyzzPoint<Point>* to) {
  using F = typename TwinOf<typename Point::Field>::type;
  using Sum = DeviceXyzz<F>;
  using CalledSum = DeviceXyzz<Called<F>>;
  static_assert(sizeof(Sum) == sizeof(XyzzPoint<Point>) && sizeof(CalledSum) == sizeof(Sum));
  CUZK_REQUIRE(points.size <= std::uint64_t{1} << 32 && set.size >= (points.size + 63) / 64);
  constexpr unsigned kBlocks = subset::kBlocks<F>;
  Workspace workspace(work);
  const DeviceSpan<Sum> sums = workspace.take<Sum>(std::size_t{kBlocks} * kPointThreads);
  const DeviceSpan<Sum> of_blocks = workspace.take<Sum>(kBlocks + 1);
  const auto words = static_cast<std::uint32_t>((points.size + 31) / 32);
  const unsigned blocks = std::clamp(blocks_for(words, kPointThreads), 1u, kBlocks);
  subset::add_set<F><<<blocks, kPointThreads, 0, stream.get()>>>(reinterpret_cast<const DeviceAffine<F>*>(points.data),
                                                                 reinterpret_cast<const std::uint32_t*>(set.data),
                                                                 words, sums.data);
  CUZK_CUDA(cudaGetLastError());
  auto* const all = reinterpret_cast<CalledSum*>(sums.data);
  auto* const part = reinterpret_cast<CalledSum*>(of_blocks.data);
  subset::add_up_block<Called<F>><<<blocks, kPointThreads, 0, stream.get()>>>(all, blocks * kPointThreads, part);
  CUZK_CUDA(cudaGetLastError());
  subset::add_up_block<Called<F>><<<1, kPointThreads, 0, stream.get()>>>(part, blocks, part + kBlocks);
  CUZK_CUDA(cudaGetLastError());
  CUZK_CUDA(cudaMemcpyAsync(to, part + kBlocks, sizeof(Sum), cudaMemcpyDeviceToHost, stream.get()));
  return {};
}

}  // namespace cuzk::cuda

#define CUZK_INSTANTIATE_SUBSET_SUM(C, Group)                                                                       \
  template std::size_t cuzk::cuda::subset_sum_bytes<cuzk::C, cuzk::C::Group>();                                     \
  template cuzk::Status cuzk::cuda::subset_sum<cuzk::C, cuzk::C::Group>(                                            \
      const Stream&, DeviceSpan<const Affine<cuzk::C::Group::Field>>, DeviceSpan<const u64>, DeviceSpan<std::byte>, \
      XyzzPoint<cuzk::C::Group>*);
