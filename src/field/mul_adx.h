// Montgomery products for x86-64 with BMI2 and ADX (inline assembly, AT&T syntax).
//
// CIOS, one row per limb of b: t += a b_i; t = (t + m p) / 2^64 with m = -t_0 / p mod 2^64. Each row runs two carry
// chains side by side, the low halves through OF (ADOX) and the high halves through CF (ADCX); MULX leaves both flags
// alone (Ozturk, Guilford, Gopal, Feghali: New instructions supporting large integer arithmetic, Intel 2012). No row
// needs a carry word, since the top bit of p is free (fp.h). Nothing is moved: the register that a reduction has just
// emptied becomes the next top limb.
//
// A square of 6 limbs takes every cross term once: row i adds a_i 2^(64 i) (a_i + 2 (a_(i+1) 2^64 + ...)) before it
// reduces, which needs p < 2^(64 N - 2) so that no carry word appears.
//
// Inputs below p, results below 2p: the caller subtracts p once (limb_ops.h). C is FpConstants<P>. Branch-free.
#pragma once

#include "field/big_int.h"

#if defined(__x86_64__)

namespace cuzk::adx {

// clang-format off

// hi:lo = rdx * src; low_into += lo + OF; high_into += hi + CF.
#define CUZK_ADX_STEP(src, low_into, high_into)  \
  "mulx " src ", %[lo], %[hi]\n\t"               \
  "adox %[lo], " low_into "\n\t"                 \
  "adcx %[hi], " high_into "\n\t"

// The end of a row whose highest product starts a new top limb: takes up both carries.
#define CUZK_ADX_LAST_STEP(src, low_into, top)  \
  "mulx " src ", %[lo], " top "\n\t"            \
  "adox %[lo], " low_into "\n\t"                \
  "mov $0, %k[lo]\n\t"                          \
  "adcx %[lo], " top "\n\t"                     \
  "adox %[lo], " top "\n\t"

#define CUZK_ADX_CLEAR_FLAGS "xor %k[lo], %k[lo]\n\t"

// rdx = m for the reduction of the limb t0.
#define CUZK_ADX_QUOTIENT(t0)  \
  "mov " t0 ", %%rdx\n\t"      \
  "imul %[n0], %%rdx\n\t"      \
  CUZK_ADX_CLEAR_FLAGS

// (t4, .., t0) = (a_3, .., a_0) b_0, CF still to be added to t4: the first row starts from nothing.
#define CUZK_ADX_FIRST_PRODUCTS      \
  "mov (%[b]), %%rdx\n\t"            \
  "mulx (%[a]), %[t0], %[t1]\n\t"    \
  "mulx 8(%[a]), %[lo], %[t2]\n\t"   \
  "add %[lo], %[t1]\n\t"             \
  "mulx 16(%[a]), %[lo], %[t3]\n\t"  \
  "adc %[lo], %[t2]\n\t"             \
  "mulx 24(%[a]), %[lo], %[t4]\n\t"  \
  "adc %[lo], %[t3]\n\t"

// (top, t(N-1), .., t0) = a b_i + (t(N-1), .., t0); b_i at `offset`.
#define CUZK_ADX_ACCUMULATE_4(offset, t0, t1, t2, t3, top)  \
  "mov " offset "(%[b]), %%rdx\n\t"                         \
  CUZK_ADX_CLEAR_FLAGS                                      \
  CUZK_ADX_STEP("(%[a])", t0, t1)                           \
  CUZK_ADX_STEP("8(%[a])", t1, t2)                          \
  CUZK_ADX_STEP("16(%[a])", t2, t3)                         \
  CUZK_ADX_LAST_STEP("24(%[a])", t3, top)

#define CUZK_ADX_ACCUMULATE_6(offset, t0, t1, t2, t3, t4, t5, top)  \
  "mov " offset "(%[b]), %%rdx\n\t"                                 \
  CUZK_ADX_CLEAR_FLAGS                                              \
  CUZK_ADX_STEP("(%[a])", t0, t1)                                   \
  CUZK_ADX_STEP("8(%[a])", t1, t2)                                  \
  CUZK_ADX_STEP("16(%[a])", t2, t3)                                 \
  CUZK_ADX_STEP("24(%[a])", t3, t4)                                 \
  CUZK_ADX_STEP("32(%[a])", t4, t5)                                 \
  CUZK_ADX_LAST_STEP("40(%[a])", t5, top)

// (top, .., t1) = ((top, .., t0) + m p) / 2^64 and t0 = 0.
#define CUZK_ADX_REDUCE_4(t0, t1, t2, t3, top)  \
  CUZK_ADX_QUOTIENT(t0)                         \
  CUZK_ADX_STEP("%[p0]", t0, t1)                \
  CUZK_ADX_STEP("%[p1]", t1, t2)                \
  CUZK_ADX_STEP("%[p2]", t2, t3)                \
  CUZK_ADX_STEP("%[p3]", t3, top)               \
  "adox " t0 ", " top "\n\t"

#define CUZK_ADX_REDUCE_6(t0, t1, t2, t3, t4, t5, top)  \
  CUZK_ADX_QUOTIENT(t0)                                 \
  CUZK_ADX_STEP("%[p0]", t0, t1)                        \
  CUZK_ADX_STEP("%[p1]", t1, t2)                        \
  CUZK_ADX_STEP("%[p2]", t2, t3)                        \
  CUZK_ADX_STEP("%[p3]", t3, t4)                        \
  CUZK_ADX_STEP("%[p4]", t4, t5)                        \
  CUZK_ADX_STEP("%[p5]", t5, top)                       \
  "adox " t0 ", " top "\n\t"

// hi = 2 a_(i+1) without the bit from a_i; LEA leaves the flags alone.
#define CUZK_ADX_DOUBLED_LIMB(offset)  \
  "mov " offset "(%[a]), %[hi]\n\t"    \
  "lea (%[hi], %[hi]), %[hi]\n\t"

// A row of a square begins with a_i^2 and 2 a_i a_(i+1).
#define CUZK_ADX_DIAGONAL(offset, next_offset, t0, t1, t2)  \
  "mov " offset "(%[a]), %%rdx\n\t"                         \
  CUZK_ADX_CLEAR_FLAGS                                      \
  CUZK_ADX_STEP("%%rdx", t0, t1)                            \
  CUZK_ADX_DOUBLED_LIMB(next_offset)                        \
  CUZK_ADX_STEP("%[hi]", t1, t2)

#define CUZK_ADX_CONSTANTS_4                                        \
  [n0] "m"(C::n0), [p0] "m"(C::p.limb[0]), [p1] "m"(C::p.limb[1]),  \
  [p2] "m"(C::p.limb[2]), [p3] "m"(C::p.limb[3])
#define CUZK_ADX_CONSTANTS_6 CUZK_ADX_CONSTANTS_4, [p4] "m"(C::p.limb[4]), [p5] "m"(C::p.limb[5])

// clang-format on

template <class C> inline BigInt<4> mul(const BigInt<4>& a, const BigInt<4>& b) noexcept {
  u64 t0, t1, t2, t3, t4, lo, hi;
  // clang-format off
  __asm__ inline(
      CUZK_ADX_FIRST_PRODUCTS
      "adc $0, %[t4]\n\t"
      CUZK_ADX_REDUCE_4("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
      CUZK_ADX_ACCUMULATE_4("8", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t0]")
      CUZK_ADX_REDUCE_4("%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t0]")
      CUZK_ADX_ACCUMULATE_4("16", "%[t2]", "%[t3]", "%[t4]", "%[t0]", "%[t1]")
      CUZK_ADX_REDUCE_4("%[t2]", "%[t3]", "%[t4]", "%[t0]", "%[t1]")
      CUZK_ADX_ACCUMULATE_4("24", "%[t3]", "%[t4]", "%[t0]", "%[t1]", "%[t2]")
      CUZK_ADX_REDUCE_4("%[t3]", "%[t4]", "%[t0]", "%[t1]", "%[t2]")
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(&a), [b] "r"(&b), "m"(a), "m"(b), CUZK_ADX_CONSTANTS_4
      : "rdx", "cc");
  // clang-format on
  return {{t4, t0, t1, t2}};
}

template <class C> inline BigInt<6> mul(const BigInt<6>& a, const BigInt<6>& b) noexcept {
  u64 t0, t1, t2, t3, t4, t5, t6, lo, hi;
  // clang-format off
  __asm__ inline(
      CUZK_ADX_FIRST_PRODUCTS
      "mulx 32(%[a]), %[lo], %[t5]\n\t"
      "adc %[lo], %[t4]\n\t"
      "mulx 40(%[a]), %[lo], %[t6]\n\t"
      "adc %[lo], %[t5]\n\t"
      "adc $0, %[t6]\n\t"
      CUZK_ADX_REDUCE_6("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
      CUZK_ADX_ACCUMULATE_6("8", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]")
      CUZK_ADX_REDUCE_6("%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]")
      CUZK_ADX_ACCUMULATE_6("16", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]")
      CUZK_ADX_REDUCE_6("%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]")
      CUZK_ADX_ACCUMULATE_6("24", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]")
      CUZK_ADX_REDUCE_6("%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]")
      CUZK_ADX_ACCUMULATE_6("32", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]", "%[t3]")
      CUZK_ADX_REDUCE_6("%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]", "%[t3]")
      CUZK_ADX_ACCUMULATE_6("40", "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
      CUZK_ADX_REDUCE_6("%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5), [t6] "=&r"(t6),
        [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(&a), [b] "r"(&b), "m"(a), "m"(b), CUZK_ADX_CONSTANTS_6
      : "rdx", "cc");
  // clang-format on
  return {{t6, t0, t1, t2, t3, t4}};
}

/// No special square: both are bound by the additions with carry, of which a square needs as many (measured: equal).
template <class C> inline BigInt<4> sqr(const BigInt<4>& a) noexcept { return mul<C>(a, a); }

template <class C> inline BigInt<6> sqr(const BigInt<6>& a) noexcept {
  static_assert(C::modulus.limb[5] >> 62 == 0, "row 0 adds up to 2 a 2^64");
  u64 t0, t1, t2, t3, t4, t5, t6, lo, hi;
  u64 twice[4];  // limbs 2..5 of 2 a
  for (std::size_t i = 0; i < 4; ++i) twice[i] = a.limb[i + 2] << 1 | a.limb[i + 1] >> 63;
  // clang-format off
  __asm__ inline(
      "mov (%[a]), %%rdx\n\t"
      "mulx %%rdx, %[t0], %[t1]\n\t"
      CUZK_ADX_DOUBLED_LIMB("8")
      "mulx %[hi], %[lo], %[t2]\n\t"
      "add %[lo], %[t1]\n\t"
      "mulx (%[twice]), %[lo], %[t3]\n\t"
      "adc %[lo], %[t2]\n\t"
      "mulx 8(%[twice]), %[lo], %[t4]\n\t"
      "adc %[lo], %[t3]\n\t"
      "mulx 16(%[twice]), %[lo], %[t5]\n\t"
      "adc %[lo], %[t4]\n\t"
      "mulx 24(%[twice]), %[lo], %[t6]\n\t"
      "adc %[lo], %[t5]\n\t"
      "adc $0, %[t6]\n\t"
      CUZK_ADX_REDUCE_6("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
      CUZK_ADX_DIAGONAL("8", "16", "%[t2]", "%[t3]", "%[t4]")
      CUZK_ADX_STEP("8(%[twice])", "%[t4]", "%[t5]")
      CUZK_ADX_STEP("16(%[twice])", "%[t5]", "%[t6]")
      CUZK_ADX_LAST_STEP("24(%[twice])", "%[t6]", "%[t0]")
      CUZK_ADX_REDUCE_6("%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]")
      CUZK_ADX_DIAGONAL("16", "24", "%[t4]", "%[t5]", "%[t6]")
      CUZK_ADX_STEP("16(%[twice])", "%[t6]", "%[t0]")
      CUZK_ADX_LAST_STEP("24(%[twice])", "%[t0]", "%[t1]")
      CUZK_ADX_REDUCE_6("%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]")
      CUZK_ADX_DIAGONAL("24", "32", "%[t6]", "%[t0]", "%[t1]")
      CUZK_ADX_LAST_STEP("24(%[twice])", "%[t1]", "%[t2]")
      CUZK_ADX_REDUCE_6("%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]")
      "mov 32(%[a]), %%rdx\n\t"
      CUZK_ADX_CLEAR_FLAGS
      CUZK_ADX_STEP("%%rdx", "%[t1]", "%[t2]")
      CUZK_ADX_DOUBLED_LIMB("40")
      CUZK_ADX_LAST_STEP("%[hi]", "%[t2]", "%[t3]")
      CUZK_ADX_REDUCE_6("%[t4]", "%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]", "%[t3]")
      "mov 40(%[a]), %%rdx\n\t"
      "mulx %%rdx, %[lo], %[t4]\n\t"
      "add %[lo], %[t3]\n\t"
      "adc $0, %[t4]\n\t"
      CUZK_ADX_REDUCE_6("%[t5]", "%[t6]", "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5), [t6] "=&r"(t6),
        [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(&a), [twice] "r"(twice), "m"(a), "m"(twice), CUZK_ADX_CONSTANTS_6
      : "rdx", "cc");
  // clang-format on
  return {{t6, t0, t1, t2, t3, t4}};
}

#undef CUZK_ADX_DIAGONAL
#undef CUZK_ADX_DOUBLED_LIMB
#undef CUZK_ADX_CONSTANTS_6
#undef CUZK_ADX_CONSTANTS_4
#undef CUZK_ADX_REDUCE_6
#undef CUZK_ADX_REDUCE_4
#undef CUZK_ADX_ACCUMULATE_6
#undef CUZK_ADX_ACCUMULATE_4
#undef CUZK_ADX_FIRST_PRODUCTS
#undef CUZK_ADX_QUOTIENT
#undef CUZK_ADX_CLEAR_FLAGS
#undef CUZK_ADX_LAST_STEP
#undef CUZK_ADX_STEP

}  // namespace cuzk::adx

#endif
