// What kernels of several files do with words: elements of 32 bytes in two loads, bits below a bit, scans of a block.
// For .cu files.
#pragma once

#include <cstdint>

#include "field/big_int.h"

namespace cuzk::cuda {

/// 32 bytes at a multiple of 16.
struct Words256 {
  uint4 low, high;
};
template <class T> __device__ __forceinline__ Words256 load_words(const T* from) {
  static_assert(sizeof(T) == 32);
  const uint4* words = reinterpret_cast<const uint4*>(from);
  return {__ldg(words), __ldg(words + 1)};
}
template <class T> __device__ __forceinline__ void store_words(T* to, const Words256& value) {
  static_assert(sizeof(T) == 32);
  uint4* words = reinterpret_cast<uint4*>(to);
  words[0] = value.low;
  words[1] = value.high;
}
/// Not to be read again soon: it leaves the cache to what is.
template <class T> __device__ __forceinline__ void store_words_once(T* to, const Words256& value) {
  static_assert(sizeof(T) == 32);
  uint4* words = reinterpret_cast<uint4*>(to);
  __stcs(words, value.low);
  __stcs(words + 1, value.high);
}
/// An element that is 32 bytes of words.
template <class F> __device__ __forceinline__ F load_element(const void* from) {
  static_assert(sizeof(F) == 32);
  F x;
  *reinterpret_cast<Words256*>(&x) = load_words(static_cast<const Words256*>(from));
  return x;
}

/// How many bits of `word` are below bit `bit`.
__device__ __forceinline__ std::uint32_t bits_below(u64 word, unsigned bit) {
  return static_cast<std::uint32_t>(__popcll(word & ((u64{1} << bit) - 1)));
}
__device__ __forceinline__ std::uint32_t bits_below(std::uint32_t word, unsigned bit) {
  return static_cast<std::uint32_t>(__popc(word & ((1u << bit) - 1)));
}

/// The sum of `own` of this thread and of the lanes before it.
__device__ __forceinline__ std::uint32_t inclusive_warp_scan(std::uint32_t own) {
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t before = __shfl_up_sync(~0u, own, distance);
    if (threadIdx.x % 32 >= distance) own += before;
  }
  return own;
}
/// The same over a block of kThreads; `parts`: a word for each of its warps. All threads call it.
template <unsigned kThreads>
__device__ __forceinline__ std::uint32_t inclusive_scan(std::uint32_t* parts, std::uint32_t own) {
  static_assert(kThreads % 32 == 0 && kThreads <= 1024);
  const std::uint32_t in_warp = inclusive_warp_scan(own);
  if (threadIdx.x % 32 == 31) parts[threadIdx.x / 32] = in_warp;
  __syncthreads();
  if (threadIdx.x < 32) {
    const bool is_warp = threadIdx.x < kThreads / 32;
    const std::uint32_t sum = inclusive_warp_scan(is_warp ? parts[threadIdx.x] : 0);
    if (is_warp) parts[threadIdx.x] = sum;
  }
  __syncthreads();
  return in_warp + (threadIdx.x < 32 ? 0 : parts[threadIdx.x / 32 - 1]);
}

}  // namespace cuzk::cuda
