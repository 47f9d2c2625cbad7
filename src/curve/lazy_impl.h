// Field arithmetic that leaves out reductions between the steps of an addition of points.
//
// A lazy value is below 2p, not below p; it may be a factor and nothing else. With 4 p < R (both curves) a Montgomery
// product of lazy factors is (a b + m p)/R < (4 p^2 + R p)/R < 2 p: lazy again. Measured in additions of points: see
// bench/msm. On x86-64 the carry chains are spelled out (field/limb_ops.h says why); elsewhere, and for Portable,
// everything is reduced.
#pragma once

#include <type_traits>

#include "curve/fq2.h"
#include "field/fp_mul.h"

namespace cuzk::affine_detail {

template <class P> struct LazyConstants {
  static_assert(P::modulus.bit_length() + 2 <= P::modulus.bits);
  static constexpr auto p = P::modulus;
  static constexpr auto two_p = [] {
    auto v = P::modulus;
    v.add(v);
    return v;
  }();
};

#if defined(__x86_64__)

// clang-format off
#define CUZK_LAZY_REGISTERS_4 [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3)
#define CUZK_LAZY_REGISTERS_6 CUZK_LAZY_REGISTERS_4, [r4] "+&r"(r4), [r5] "+&r"(r5)
#define CUZK_LAZY_MEMORY_4(n0, n1, n2, n3, v) \
  [n0] "m"(v.limb[0]), [n1] "m"(v.limb[1]), [n2] "m"(v.limb[2]), [n3] "m"(v.limb[3])
#define CUZK_LAZY_MEMORY_6(n0, n1, n2, n3, n4, n5, v) \
  CUZK_LAZY_MEMORY_4(n0, n1, n2, n3, v), [n4] "m"(v.limb[4]), [n5] "m"(v.limb[5])
#define CUZK_LAZY_CHAIN_4(first, next, name) \
  first " %[" name "0], %[r0]\n\t" next " %[" name "1], %[r1]\n\t" next " %[" name "2], %[r2]\n\t" next " %[" name "3], %[r3]\n\t"
#define CUZK_LAZY_CHAIN_6(first, next, name) \
  CUZK_LAZY_CHAIN_4(first, next, name) next " %[" name "4], %[r4]\n\t" next " %[" name "5], %[r5]\n\t"
// clang-format on

/// a - b + p, for a, b < p.
template <class P> inline BigInt<4> lazy_sub(const BigInt<4>& a, const BigInt<4>& b) noexcept {
  using C = LazyConstants<P>;
  u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3];
  __asm__ inline(CUZK_LAZY_CHAIN_4("sub", "sbb", "b") CUZK_LAZY_CHAIN_4("add", "adc", "p")
                 : CUZK_LAZY_REGISTERS_4
                 : CUZK_LAZY_MEMORY_4(b0, b1, b2, b3, b), CUZK_LAZY_MEMORY_4(p0, p1, p2, p3, C::p)
                 : "cc");
  return {{r0, r1, r2, r3}};
}
template <class P> inline BigInt<6> lazy_sub(const BigInt<6>& a, const BigInt<6>& b) noexcept {
  using C = LazyConstants<P>;
  u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3], r4 = a.limb[4], r5 = a.limb[5];
  __asm__ inline(CUZK_LAZY_CHAIN_6("sub", "sbb", "b") CUZK_LAZY_CHAIN_6("add", "adc", "p")
                 : CUZK_LAZY_REGISTERS_6
                 : CUZK_LAZY_MEMORY_6(b0, b1, b2, b3, b4, b5, b), CUZK_LAZY_MEMORY_6(p0, p1, p2, p3, p4, p5, C::p)
                 : "cc");
  return {{r0, r1, r2, r3, r4, r5}};
}

