// Conversions of eight field elements at a time with AVX-512 IFMA: private to fp_batch_inst.cpp.
//
// Elements of 4 limbs become five digits of 52 bits, each digit a vector of eight elements; VPMADD52 multiplies digits.
// Gueron, Krasnov, Accelerating big integer arithmetic using Intel IFMA extensions (2016). Precondition:
// cpu_features().avx512_ifma. Thread-safety: pure functions.
#pragma once

#include "field/fp.h"

#if defined(__x86_64__)

// g++ 12 warns of its own intrinsics' unused operands (GCC bug 105593, mended in 13).
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#pragma GCC diagnostic ignored "-Wuninitialized"

#include <immintrin.h>

namespace cuzk::ifma {

#define CUZK_TARGET_IFMA gnu::target("avx512f,avx512ifma")

inline constexpr std::size_t kLanes = 8;
inline constexpr u64 kDigitMask = (u64{1} << 52) - 1;

/// Limb i of eight elements, in an order of lanes that store() undoes.
struct Limbs {
  __m512i l0, l1, l2, l3;
};

[[CUZK_TARGET_IFMA]] inline Limbs load(const void* elements) noexcept {
  const auto* const from = static_cast<const std::byte*>(elements);
  const __m512i z0 = _mm512_loadu_si512(from), z1 = _mm512_loadu_si512(from + 64);
  const __m512i z2 = _mm512_loadu_si512(from + 128), z3 = _mm512_loadu_si512(from + 192);
  const __m512i even01 = _mm512_unpacklo_epi64(z0, z1), odd01 = _mm512_unpackhi_epi64(z0, z1);
  const __m512i even23 = _mm512_unpacklo_epi64(z2, z3), odd23 = _mm512_unpackhi_epi64(z2, z3);
  return {_mm512_shuffle_i64x2(even01, even23, 0x88), _mm512_shuffle_i64x2(odd01, odd23, 0x88),
          _mm512_shuffle_i64x2(even01, even23, 0xdd), _mm512_shuffle_i64x2(odd01, odd23, 0xdd)};
}

[[CUZK_TARGET_IFMA]] inline void store(void* elements, const Limbs& limbs) noexcept {
  auto* const to = static_cast<std::byte*>(elements);
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  const __m512i even01 = _mm512_permutex2var_epi64(limbs.l0, low, limbs.l2);
  const __m512i odd01 = _mm512_permutex2var_epi64(limbs.l1, low, limbs.l3);
  const __m512i even23 = _mm512_permutex2var_epi64(limbs.l0, high, limbs.l2);
  const __m512i odd23 = _mm512_permutex2var_epi64(limbs.l1, high, limbs.l3);
  _mm512_storeu_si512(to, _mm512_unpacklo_epi64(even01, odd01));
  _mm512_storeu_si512(to + 64, _mm512_unpackhi_epi64(even01, odd01));
  _mm512_storeu_si512(to + 128, _mm512_unpacklo_epi64(even23, odd23));
  _mm512_storeu_si512(to + 192, _mm512_unpackhi_epi64(even23, odd23));
}

/// Five digits of eight numbers; between steps a digit may exceed 52 bits.
struct Digits {
  __m512i d0, d1, d2, d3, d4;
};

[[CUZK_TARGET_IFMA]] inline __m512i every_lane(u64 digit) noexcept {
  return _mm512_set1_epi64(static_cast<long long>(digit & kDigitMask));
}
[[CUZK_TARGET_IFMA]] inline __m512i low_digit(__m512i x) noexcept {
  return _mm512_and_si512(x, every_lane(kDigitMask));
}
/// Moves what is above the digit into the next one.
[[CUZK_TARGET_IFMA]] inline void carry(__m512i& from, __m512i& to) noexcept {
  to = _mm512_add_epi64(to, _mm512_srli_epi64(from, 52));
  from = low_digit(from);
}

/// 16 x
[[CUZK_TARGET_IFMA]] inline Digits digits_of_16(const Limbs& x) noexcept {
  return {low_digit(_mm512_slli_epi64(x.l0, 4)),
          low_digit(_mm512_or_si512(_mm512_srli_epi64(x.l0, 48), _mm512_slli_epi64(x.l1, 16))),
          low_digit(_mm512_or_si512(_mm512_srli_epi64(x.l1, 36), _mm512_slli_epi64(x.l2, 28))),
          low_digit(_mm512_or_si512(_mm512_srli_epi64(x.l2, 24), _mm512_slli_epi64(x.l3, 40))),
          _mm512_srli_epi64(x.l3, 12)};
}

[[CUZK_TARGET_IFMA]] inline Limbs limbs_of(Digits d) noexcept {
  carry(d.d0, d.d1);
  carry(d.d1, d.d2);
  carry(d.d2, d.d3);
  carry(d.d3, d.d4);
  return {_mm512_or_si512(d.d0, _mm512_slli_epi64(d.d1, 52)),
          _mm512_or_si512(_mm512_srli_epi64(d.d1, 12), _mm512_slli_epi64(d.d2, 40)),
          _mm512_or_si512(_mm512_srli_epi64(d.d2, 24), _mm512_slli_epi64(d.d3, 28)),
          _mm512_or_si512(_mm512_srli_epi64(d.d3, 36), _mm512_slli_epi64(d.d4, 16))};
}

/// The modulus and -1/p mod 2^52 in every lane.
struct Modulus {
  __m512i p0, p1, p2, p3, p4, n0;

  template <class F> [[CUZK_TARGET_IFMA]] static Modulus of() noexcept {
    constexpr auto p = F::modulus.limb;
    return {every_lane(p[0]),
            every_lane(p[0] >> 52 | p[1] << 12),
            every_lane(p[1] >> 40 | p[2] << 24),
            every_lane(p[2] >> 28 | p[3] << 36),
            every_lane(p[3] >> 16),
            every_lane(F::Constants::n0)};
  }
};

/// (x + m p) / 2^52 for the m that makes it exact.
[[CUZK_TARGET_IFMA]] inline void reduce_digit(Digits& x, const Modulus& p) noexcept {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i m = _mm512_madd52lo_epu64(zero, x.d0, p.n0);
  const __m512i carry = _mm512_srli_epi64(_mm512_madd52lo_epu64(x.d0, m, p.p0), 52);
  x.d0 = _mm512_add_epi64(_mm512_madd52hi_epu64(_mm512_madd52lo_epu64(x.d1, m, p.p1), m, p.p0), carry);
  x.d1 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(x.d2, m, p.p2), m, p.p1);
  x.d2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(x.d3, m, p.p3), m, p.p2);
  x.d3 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(x.d4, m, p.p4), m, p.p3);
  x.d4 = _mm512_madd52hi_epu64(zero, m, p.p4);
}

/// Canonical values of whole groups of eight elements; returns how many elements that were. A reduction divides by
/// 2^260, so 16 x is reduced: x / 2^256. The result (16 x + m p) / 2^260 is below p: m < 2^260, and p itself would need
/// that p divides 16 x.
template <class F>
[[CUZK_TARGET_IFMA]] inline std::size_t to_canonical(typename F::Repr* out, const F* in, std::size_t count) noexcept {
  const Modulus p = Modulus::of<F>();
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    Digits x = digits_of_16(load(in + i));
    for (int digit = 0; digit < 5; ++digit) reduce_digit(x, p);
    store(out + i, limbs_of(x));
  }
  return whole;
}

#undef CUZK_TARGET_IFMA

}  // namespace cuzk::ifma

#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
