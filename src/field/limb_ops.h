// Addition and subtraction modulo p on N = 4 or 6 limbs: what fp.h inlines into every user.
//
// The compilers turn portable carry chains (unsigned __int128, or the addcarry intrinsics in g++) into twice the
// instructions that are needed, so x86-64 has the chains spelled out; ADD, ADC, CMOV are in every x86-64 processor, so
// there is nothing to choose at run time. The portable versions serve constant expressions, other architectures, and
// the tests as the slow twin. Preconditions: p < 2^(64 N - 1); inputs as stated. Results fully reduced. Branch-free.
#pragma once

#include "field/big_int.h"

namespace cuzk::limb_ops {

/// v < 2p -> v mod p.
template <std::size_t N> constexpr BigInt<N> reduce_once_portable(const BigInt<N>& v, const BigInt<N>& p) noexcept {
  BigInt<N> t = v;
  const u64 keep = u64{0} - t.sub(p);  // all ones when v < p
  for (std::size_t i = 0; i < N; ++i) t.limb[i] = (v.limb[i] & keep) | (t.limb[i] & ~keep);
  return t;
}

/// a, b < p -> a + b mod p.
template <std::size_t N>
constexpr BigInt<N> add_portable(BigInt<N> a, const BigInt<N>& b, const BigInt<N>& p) noexcept {
  a.add(b);  // no carry: the top bit of p is free
  return reduce_once_portable(a, p);
}

/// a, b < p -> a - b mod p.
template <std::size_t N>
constexpr BigInt<N> sub_portable(BigInt<N> a, const BigInt<N>& b, const BigInt<N>& p) noexcept {
  BigInt<N> correction = p;
  const u64 mask = u64{0} - a.sub(b);
  for (u64& l : correction.limb) l &= mask;
  a.add(correction);
  return a;
}

#if defined(__x86_64__)

// C is FpConstants<P>: the limbs C::p are memory operands at link-time addresses. Limbs pass through
// scalar variables one by one, never as a whole BigInt: g++ copies aggregates in 16-byte pieces, and such a load of
// limbs that were just stored as 8 bytes each waits for the stores to retire (measured: addition 3 -> 15 ns).

template <class C> inline BigInt<4> reduce_once(u64 r0, u64 r1, u64 r2, u64 r3) noexcept {
  u64 s0, s1, s2, s3;
  __asm__ inline(
      "mov %[r0], %[s0]\n\t"
      "mov %[r1], %[s1]\n\t"
      "mov %[r2], %[s2]\n\t"
      "mov %[r3], %[s3]\n\t"
      "sub %[p0], %[s0]\n\t"
      "sbb %[p1], %[s1]\n\t"
      "sbb %[p2], %[s2]\n\t"
      "sbb %[p3], %[s3]\n\t"
      "cmovnc %[s0], %[r0]\n\t"
      "cmovnc %[s1], %[r1]\n\t"
      "cmovnc %[s2], %[r2]\n\t"
      "cmovnc %[s3], %[r3]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),
        [s3] "=&r"(s3)
      : [p0] "m"(C::p.limb[0]), [p1] "m"(C::p.limb[1]), [p2] "m"(C::p.limb[2]), [p3] "m"(C::p.limb[3])
      : "cc");
  return {{r0, r1, r2, r3}};
}

template <class C> inline BigInt<4> add(const BigInt<4>& a, const BigInt<4>& b) noexcept {
  u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3];
  __asm__ inline(
      "add %[b0], %[r0]\n\t"
      "adc %[b1], %[r1]\n\t"
      "adc %[b2], %[r2]\n\t"
      "adc %[b3], %[r3]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3)
      : [b0] "rm"(b.limb[0]), [b1] "rm"(b.limb[1]), [b2] "rm"(b.limb[2]), [b3] "rm"(b.limb[3])
      : "cc");
  return reduce_once<C>(r0, r1, r2, r3);
}

template <class C> inline BigInt<4> sub(const BigInt<4>& a, const BigInt<4>& b) noexcept {
  u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3], borrow;
  __asm__ inline(
      "sub %[b0], %[r0]\n\t"
      "sbb %[b1], %[r1]\n\t"
      "sbb %[b2], %[r2]\n\t"
      "sbb %[b3], %[r3]\n\t"
      "sbb %[borrow], %[borrow]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [borrow] "=r"(borrow)
      : [b0] "rm"(b.limb[0]), [b1] "rm"(b.limb[1]), [b2] "rm"(b.limb[2]), [b3] "rm"(b.limb[3])
      : "cc");
  __asm__ inline(
      "add %[s0], %[r0]\n\t"
      "adc %[s1], %[r1]\n\t"
      "adc %[s2], %[r2]\n\t"
      "adc %[s3], %[r3]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3)
      : [s0] "r"(C::p.limb[0] & borrow), [s1] "r"(C::p.limb[1] & borrow), [s2] "r"(C::p.limb[2] & borrow),
        [s3] "r"(C::p.limb[3] & borrow)
      : "cc");
  return {{r0, r1, r2, r3}};
}

