// Eight elements of a prime field at a time, with AVX-512 IFMA.
//
// A number is L digits of 52 bits (5 for elements of 4 limbs, 8 for those of 6), each digit a vector of eight numbers;
// VPMADD52 multiplies digits and adds the low or the high half. Gueron, Krasnov, Accelerating big integer arithmetic
// using Intel IFMA extensions (2016). Elements stay in memory as field/fp.h says, with R = 2^(64 N); a product of lanes
// divides by S = 2^(52 L) instead. Either one factor is shifted to the left by kShift = 52 L - 64 N bits when its limbs
// are spread over digits, and the product is the element's; or a kernel computes with the elements times R/S
// and corrects once (curve/batch_add_lanes_impl.h, poly/ntt_lanes_impl.h).
//
// Bounds. Lanes have digits below 2^52, the value of each as its user knows; Loose have signed digits below 2^60 and
// become Lanes by carries. product(a, b) < a b / S + p for any Lanes, and p is below S/32, so that factors below 4 p
// give less than 1.5 p. `reduced` ends below p.
//
// The functions are compiled for processors that the rest of the program need not run on: they are inlined into kernels
// that carry CUZK_IFMA_TARGET, which run where has_lanes() (field/isa.h). Thread-safety: pure functions.
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

// Without sanitizers: their checks of every digit would take minutes to compile. Loads and stores are intrinsics.
#if defined(__clang__)
#define CUZK_IFMA_TARGET gnu::target("avx512f,avx512ifma"), clang::no_sanitize("address", "undefined", "thread")
#else
#define CUZK_IFMA_TARGET gnu::target("avx512f,avx512ifma"), gnu::no_sanitize("address", "undefined", "thread")
#endif
#define CUZK_IFMA [[CUZK_IFMA_TARGET, gnu::always_inline]] inline

namespace cuzk::ifma {

inline constexpr std::size_t kLanes = 8;
inline constexpr unsigned kDigitBits = 52;
inline constexpr u64 kDigitMask = (u64{1} << kDigitBits) - 1;

CUZK_IFMA __m512i every_lane(u64 word) noexcept { return _mm512_set1_epi64(static_cast<long long>(word)); }
CUZK_IFMA __m512i low_digit(__m512i x) noexcept { return _mm512_and_si512(x, every_lane(kDigitMask)); }

/// The limbs of eight numbers.
template <std::size_t N> struct Limbs {
  __m512i limb[N];
};

/// Two rows of 32 bytes in one register.
CUZK_IFMA __m512i two_rows(const void* low, const void* high) noexcept {
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(static_cast<const __m256i*>(low))),
                            _mm256_loadu_si256(static_cast<const __m256i*>(high)), 1);
}
CUZK_IFMA void put_two_rows(void* low, void* high, __m512i rows) noexcept {
  _mm256_storeu_si256(static_cast<__m256i*>(low), _mm512_castsi512_si256(rows));
  _mm256_storeu_si256(static_cast<__m256i*>(high), _mm512_extracti64x4_epi64(rows, 1));
}

/// Rows of eight words to columns, which is its own inverse.
CUZK_IFMA void transpose(__m512i (&r)[8]) noexcept {
  __m512i t[8], u[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // t[i], t[4 + i]: even and odd words of the rows 2i and 2i + 1
    t[i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
    t[4 + i] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    u[i] = _mm512_shuffle_i64x2(t[2 * i], t[2 * i + 1], 0x44);
    u[4 + i] = _mm512_shuffle_i64x2(t[2 * i], t[2 * i + 1], 0xee);
  }
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd) {
    r[odd] = _mm512_shuffle_i64x2(u[2 * odd], u[2 * odd + 1], 0x88);
    r[2 + odd] = _mm512_shuffle_i64x2(u[2 * odd], u[2 * odd + 1], 0xdd);
    r[4 + odd] = _mm512_shuffle_i64x2(u[4 + 2 * odd], u[5 + 2 * odd], 0x88);
    r[6 + odd] = _mm512_shuffle_i64x2(u[4 + 2 * odd], u[5 + 2 * odd], 0xdd);
  }
}

