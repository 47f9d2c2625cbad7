// Kernels of a sum over the set bits of a bitmap.
//
// A warp takes every so-manieth chunk of the bitmap and writes the numbers of its set bits to a list in shared memory,
// from which its lanes take one each, so that all of them add as long as there are 32: it does not matter where the
// bits lie. What threads have is added up by blocks, as a tree in shared memory, twice. Bound by the multiplier, as the
// sums of buckets are (msm_impl.h).
#pragma once

#include <algorithm>

#include "backend/cuda/point_kernels.h"
#include "backend/cuda/subset_sum.h"
#include "backend/cuda/words.h"

namespace cuzk::cuda::subset {

constexpr unsigned kMultiprocessors = 132;  // of the largest device; more blocks than there is room for would do too
template <class F> constexpr unsigned kBlocks = kBlocksOf<F> * kMultiprocessors;

/// Chunks of 32 lanes with `bits` bits each, a power of two up to 32.
struct Chunks {
  const std::uint32_t* set;
  std::uint32_t words;
  unsigned bits;
  __device__ __forceinline__ std::uint32_t of_lane(std::uint32_t chunk, std::uint32_t& first) const {
    const std::uint64_t at = (std::uint64_t{chunk} * 32 + threadIdx.x % 32) * bits;
    first = static_cast<std::uint32_t>(at);
    if (at / 32 >= words) return 0;
    return set[at / 32] >> at % 32 & (bits == 32 ? ~0u : (1u << bits) - 1);
  }
};

template <class F>
__global__ void __launch_bounds__(kPointThreads, kBlocksOf<F>)
    add_set(const DeviceAffine<F>* points, Chunks chunks, std::uint32_t count, DeviceXyzz<F>* sums) {
  constexpr unsigned kWarps = kPointThreads / 32;
  __shared__ std::uint32_t lists[kWarps][31 + 1024];
  std::uint32_t* const list = lists[threadIdx.x / 32];
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t chunk = blockIdx.x * kWarps + threadIdx.x / 32;
  std::uint32_t listed = 0;
  DeviceXyzz<F> sum = DeviceXyzz<F>::identity();
  while (true) {
    for (; listed < 32 && chunk < count; chunk += gridDim.x * kWarps) {
      std::uint32_t first = 0;
      std::uint32_t bits = chunks.of_lane(chunk, first);
      const auto own = static_cast<std::uint32_t>(__popc(bits));
      const std::uint32_t up_to = inclusive_warp_scan(own);
      for (std::uint32_t to = listed + up_to - own; bits != 0; bits &= bits - 1) {
        list[to++] = first + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits)) - 1);
      }
      listed += __shfl_sync(~0u, up_to, 31);
      __syncwarp();
    }
    if (listed == 0) break;
    const std::uint32_t taken = min(listed, 32u);
    listed -= taken;
    if (lane < taken) {
      const DeviceAffine<F> p = load_point(points + list[listed + lane]);
      if (!p.is_identity()) sum.add(p);
    }
    __syncwarp();
  }
  sums[blockIdx.x * kPointThreads + threadIdx.x] = sum;
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

/// So large that a list is seldom filled, so small that every warp has some dozens, or at least one.
struct Cut {
  unsigned bits;
  std::uint32_t chunks;
  unsigned blocks;
};
inline Cut cut_of(std::uint64_t points, unsigned most_blocks) {
  constexpr unsigned kWarps = kPointThreads / 32;
  const std::uint64_t enough = std::uint64_t{64} * most_blocks * kWarps;
  unsigned bits = 32;
  while (bits > 1 && points / (32 * bits) < enough) bits /= 2;
  const auto chunks = static_cast<std::uint32_t>((points + 32 * bits - 1) / (32 * bits));
  return {bits, chunks, std::clamp(blocks_for(chunks, kWarps), 1u, most_blocks)};
}

}  // namespace cuzk::cuda::subset

namespace cuzk::cuda {

template <class C, class Point> std::size_t subset_sum_bytes() {
  using F = DeviceTwin<typename Point::Field>;
  using Sum = DeviceXyzz<F>;
  constexpr std::size_t kBlocks = subset::kBlocks<F>;
  return Workspace::padded(kBlocks * kPointThreads * sizeof(Sum)) + Workspace::padded((kBlocks + 1) * sizeof(Sum));
}

template <class C, class Point>
Status subset_sum(const Stream& stream, DeviceSpan<const Affine<typename Point::Field>> points,
                  DeviceSpan<const u64> set, DeviceSpan<std::byte> work, XyzzPoint<Point>* to) {
  using F = DeviceTwin<typename Point::Field>;
  using Sum = DeviceXyzz<F>;
  using CalledSum = DeviceXyzz<Called<F>>;
  static_assert(sizeof(Sum) == sizeof(XyzzPoint<Point>) && sizeof(CalledSum) == sizeof(Sum));
  CUZK_REQUIRE(points.size <= std::uint64_t{1} << 32 && set.size >= (points.size + 63) / 64);
  constexpr unsigned kBlocks = subset::kBlocks<F>;
  Workspace workspace(work);
  const DeviceSpan<Sum> sums = workspace.take<Sum>(std::size_t{kBlocks} * kPointThreads);
  const DeviceSpan<Sum> of_blocks = workspace.take<Sum>(kBlocks + 1);
  const subset::Cut cut = subset::cut_of(points.size, kBlocks);
  const subset::Chunks chunks{reinterpret_cast<const std::uint32_t*>(set.data),
                              static_cast<std::uint32_t>((points.size + 31) / 32), cut.bits};
  subset::add_set<F><<<cut.blocks, kPointThreads, 0, stream.get()>>>(
      reinterpret_cast<const DeviceAffine<F>*>(points.data), chunks, cut.chunks, sums.data);
  CUZK_CUDA(cudaGetLastError());
  auto* const all = reinterpret_cast<CalledSum*>(sums.data);
  auto* const part = reinterpret_cast<CalledSum*>(of_blocks.data);
  subset::add_up_block<Called<F>>
      <<<cut.blocks, kPointThreads, 0, stream.get()>>>(all, cut.blocks * kPointThreads, part);
  CUZK_CUDA(cudaGetLastError());
  subset::add_up_block<Called<F>><<<1, kPointThreads, 0, stream.get()>>>(part, cut.blocks, part + kBlocks);
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