/// v or p - v, for 0 < v < p: (v xor m) + ((p + 1) and m) with m = -1 or 0.
template <class P> inline BigInt<4> negated_if(u64 mask, const BigInt<4>& v) noexcept {
  constexpr auto& p = LazyConstants<P>::p;
  static_assert(p.limb[0] != ~u64{0});
  u64 r0 = v.limb[0] ^ mask, r1 = v.limb[1] ^ mask, r2 = v.limb[2] ^ mask, r3 = v.limb[3] ^ mask;
  __asm__ inline(CUZK_LAZY_CHAIN_4("add", "adc", "c")
                 : CUZK_LAZY_REGISTERS_4
                 : [c0] "rm"((p.limb[0] + 1) & mask), [c1] "rm"(p.limb[1] & mask), [c2] "rm"(p.limb[2] & mask),
                   [c3] "rm"(p.limb[3] & mask)
                 : "cc");
  return {{r0, r1, r2, r3}};
}
template <class P> inline BigInt<6> negated_if(u64 mask, const BigInt<6>& v) noexcept {
  constexpr auto& p = LazyConstants<P>::p;
  static_assert(p.limb[0] != ~u64{0});
  u64 r0 = v.limb[0] ^ mask, r1 = v.limb[1] ^ mask, r2 = v.limb[2] ^ mask, r3 = v.limb[3] ^ mask, r4 = v.limb[4] ^ mask,
      r5 = v.limb[5] ^ mask;
  __asm__ inline(CUZK_LAZY_CHAIN_6("add", "adc", "c")
                 : CUZK_LAZY_REGISTERS_6
                 : [c0] "rm"((p.limb[0] + 1) & mask), [c1] "rm"(p.limb[1] & mask), [c2] "rm"(p.limb[2] & mask),
                   [c3] "rm"(p.limb[3] & mask), [c4] "rm"(p.limb[4] & mask), [c5] "rm"(p.limb[5] & mask)
                 : "cc");
  return {{r0, r1, r2, r3, r4, r5}};
}

#define CUZK_LAZY_SAVE_4 "mov %[r0], %[s0]\n\tmov %[r1], %[s1]\n\tmov %[r2], %[s2]\n\tmov %[r3], %[s3]\n\t"
#define CUZK_LAZY_RESTORE_4 "cmovc %[s0], %[r0]\n\tcmovc %[s1], %[r1]\n\tcmovc %[s2], %[r2]\n\tcmovc %[s3], %[r3]\n\t"

/// t - a - b mod p, for t < 2p and a, b < p.
template <class P> inline BigInt<4> sub_two(const BigInt<4>& t, const BigInt<4>& a, const BigInt<4>& b) noexcept {
  using C = LazyConstants<P>;
  u64 r0 = t.limb[0], r1 = t.limb[1], r2 = t.limb[2], r3 = t.limb[3], s0, s1, s2, s3;
  __asm__ inline(CUZK_LAZY_CHAIN_4("add", "adc", "q") CUZK_LAZY_CHAIN_4("sub", "sbb", "a")
                     CUZK_LAZY_CHAIN_4("sub", "sbb", "b") CUZK_LAZY_SAVE_4 CUZK_LAZY_CHAIN_4("sub", "sbb", "q")
                         CUZK_LAZY_RESTORE_4 CUZK_LAZY_SAVE_4 CUZK_LAZY_CHAIN_4("sub", "sbb", "p") CUZK_LAZY_RESTORE_4
                 : CUZK_LAZY_REGISTERS_4, [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)
                 : CUZK_LAZY_MEMORY_4(a0, a1, a2, a3, a), CUZK_LAZY_MEMORY_4(b0, b1, b2, b3, b),
                   CUZK_LAZY_MEMORY_4(p0, p1, p2, p3, C::p), CUZK_LAZY_MEMORY_4(q0, q1, q2, q3, C::two_p)
                 : "cc");
  return {{r0, r1, r2, r3}};
}