template <class C> inline BigInt<6> reduce_once(u64 r0, u64 r1, u64 r2, u64 r3, u64 r4, u64 r5) noexcept {
  u64 s0, s1, s2, s3, s4, s5;
  __asm__ inline(
      "mov %[r0], %[s0]\n\t"
      "mov %[r1], %[s1]\n\t"
      "mov %[r2], %[s2]\n\t"
      "mov %[r3], %[s3]\n\t"
      "mov %[r4], %[s4]\n\t"
      "mov %[r5], %[s5]\n\t"
      "sub %[p0], %[s0]\n\t"
      "sbb %[p1], %[s1]\n\t"
      "sbb %[p2], %[s2]\n\t"
      "sbb %[p3], %[s3]\n\t"
      "sbb %[p4], %[s4]\n\t"
      "sbb %[p5], %[s5]\n\t"
      "cmovnc %[s0], %[r0]\n\t"
      "cmovnc %[s1], %[r1]\n\t"
      "cmovnc %[s2], %[r2]\n\t"
      "cmovnc %[s3], %[r3]\n\t"
      "cmovnc %[s4], %[r4]\n\t"
      "cmovnc %[s5], %[r5]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5), [s0] "=&r"(s0),
        [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5)
      : [p0] "m"(C::p.limb[0]), [p1] "m"(C::p.limb[1]), [p2] "m"(C::p.limb[2]), [p3] "m"(C::p.limb[3]),
        [p4] "m"(C::p.limb[4]), [p5] "m"(C::p.limb[5])
      : "cc");
  return {{r0, r1, r2, r3, r4, r5}};
}

template <class C> inline BigInt<6> add(const BigInt<6>& a, const BigInt<6>& b) noexcept {
  u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3], r4 = a.limb[4], r5 = a.limb[5];
  __asm__ inline(
      "add %[b0], %[r0]\n\t"
      "adc %[b1], %[r1]\n\t"
      "adc %[b2], %[r2]\n\t"
      "adc %[b3], %[r3]\n\t"
      "adc %[b4], %[r4]\n\t"
      "adc %[b5], %[r5]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5)
      : [b0] "rm"(b.limb[0]), [b1] "rm"(b.limb[1]), [b2] "rm"(b.limb[2]), [b3] "rm"(b.limb[3]), [b4] "rm"(b.limb[4]),
        [b5] "rm"(b.limb[5])
      : "cc");
  return reduce_once<C>(r0, r1, r2, r3, r4, r5);
}

template <class C> inline BigInt<6> sub(const BigInt<6>& a, const BigInt<6>& b) noexcept {
  u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3], r4 = a.limb[4], r5 = a.limb[5], borrow;
  __asm__ inline(
      "sub %[b0], %[r0]\n\t"
      "sbb %[b1], %[r1]\n\t"
      "sbb %[b2], %[r2]\n\t"
      "sbb %[b3], %[r3]\n\t"
      "sbb %[b4], %[r4]\n\t"
      "sbb %[b5], %[r5]\n\t"
      "sbb %[borrow], %[borrow]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5),
        [borrow] "=r"(borrow)
      : [b0] "rm"(b.limb[0]), [b1] "rm"(b.limb[1]), [b2] "rm"(b.limb[2]), [b3] "rm"(b.limb[3]), [b4] "rm"(b.limb[4]),
        [b5] "rm"(b.limb[5])
      : "cc");
  __asm__ inline(
      "add %[s0], %[r0]\n\t"
      "adc %[s1], %[r1]\n\t"
      "adc %[s2], %[r2]\n\t"
      "adc %[s3], %[r3]\n\t"
      "adc %[s4], %[r4]\n\t"
      "adc %[s5], %[r5]"
      : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5)
      : [s0] "r"(C::p.limb[0] & borrow), [s1] "r"(C::p.limb[1] & borrow), [s2] "r"(C::p.limb[2] & borrow),
        [s3] "r"(C::p.limb[3] & borrow), [s4] "r"(C::p.limb[4] & borrow), [s5] "r"(C::p.limb[5] & borrow)
      : "cc");
  return {{r0, r1, r2, r3, r4, r5}};
}

#else

template <class C, std::size_t N> inline BigInt<N> add(BigInt<N> a, const BigInt<N>& b) noexcept {
  return add_portable(a, b, C::modulus);
}
template <class C, std::size_t N> inline BigInt<N> sub(BigInt<N> a, const BigInt<N>& b) noexcept {
  return sub_portable(a, b, C::modulus);
}

#endif

/// v < 2p -> v mod p.
template <class C, std::size_t N> inline BigInt<N> reduce_once(const BigInt<N>& v) noexcept {
#if defined(__x86_64__)
  if constexpr (N == 4) {
    return reduce_once<C>(v.limb[0], v.limb[1], v.limb[2], v.limb[3]);
  } else {
    return reduce_once<C>(v.limb[0], v.limb[1], v.limb[2], v.limb[3], v.limb[4], v.limb[5]);
  }
#else
  return reduce_once_portable(v, C::modulus);
#endif
}

}  // namespace cuzk::limb_ops
