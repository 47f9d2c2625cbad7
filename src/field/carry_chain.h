// Additions and multiply-adds of 32-bit words that hand a carry on: the steps of the limb algorithms of device_fp.h.
//
// On a device each step is one PTX instruction and the carry is the processor's flag (PTX ISA, "Extended-Precision
// Integer Arithmetic Instructions"); on the host the flag is emulated, so that the same algorithms are tested there.
// A name that ends in _on takes the carry of the step before it; one that ends in _end takes it and leaves none behind.
// Steps of one chain stand together: nothing between them may touch the flag. Thread-safety: values.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define CUZK_DEVICE __host__ __device__ __forceinline__
#define CUZK_DEVICE_CALL __host__ __device__ __noinline__  // a call also where the caller is hot
#define CUZK_UNROLL _Pragma("unroll")
#else
#define CUZK_DEVICE inline
#define CUZK_DEVICE_CALL inline
#define CUZK_UNROLL
#endif

namespace cuzk {

using u32 = std::uint32_t;

class CarryChain {
 public:
  CUZK_DEVICE u32 add(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return keep(std::uint64_t{a} + b);
#endif
  }
  CUZK_DEVICE u32 add_on(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return keep(std::uint64_t{a} + b + carry_);
#endif
  }
  CUZK_DEVICE u32 add_end(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return add_on(a, b);
#endif
  }

  CUZK_DEVICE u32 subtract(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return keep_borrow(std::uint64_t{a} - b);
#endif
  }
  CUZK_DEVICE u32 subtract_on(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return keep_borrow(std::uint64_t{a} - b - carry_);
#endif
  }
  CUZK_DEVICE u32 subtract_end(u32 a, u32 b) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("subc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return subtract_on(a, b);
#endif
  }
  /// All ones when the subtraction before has borrowed, else zero.
  CUZK_DEVICE u32 borrow_mask_end() {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("subc.u32 %0, 0, 0;" : "=r"(r));
    return r;
#else
    return u32{0} - carry_;
#endif
  }

  // c + the low or the high word of a b.

  CUZK_DEVICE u32 low(u32 a, u32 b, u32 c) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return keep((product(a, b) & kLow) + c);
#endif
  }
  CUZK_DEVICE u32 low_on(u32 a, u32 b, u32 c) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("madc.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return keep((product(a, b) & kLow) + c + carry_);
#endif
  }
  CUZK_DEVICE u32 high_on(u32 a, u32 b, u32 c) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("madc.hi.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return keep((product(a, b) >> 32) + c + carry_);
#endif
  }
  CUZK_DEVICE u32 high_end(u32 a, u32 b, u32 c) {
#if defined(__CUDA_ARCH__)
    u32 r;
    asm volatile("madc.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return high_on(a, b, c);
#endif
  }

 private:
#if !defined(__CUDA_ARCH__)
  static constexpr std::uint64_t kLow = 0xffffffffu;
  static std::uint64_t product(u32 a, u32 b) { return std::uint64_t{a} * b; }
  u32 keep(std::uint64_t sum) {
    carry_ = static_cast<u32>(sum >> 32);
    return static_cast<u32>(sum);
  }
  u32 keep_borrow(std::uint64_t difference) {
    carry_ = static_cast<u32>(difference >> 63);
    return static_cast<u32>(difference);
  }
  u32 carry_ = 0;
#endif
};

}  // namespace cuzk