/// Numbers of 4 limbs from eight places.
CUZK_IFMA void gather(const void* const* from, Limbs<4>& x) noexcept {
  const __m512i z0 = two_rows(from[0], from[2]), z1 = two_rows(from[1], from[3]);
  const __m512i z2 = two_rows(from[4], from[6]), z3 = two_rows(from[5], from[7]);
  const __m512i even01 = _mm512_unpacklo_epi64(z0, z1), odd01 = _mm512_unpackhi_epi64(z0, z1);
  const __m512i even23 = _mm512_unpacklo_epi64(z2, z3), odd23 = _mm512_unpackhi_epi64(z2, z3);
  x = {{_mm512_shuffle_i64x2(even01, even23, 0x88), _mm512_shuffle_i64x2(odd01, odd23, 0x88),
        _mm512_shuffle_i64x2(even01, even23, 0xdd), _mm512_shuffle_i64x2(odd01, odd23, 0xdd)}};
}
CUZK_IFMA void scatter(const Limbs<4>& x, void* const* to) noexcept {
  const __m512i even01 = _mm512_unpacklo_epi64(x.limb[0], x.limb[1]),
                odd01 = _mm512_unpackhi_epi64(x.limb[0], x.limb[1]);
  const __m512i even23 = _mm512_unpacklo_epi64(x.limb[2], x.limb[3]),
                odd23 = _mm512_unpackhi_epi64(x.limb[2], x.limb[3]);
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  put_two_rows(to[0], to[2], _mm512_permutex2var_epi64(even01, low, even23));
  put_two_rows(to[1], to[3], _mm512_permutex2var_epi64(odd01, low, odd23));
  put_two_rows(to[4], to[6], _mm512_permutex2var_epi64(even01, high, even23));
  put_two_rows(to[5], to[7], _mm512_permutex2var_epi64(odd01, high, odd23));
}

/// Numbers of 6 limbs.
CUZK_IFMA void gather(const void* const* from, Limbs<6>& x) noexcept {
  __m512i r[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) r[i] = _mm512_maskz_loadu_epi64(0x3f, from[i]);
  transpose(r);
  x = {{r[0], r[1], r[2], r[3], r[4], r[5]}};
}
CUZK_IFMA void scatter(const Limbs<6>& x, void* const* to) noexcept {
  const __m512i zero = _mm512_setzero_si512();
  __m512i r[8] = {x.limb[0], x.limb[1], x.limb[2], x.limb[3], x.limb[4], x.limb[5], zero, zero};
  transpose(r);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) _mm512_mask_storeu_epi64(to[i], 0x3f, r[i]);
}

/// Numbers that lie one behind the other.
template <std::size_t N> CUZK_IFMA Limbs<N> load(const BigInt<N>* from) noexcept {
  const void* rows[kLanes];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kLanes; ++i) rows[i] = from + i;
  Limbs<N> x;
  gather(rows, x);
  return x;
}
template <std::size_t N> CUZK_IFMA void store(const Limbs<N>& x, BigInt<N>* to) noexcept {
  void* rows[kLanes];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kLanes; ++i) rows[i] = to + i;
  scatter(x, rows);
}

/// What follows from the modulus of P.
template <class P> struct Digits {
  static constexpr std::size_t N = P::modulus.limbs;
  static constexpr std::size_t L = N == 4 ? 5 : 8;
  static constexpr unsigned kShift = kDigitBits * L - 64 * N;
  static_assert(kDigitBits * L >= P::modulus.bit_length() + 5, "p is below S/32");

  struct Constant {
    u64 digit[L];
  };
  /// k p, k < 8.
  static constexpr Constant multiple_of_p(u64 k) {
    Constant c{};
    u128 carry = 0;
    for (std::size_t j = 0; j < L; ++j) {
      const std::size_t bit = kDigitBits * j, limb = bit / 64, shift = bit % 64;
      u64 digit = P::modulus.limb[limb] >> shift;
      if (shift > 64 - kDigitBits && limb + 1 < N) digit |= P::modulus.limb[limb + 1] << (64 - shift);
      carry += static_cast<u128>(digit & kDigitMask) * k;
      c.digit[j] = static_cast<u64>(carry) & kDigitMask;
      carry >>= kDigitBits;
    }
    return c;
  }
  template <u64 K> static constexpr Constant kMultiple = multiple_of_p(K);
  /// -1/p mod 2^52.
  static constexpr u64 n0 = FpConstants<P>::n0 & kDigitMask;
};

template <class P> struct Lanes;

