// What kernels that add up points share: the threads of a block, which of them compute with an element, how points come
// from memory and go there. For .cu files.
#pragma once

#include <cstdint>
#include <type_traits>

#include "curve/curves.h"
#include "curve/device_fq2.h"
#include "curve/device_fq2_pair.h"
#include "curve/device_xyzz.h"

namespace cuzk::cuda {

constexpr unsigned kPointThreads = 128;

/// Neighbouring threads as the lanes of an element of Fq2, those of a warp in step.
struct WarpLanes {
  static __device__ __forceinline__ bool is_odd() { return threadIdx.x % 2 != 0; }
  static __device__ __forceinline__ u32 other(u32 word) { return __shfl_xor_sync(~0u, word, 1); }
  static __device__ __forceinline__ bool any(bool condition) { return __any_sync(~0u, condition) != 0; }
  static __device__ __forceinline__ bool all(bool condition) { return __all_sync(~0u, condition) != 0; }
};

/// How an element F of memory is computed with where points are added up: one of Fq by a thread, one of Fq2 by two.
/// With products as calls where in line an addition would be too long for the cache of instructions.
template <class F> struct AddedAs;
template <class P> struct AddedAs<DeviceFp<P>> {
  using type = std::conditional_t<(DeviceFp<P>::kWords > 8), CalledFp<P>, DeviceFp<P>>;
};
template <class P> struct AddedAs<DeviceFq2<P>> {
  using type = CalledField<PairedFq2<P, WarpLanes>>;
};
template <class F> using Added = typename AddedAs<F>::type;

/// The other way round: what memory has of an L, and how many threads have one together.
template <class L> struct StoredAs {
  using type = L;
  static constexpr unsigned lanes = 1;
};
template <class L> struct StoredAs<CalledField<L>> : StoredAs<L> {};
template <class P> struct StoredAs<PairedFq2<P, WarpLanes>> {
  using type = DeviceFq2<P>;
  static constexpr unsigned lanes = 2;
};
template <class L> using StoredPoint = DeviceAffine<typename StoredAs<L>::type>;
template <class L> using StoredSum = DeviceXyzz<typename StoredAs<L>::type>;
template <class L> constexpr unsigned kLanes = StoredAs<L>::lanes;
/// Points that a block adds up side by side, and this thread's number among those of its grid.
template <class L> constexpr unsigned kPointsOfBlock = kPointThreads / kLanes<L>;
template <class L> __device__ __forceinline__ std::uint32_t point_of_thread() {
  return blockIdx.x * kPointsOfBlock<L> + threadIdx.x / kLanes<L>;
}

/// Blocks of a multiprocessor where points are added up: 128 registers a thread are just enough for a component in
/// each.
template <class L> constexpr unsigned kBlocksOf = 4;
template <class P> constexpr unsigned kBlocksOf<DeviceFq2<P>> = 2;

/// `to` has as many coordinates as lie at `from`, each thread its components of them.
template <class L, class To, class Read> __device__ __forceinline__ To read_lanes(const void* from, const Read& read) {
  constexpr unsigned kParts = sizeof(L) / 16;
  constexpr unsigned kCoordinates = sizeof(To) / sizeof(L);
  const uint4* const first = static_cast<const uint4*>(from) + threadIdx.x % kLanes<L> * kParts;
  To to;
  CUZK_UNROLL for (unsigned i = 0; i < kCoordinates * kParts; ++i) {
    reinterpret_cast<uint4*>(&to)[i] = read(first + i / kParts * kLanes<L> * kParts + i % kParts);
  }
  return to;
}
/// A point that no kernel writes at the time.
template <class L> __device__ __forceinline__ DeviceAffine<L> load_point(const StoredPoint<L>* from) {
  return read_lanes<L, DeviceAffine<L>>(from, [](const uint4* part) { return __ldg(part); });
}
template <class L> __device__ __forceinline__ DeviceXyzz<L> load_sum(const StoredSum<L>* from) {
  return read_lanes<L, DeviceXyzz<L>>(from, [](const uint4* part) { return *part; });
}
/// The identity where there is none.
template <class L> __device__ __forceinline__ DeviceXyzz<L> load_sum_if(bool has, const StoredSum<L>* from) {
  DeviceXyzz<L> sum = DeviceXyzz<L>::identity();
  if (has) sum = load_sum<L>(from);
  return sum;
}
template <class L> __device__ __forceinline__ void store_sum(StoredSum<L>* to, const DeviceXyzz<L>& sum) {
  constexpr unsigned kParts = sizeof(L) / 16;
  uint4* const first = reinterpret_cast<uint4*>(to) + threadIdx.x % kLanes<L> * kParts;
  CUZK_UNROLL for (unsigned i = 0; i < 4 * kParts; ++i) {
    first[i / kParts * kLanes<L> * kParts + i % kParts] = reinterpret_cast<const uint4*>(&sum)[i];
  }
}

}  // namespace cuzk::cuda
