// Kernels of a sum over the set bits of a bitmap.
//
// A warp takes every so-manieth chunk of the bitmap and writes the numbers of its set bits to a list in shared memory,
// from which its lanes take one each (in G2 two of them one), so that all of them add as long as there are enough: it
// does not matter where the bits lie. What threads have is added up by blocks, as a tree in shared memory, twice. Bound
// by the multiplier, as the sums of buckets are (msm_impl.h).
#pragma once

#include <algorithm>

#include "backend/cuda/point_kernels.h"
#include "backend/cuda/subset_sum.h"
#include "backend/cuda/words.h"

namespace cuzk::cuda::subset {

constexpr unsigned kMultiprocessors = 132;  // of the largest device; more blocks than there is room for would do too
template <class L> constexpr unsigned kBlocks = kBlocksOf<L> * kMultiprocessors;

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

template <class L>
__global__ void __launch_bounds__(kPointThreads, kBlocksOf<L>)
    add_set(const StoredPoint<L>* points, Chunks chunks, std::uint32_t count, StoredSum<L>* sums) {
  constexpr unsigned kWarps = kPointThreads / 32;
  constexpr unsigned kAtOnce = 32 / kLanes<L>;  // points that a warp adds up side by side
  __shared__ std::uint32_t lists[kWarps][kAtOnce - 1 + 1024];
  std::uint32_t* const list = lists[threadIdx.x / 32];
  const unsigned place = threadIdx.x % 32 / kLanes<L>;
  std::uint32_t chunk = blockIdx.x * kWarps + threadIdx.x / 32;
  std::uint32_t listed = 0;
  DeviceXyzz<L> sum = DeviceXyzz<L>::identity();
  while (true) {
    for (; listed < kAtOnce && chunk < count; chunk += gridDim.x * kWarps) {
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
    const std::uint32_t taken = min(listed, kAtOnce);
    listed -= taken;
    DeviceAffine<L> p = DeviceAffine<L>::identity();
    if (place < taken) p = load_point<L>(points + list[listed + place]);
    sum.add(p);
    __syncwarp();
  }
  store_sum(sums + point_of_thread<L>(), sum);
}

/// out[block] = the sum of every gridDim-th run of kPointsOfBlock elements.
template <class L>
__global__ void __launch_bounds__(kPointThreads)
    add_up_block(const StoredSum<L>* in, std::uint32_t count, StoredSum<L>* out) {
  __shared__ alignas(16) StoredSum<L> half[kPointsOfBlock<L> / 2];
  const unsigned t = threadIdx.x / kLanes<L>;
  DeviceXyzz<L> sum = DeviceXyzz<L>::identity();
  for (std::uint32_t i = point_of_thread<L>(); InStep<L>::any(i < count); i += gridDim.x * kPointsOfBlock<L>) {
    sum.add(load_sum_if<L>(i < count, in + i));
  }
  for (unsigned d = kPointsOfBlock<L> / 2; d > 0; d /= 2) {
    if (t >= d && t < 2 * d) store_sum(half + t - d, sum);
    __syncthreads();
    sum.add(load_sum_if<L>(t < d, half + t));
    __syncthreads();
  }
  if (t == 0) store_sum(out + blockIdx.x, sum);
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
  using L = Added<DeviceTwin<typename Point::Field>>;
  using Sum = StoredSum<L>;
  constexpr std::size_t kBlocks = subset::kBlocks<L>;
  return Workspace::padded(kBlocks * kPointsOfBlock<L> * sizeof(Sum)) + Workspace::padded((kBlocks + 1) * sizeof(Sum));
}

template <class C, class Point>
Status subset_sum(const Stream& stream, DeviceSpan<const Affine<typename Point::Field>> points,
                  DeviceSpan<const u64> set, DeviceSpan<std::byte> work, XyzzPoint<Point>* to) {
  using L = Added<DeviceTwin<typename Point::Field>>;
  using Sum = StoredSum<L>;
  static_assert(sizeof(Sum) == sizeof(XyzzPoint<Point>));
  CUZK_REQUIRE(points.size <= std::uint64_t{1} << 32 && set.size >= (points.size + 63) / 64);
  constexpr unsigned kBlocks = subset::kBlocks<L>;
  Workspace workspace(work);
  const DeviceSpan<Sum> sums = workspace.take<Sum>(std::size_t{kBlocks} * kPointsOfBlock<L>);
  const DeviceSpan<Sum> of_blocks = workspace.take<Sum>(kBlocks + 1);
  const subset::Cut cut = subset::cut_of(points.size, kBlocks);
  const subset::Chunks chunks{reinterpret_cast<const std::uint32_t*>(set.data),
                              static_cast<std::uint32_t>((points.size + 31) / 32), cut.bits};
  subset::add_set<L><<<cut.blocks, kPointThreads, 0, stream.get()>>>(
      reinterpret_cast<const StoredPoint<L>*>(points.data), chunks, cut.chunks, sums.data);
  CUZK_CUDA(cudaGetLastError());
  subset::add_up_block<Called<L>>
      <<<cut.blocks, kPointThreads, 0, stream.get()>>>(sums.data, cut.blocks * kPointsOfBlock<L>, of_blocks.data);
  CUZK_CUDA(cudaGetLastError());
  Sum* const all = of_blocks.data + kBlocks;
  subset::add_up_block<Called<L>><<<1, kPointThreads, 0, stream.get()>>>(of_blocks.data, cut.blocks, all);
  CUZK_CUDA(cudaGetLastError());
  CUZK_CUDA(cudaMemcpyAsync(to, all, sizeof(Sum), cudaMemcpyDeviceToHost, stream.get()));
  return {};
}

}  // namespace cuzk::cuda

#define CUZK_INSTANTIATE_SUBSET_SUM(C, Group)                                                                       \
  template std::size_t cuzk::cuda::subset_sum_bytes<cuzk::C, cuzk::C::Group>();                                     \
  template cuzk::Status cuzk::cuda::subset_sum<cuzk::C, cuzk::C::Group>(                                            \
      const Stream&, DeviceSpan<const Affine<cuzk::C::Group::Field>>, DeviceSpan<const u64>, DeviceSpan<std::byte>, \
      XyzzPoint<cuzk::C::Group>*);