/// A sum of few Lanes, some of them negative, before its carries.
template <class P> struct Loose {
  static constexpr std::size_t L = Digits<P>::L;
  __m512i digit[L];

  template <u64 K> CUZK_IFMA Loose plus_p() const noexcept {
    Loose r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j)
      r.digit[j] = _mm512_add_epi64(digit[j], every_lane(Digits<P>::template kMultiple<K>.digit[j]));
    return r;
  }
  template <u64 K> CUZK_IFMA Loose minus_p_if(__mmask8 lanes) const noexcept {
    Loose r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j)
      r.digit[j] =
          _mm512_mask_sub_epi64(digit[j], lanes, digit[j], every_lane(Digits<P>::template kMultiple<K>.digit[j]));
    return r;
  }
  CUZK_IFMA Loose operator+(const Lanes<P>& b) const noexcept {
    Loose r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) r.digit[j] = _mm512_add_epi64(digit[j], b.digit[j]);
    return r;
  }
  CUZK_IFMA Loose operator-(const Lanes<P>& b) const noexcept {
    Loose r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) r.digit[j] = _mm512_sub_epi64(digit[j], b.digit[j]);
    return r;
  }

  /// precondition: the value is in [0, S).
  CUZK_IFMA Lanes<P> carried() const noexcept {
    Lanes<P> r;
    __m512i carry = digit[0];
#pragma GCC unroll 8
    for (std::size_t j = 0; j + 1 < L; ++j) {
      r.digit[j] = low_digit(carry);
      carry = _mm512_add_epi64(digit[j + 1], _mm512_srai_epi64(carry, kDigitBits));
    }
    r.digit[L - 1] = carry;
    return r;
  }

  /// The value modulo 2 p by its highest digit alone: below 2 p + max(e, 2^(52 (L - 1) + 2)) for one in
  /// [0, Bound p + e), Bound 4 or 6.
  template <u64 Bound> CUZK_IFMA Lanes<P> below_2p() const noexcept {
    static_assert(Bound == 4 || Bound == 6);
    const __m512i top = highest();
    Loose r = minus_p_if<2>(exceeds<2>(top));
    if constexpr (Bound == 6) r = r.template minus_p_if<2>(exceeds<4>(top));
    return r.carried();
  }

  /// The value modulo p, below p. precondition: in [0, Bound p), Bound <= 4.
  template <u64 Bound> CUZK_IFMA Lanes<P> reduced() const noexcept {
    const Loose below_2p = nearly_reduced<Bound>();
    __m512i carry = _mm512_sub_epi64(below_2p.digit[0], every_lane(Digits<P>::template kMultiple<1>.digit[0]));
#pragma GCC unroll 8
    for (std::size_t j = 1; j < L; ++j)
      carry =
          _mm512_add_epi64(_mm512_sub_epi64(below_2p.digit[j], every_lane(Digits<P>::template kMultiple<1>.digit[j])),
                           _mm512_srai_epi64(carry, kDigitBits));
    return below_2p.template minus_p_if<1>(_mm512_cmpge_epi64_mask(carry, _mm512_setzero_si512())).carried();
  }

 private:
  CUZK_IFMA __m512i highest() const noexcept {
    return _mm512_add_epi64(digit[L - 1], _mm512_srai_epi64(digit[L - 2], kDigitBits));
  }
  /// By the highest digit alone. Without the carries from the third one down it is off by at most one, so a multiple
  /// that it exceeds by two or more is taken off, and one that stays is exceeded by less than 3 2^(52 (L - 1)).
  template <u64 Bound> CUZK_IFMA Loose nearly_reduced() const noexcept {
    static_assert(Bound >= 2 && Bound <= 4);
    if constexpr (Bound == 2) {
      return *this;
    } else {
      const __m512i top = highest();
      Loose r = minus_p_if<1>(exceeds<1>(top));
      r = r.template minus_p_if<1>(exceeds<2>(top));
      if constexpr (Bound == 4) r = r.template minus_p_if<1>(exceeds<3>(top));
      return r;
    }
  }
  template <u64 K> CUZK_IFMA static __mmask8 exceeds(__m512i top) noexcept {
    return _mm512_cmpgt_epi64_mask(top, every_lane(Digits<P>::template kMultiple<K>.digit[L - 1] + 1));
  }
};

