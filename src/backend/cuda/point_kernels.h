// What kernels that add up points share: threads of a block, how a point is loaded. For .cu files.
#pragma once

#include <cstdint>

#include "curve/curves.h"
#include "curve/device_fq2.h"
#include "curve/device_xyzz.h"

namespace cuzk::cuda {

constexpr unsigned kPointThreads = 128;
/// Blocks of a multiprocessor where points are added up: 128 registers a thread are just enough in G1, 255 in G2.
template <class F> constexpr unsigned kBlocksOf = 4;
template <class P> constexpr unsigned kBlocksOf<DeviceFq2<P>> = 2;

/// The arithmetic of what is not the hot loop.
template <class F> struct CalledOf {
  using type = F;
};
template <class P> struct CalledOf<DeviceFp<P>> {
  using type = CalledFp<P>;
};
template <class F> using Called = typename CalledOf<F>::type;

template <class F> __device__ __forceinline__ DeviceAffine<F> load_point(const DeviceAffine<F>* from) {
  constexpr unsigned kParts = sizeof(DeviceAffine<F>) / 16;
  DeviceAffine<F> p;
  CUZK_UNROLL for (unsigned i = 0; i < kParts; ++i) {
    reinterpret_cast<uint4*>(&p)[i] = __ldg(reinterpret_cast<const uint4*>(from) + i);
  }
  return p;
}

}  // namespace cuzk::cuda