#undef CUZK_LAZY_RESTORE_4
#undef CUZK_LAZY_SAVE_4
#undef CUZK_LAZY_CHAIN_6
#undef CUZK_LAZY_CHAIN_4
#undef CUZK_LAZY_MEMORY_6
#undef CUZK_LAZY_MEMORY_4
#undef CUZK_LAZY_REGISTERS_6
#undef CUZK_LAZY_REGISTERS_4

#endif

/// Lazy factors, lazy product.
template <class P, class Isa> Fp<P, Isa> lazy_product(const Fp<P, Isa>& a, const Fp<P, Isa>& b) noexcept {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Isa, Adx>)
    return Fp<P, Isa>::from_montgomery(adx::mul<FpConstants<P>>(a.montgomery(), b.montgomery()));
#endif
  return a * b;
}
template <class B> Fq2<B> lazy_product(const Fq2<B>& a, const Fq2<B>& b) noexcept { return a * b; }

/// Reduced a and b, lazy difference.
template <class P, class Isa> Fp<P, Isa> lazy_difference(const Fp<P, Isa>& a, const Fp<P, Isa>& b) noexcept {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Isa, Adx>)
    return Fp<P, Isa>::from_montgomery(lazy_sub<P>(a.montgomery(), b.montgomery()));
#endif
  return a - b;
}
/// Components of Fq2 are added up in its products: only their own factors (norms, scalings) may be lazy.
template <class B> Fq2<B> lazy_difference(const Fq2<B>& a, const Fq2<B>& b) noexcept {
  return {lazy_difference(a.c0, b.c0), lazy_difference(a.c1, b.c1)};
}
template <class P, class Isa> Fp<P, Isa> factor_difference(const Fp<P, Isa>& a, const Fp<P, Isa>& b) noexcept {
  return lazy_difference(a, b);
}
template <class B> Fq2<B> factor_difference(const Fq2<B>& a, const Fq2<B>& b) noexcept { return a - b; }

/// s^2 - a - b for a lazy s and reduced a, b; reduced.
template <class P, class Isa>
Fp<P, Isa> square_minus(const Fp<P, Isa>& s, const Fp<P, Isa>& a, const Fp<P, Isa>& b) noexcept {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Isa, Adx> && Fp<P, Isa>::limbs == 4)
    return Fp<P, Isa>::from_montgomery(
        sub_two<P>(adx::sqr<FpConstants<P>>(s.montgomery()), a.montgomery(), b.montgomery()));
#endif
  return s.squared() - a - b;
}
template <class B> Fq2<B> square_minus(const Fq2<B>& s, const Fq2<B>& a, const Fq2<B>& b) noexcept {
  return s.squared() - a - b;
}

/// y = -y if `negative`, for y of a point. Signs are random bits: no branch where one would cost more than it saves.
template <class P, class Isa> void negate_if(bool negative, Fp<P, Isa>& y) noexcept {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Isa, Adx>) {
    y = Fp<P, Isa>::from_montgomery(negated_if<P>(u64{0} - static_cast<u64>(negative), y.montgomery()));
    return;
  }
#endif
  if (negative) y = -y;
}
template <class B> void negate_if(bool negative, Fq2<B>& y) noexcept {
  if (negative) y = -y;
}

/// True for zero, and for one element in 2^64 that is not.
template <class P, class Isa> bool maybe_zero(const Fp<P, Isa>& a) noexcept { return a.montgomery().limb[0] == 0; }
template <class B> bool maybe_zero(const Fq2<B>& a) noexcept { return maybe_zero(a.c0) && maybe_zero(a.c1); }
template <class P, class Isa> bool maybe_equal(const Fp<P, Isa>& a, const Fp<P, Isa>& b) noexcept {
  return a.montgomery().limb[0] == b.montgomery().limb[0];
}
template <class B> bool maybe_equal(const Fq2<B>& a, const Fq2<B>& b) noexcept {
  return maybe_equal(a.c0, b.c0) && maybe_equal(a.c1, b.c1);
}

}  // namespace cuzk::affine_detail