/// Eight numbers below S.
template <class P> struct Lanes {
  using D = Digits<P>;
  static constexpr std::size_t L = D::L;
  __m512i digit[L];

  /// 2^Shift times the numbers.
  template <unsigned Shift = 0> CUZK_IFMA static Lanes from_limbs(const Limbs<D::N>& x) noexcept {
    static_assert(Shift <= D::kShift && Shift < kDigitBits);
    Lanes r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) {
      // Bits [52 j - Shift, 52 (j + 1) - Shift) of x.
      if (j == 0) {
        r.digit[0] = low_digit(_mm512_slli_epi64(x.limb[0], Shift));
        continue;
      }
      const unsigned bit = kDigitBits * static_cast<unsigned>(j) - Shift, limb = bit / 64, offset = bit % 64;
      __m512i v = _mm512_srli_epi64(x.limb[limb], offset);
      if (offset > 64 - kDigitBits && limb + 1 < D::N)
        v = _mm512_or_si512(v, _mm512_slli_epi64(x.limb[limb + 1], 64 - offset));
      r.digit[j] = offset == 64 - kDigitBits || (limb + 1 == D::N && offset > 64 - kDigitBits) ? v : low_digit(v);
    }
    return r;
  }
  /// precondition: below 2^(64 N).
  CUZK_IFMA Limbs<D::N> limbs() const noexcept {
    Limbs<D::N> r;
#pragma GCC unroll 6
    for (std::size_t i = 0; i < D::N; ++i) {
      const unsigned bit = 64 * static_cast<unsigned>(i), first = bit / kDigitBits, offset = bit % kDigitBits;
      __m512i v = _mm512_srli_epi64(digit[first], offset);
      v = _mm512_or_si512(v, _mm512_slli_epi64(digit[first + 1], kDigitBits - offset));
      if (2 * kDigitBits - offset < 64 && first + 2 < L)
        v = _mm512_or_si512(v, _mm512_slli_epi64(digit[first + 2], 2 * kDigitBits - offset));
      r.limb[i] = v;
    }
    return r;
  }
  /// 2^Shift times the numbers. precondition: the result is below S.
  template <unsigned Shift> CUZK_IFMA Lanes shifted() const noexcept {
    Lanes r;
    r.digit[0] = low_digit(_mm512_slli_epi64(digit[0], Shift));
#pragma GCC unroll 8
    for (std::size_t j = 1; j < L; ++j)
      r.digit[j] = low_digit(
          _mm512_or_si512(_mm512_slli_epi64(digit[j], Shift), _mm512_srli_epi64(digit[j - 1], kDigitBits - Shift)));
    return r;
  }

  CUZK_IFMA Loose<P> loose() const noexcept {
    Loose<P> r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) r.digit[j] = digit[j];
    return r;
  }
  CUZK_IFMA Loose<P> operator+(const Lanes& b) const noexcept { return loose() + b; }
  CUZK_IFMA Loose<P> operator-(const Lanes& b) const noexcept { return loose() - b; }
};

/// (x + m p) / 2^52 of the lowest L + 1 columns for the m that makes it exact: adds what it adds to columns 1 .. L.
template <class P> CUZK_IFMA void reduce_column(__m512i* x) noexcept {
  using D = Digits<P>;
  constexpr auto& p = D::template kMultiple<1>;
  const __m512i m = _mm512_madd52lo_epu64(_mm512_setzero_si512(), x[0], every_lane(D::n0));
  const __m512i carry = _mm512_srli_epi64(_mm512_madd52lo_epu64(x[0], m, every_lane(p.digit[0])), kDigitBits);
#pragma GCC unroll 8
  for (std::size_t j = 1; j < D::L; ++j) x[j] = _mm512_madd52lo_epu64(x[j], m, every_lane(p.digit[j]));
#pragma GCC unroll 8
  for (std::size_t j = 0; j < D::L; ++j) x[j + 1] = _mm512_madd52hi_epu64(x[j + 1], m, every_lane(p.digit[j]));
  x[1] = _mm512_add_epi64(x[1], carry);
}

/// a b / S modulo p, below a b / S + p; before its carries.
template <class P> CUZK_IFMA Loose<P> loose_product(const Lanes<P>& a, const Lanes<P>& b) noexcept {
  constexpr std::size_t L = Digits<P>::L;
  __m512i t[2 * L];
#pragma GCC unroll 16
  for (__m512i& column : t) column = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (std::size_t i = 0; i < L; ++i) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.digit[j], b.digit[i]);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.digit[j], b.digit[i]);
    reduce_column<P>(t + i);
  }
  Loose<P> r;
#pragma GCC unroll 8
  for (std::size_t j = 0; j < L; ++j) r.digit[j] = t[L + j];
  return r;
}
template <class P> CUZK_IFMA Lanes<P> product(const Lanes<P>& a, const Lanes<P>& b) noexcept {
  return loose_product(a, b).carried();
}

/// product(a, a): products of two different digits are made once and doubled.
template <class P> CUZK_IFMA Loose<P> loose_square(const Lanes<P>& a) noexcept {
  constexpr std::size_t L = Digits<P>::L;
  __m512i t[2 * L];
#pragma GCC unroll 16
  for (__m512i& column : t) column = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (std::size_t i = 0; i < L; ++i) {
#pragma GCC unroll 8
    for (std::size_t j = i + 1; j < L; ++j) {
      t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.digit[j], a.digit[i]);
      t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.digit[j], a.digit[i]);
    }
  }
#pragma GCC unroll 16
  for (__m512i& column : t) column = _mm512_add_epi64(column, column);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < L; ++i) {
    t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a.digit[i], a.digit[i]);
    t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a.digit[i], a.digit[i]);
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < L; ++i) reduce_column<P>(t + i);
  Loose<P> r;
#pragma GCC unroll 8
  for (std::size_t j = 0; j < L; ++j) r.digit[j] = t[L + j];
  return r;
}
template <class P> CUZK_IFMA Lanes<P> square(const Lanes<P>& a) noexcept { return loose_square(a).carried(); }

}  // namespace cuzk::ifma

#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
