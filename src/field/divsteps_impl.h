// Modular inverse by division steps (Bernstein, Yang: Fast constant-time gcd computation and modular inversion, 2019,
// https://eprint.iacr.org/2019/266, sections 8 to 11), in a variable-time form.
//
// State: f, g with f odd, starting at p, x, and d, e with d x = f, e x = g modulo p. A step divides g by 2, after
// adding f if g is odd, or first replaces (f, g) by (g, -f) when that shortens the way; g reaches 0 with f = +-gcd. 62
// steps at a time depend on the low 64 bits of f and g alone: they are gathered in a matrix of four 63-bit integers,
// which is then applied to the long f, g (exactly divisible by 2^62) and d, e (made divisible by adding a multiple of
// p). Runs of zero bits are taken at once, and up to 6 low bits of g are cleared with one multiple of f.
//
// Long numbers are limbs of 62 bits, least significant first; all but the top limb are in [0, 2^62), the top one is
// signed. Allocation-free. Not constant time.
#pragma once

#include <algorithm>

#include "field/big_int.h"

namespace cuzk::divsteps {

using i64 = std::int64_t;
__extension__ typedef __int128 i128;

inline constexpr unsigned kSteps = 62;
inline constexpr u64 kLimbMask = (u64{1} << kSteps) - 1;

/// Signed, with room for (-2^(64 N + 1), 2^(64 N + 1)).
template <std::size_t N> struct Long {
  static constexpr std::size_t limbs = (64 * N + 2 + kSteps - 1) / kSteps;
  i64 limb[limbs];

  static constexpr Long from(const BigInt<N>& v) noexcept {
    Long r{};
    for (std::size_t i = 0; i < limbs; ++i) {
      const std::size_t at = kSteps * i / 64;
      const unsigned shift = kSteps * static_cast<unsigned>(i) % 64;
      u64 bits = at < N ? v.limb[at] >> shift : 0;
      if (shift > 64 - kSteps && at + 1 < N) bits |= v.limb[at + 1] << (64 - shift);
      r.limb[i] = static_cast<i64>(bits & kLimbMask);
    }
    return r;
  }

  /// precondition: 0 <= value < 2^(64 N).
  BigInt<N> to_big_int() const noexcept {
    BigInt<N> r{};
    for (std::size_t i = 0; i < limbs; ++i) {
      const std::size_t at = kSteps * i / 64;
      const unsigned shift = kSteps * static_cast<unsigned>(i) % 64;
      const u64 bits = static_cast<u64>(limb[i]);
      if (at < N) r.limb[at] |= bits << shift;
      if (shift > 64 - kSteps && at + 1 < N) r.limb[at + 1] |= bits >> (64 - shift);
    }
    return r;
  }

  bool negative() const noexcept { return limb[limbs - 1] < 0; }

  /// *this = sign * *this + addend, carried through.
  void combine(i64 sign, const Long& addend) noexcept {
    i64 carry = 0;
    for (std::size_t i = 0; i < limbs; ++i) {
      const i64 t = sign * limb[i] + addend.limb[i] + carry;
      limb[i] = i + 1 < limbs ? static_cast<i64>(static_cast<u64>(t) & kLimbMask) : t;
      carry = t >> kSteps;
    }
  }
};

/// 2^62 (f', g') = (u f + v g, q f + r g); |u| + |v| <= 2^62, |q| + |r| <= 2^62.
struct Matrix {
  i64 u, v, q, r;
};

/// kSteps division steps on the low bits of f and g; `eta` is -delta of the paper and is carried from batch to batch.
inline Matrix steps(i64& eta, u64 f, u64 g) noexcept {
  u64 u = 1, v = 0, q = 0, r = 1;  // signed values modulo 2^64
  unsigned left = kSteps;
  for (;;) {
    const unsigned zeros = static_cast<unsigned>(std::countr_zero(g | ~u64{0} << left));
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    eta -= zeros;
    left -= zeros;
    if (left == 0) break;
    if (eta < 0) {
      eta = -eta;
      u64 t = f;
      f = g;
      g = ~t + 1;
      t = u;
      u = q;
      q = ~t + 1;
      t = v;
      v = r;
      r = ~t + 1;
    }
    // As many low bits as steps may pass before the next exchange, at most 6: f (f^2 - 2) = -1/f modulo 2^6.
    const unsigned bits = std::min({static_cast<unsigned>(std::min<i64>(eta + 1, 6)), left});
    const u64 multiple = g * f * (f * f - 2) & ((u64{1} << bits) - 1);
    g += f * multiple;
    q += u * multiple;
    r += v * multiple;
  }
  return {static_cast<i64>(u), static_cast<i64>(v), static_cast<i64>(q), static_cast<i64>(r)};
}

/// (f, g) = t (f, g) / 2^62 on `length` limbs.
template <std::size_t N> void apply(const Matrix& t, Long<N>& f, Long<N>& g, std::size_t length) noexcept {
  i128 cf = 0, cg = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const i64 fi = f.limb[i], gi = g.limb[i];
    cf += static_cast<i128>(t.u) * fi + static_cast<i128>(t.v) * gi;
    cg += static_cast<i128>(t.q) * fi + static_cast<i128>(t.r) * gi;
    if (i > 0) {
      f.limb[i - 1] = static_cast<i64>(static_cast<u64>(cf) & kLimbMask);
      g.limb[i - 1] = static_cast<i64>(static_cast<u64>(cg) & kLimbMask);
    }
    cf >>= kSteps;
    cg >>= kSteps;
  }
  f.limb[length - 1] = static_cast<i64>(cf);
  g.limb[length - 1] = static_cast<i64>(cg);
}

/// (d, e) = t (d, e) / 2^62 modulo p, both kept in (-2p, p).
template <std::size_t N>
void apply_modulo(const Matrix& t, Long<N>& d, Long<N>& e, const Long<N>& p, u64 inverse_of_p) noexcept {
  const i64 d_sign = d.limb[Long<N>::limbs - 1] >> 63, e_sign = e.limb[Long<N>::limbs - 1] >> 63;
  // Multiples of p to add: first those that lift negative d, e into (-p, p), then less than 2^62 more, downwards, so
  // that the low 62 bits vanish.
  i64 md = (t.u & d_sign) + (t.v & e_sign);
  i64 me = (t.q & d_sign) + (t.r & e_sign);
  i128 cd = static_cast<i128>(t.u) * d.limb[0] + static_cast<i128>(t.v) * e.limb[0];
  i128 ce = static_cast<i128>(t.q) * d.limb[0] + static_cast<i128>(t.r) * e.limb[0];
  md -= static_cast<i64>((inverse_of_p * static_cast<u64>(cd) + static_cast<u64>(md)) & kLimbMask);
  me -= static_cast<i64>((inverse_of_p * static_cast<u64>(ce) + static_cast<u64>(me)) & kLimbMask);
  cd += static_cast<i128>(p.limb[0]) * md;
  ce += static_cast<i128>(p.limb[0]) * me;
  cd >>= kSteps;
  ce >>= kSteps;
  for (std::size_t i = 1; i < Long<N>::limbs; ++i) {
    const i64 di = d.limb[i], ei = e.limb[i];
    cd += static_cast<i128>(t.u) * di + static_cast<i128>(t.v) * ei + static_cast<i128>(p.limb[i]) * md;
    ce += static_cast<i128>(t.q) * di + static_cast<i128>(t.r) * ei + static_cast<i128>(p.limb[i]) * me;
    d.limb[i - 1] = static_cast<i64>(static_cast<u64>(cd) & kLimbMask);
    e.limb[i - 1] = static_cast<i64>(static_cast<u64>(ce) & kLimbMask);
    cd >>= kSteps;
    ce >>= kSteps;
  }
  d.limb[Long<N>::limbs - 1] = static_cast<i64>(cd);
  e.limb[Long<N>::limbs - 1] = static_cast<i64>(ce);
}

/// Drops the top limb of f and g where it is nothing but sign.
template <std::size_t N> void shorten(Long<N>& f, Long<N>& g, std::size_t& length) noexcept {
  const i64 ft = f.limb[length - 1], gt = g.limb[length - 1];
  if (length < 2 || ft != ft >> 63 || gt != gt >> 63) return;
  --length;
  f.limb[length - 1] |= static_cast<i64>(static_cast<u64>(ft) << kSteps);
  g.limb[length - 1] |= static_cast<i64>(static_cast<u64>(gt) << kSteps);
}

template <std::size_t N> bool is_zero(const Long<N>& v, std::size_t length) noexcept {
  return std::all_of(v.limb, v.limb + length, [](i64 l) { return l == 0; });
}

/// x^-1 modulo the prime of C = FpConstants<P>, x below it; 0 for 0.
template <class C> BigInt<C::N> inverse(const BigInt<C::N>& x) noexcept {
  constexpr std::size_t N = C::N;
  constexpr Long<N> p = Long<N>::from(C::modulus);
  constexpr u64 inverse_of_p = (~C::n0 + 1) & kLimbMask;
  Long<N> f = p, g = Long<N>::from(x), d{}, e{{1}};
  std::size_t length = Long<N>::limbs;
  i64 eta = -1;
  while (!is_zero(g, length)) {
    const Matrix t = steps(eta, static_cast<u64>(f.limb[0]) | static_cast<u64>(length > 1 ? f.limb[1] : 0) << kSteps,
                           static_cast<u64>(g.limb[0]) | static_cast<u64>(length > 1 ? g.limb[1] : 0) << kSteps);
    apply_modulo(t, d, e, p, inverse_of_p);
    apply(t, f, g, length);
    shorten(f, g, length);
  }
  // d in (-2p, p), to be multiplied by the sign of f.
  d.combine(f.limb[length - 1] < 0 ? -1 : 1, Long<N>{});
  while (d.negative()) d.combine(1, p);
  BigInt<N> r = d.to_big_int();
  if (!(r < C::modulus)) r.sub(C::modulus);
  return r;
}

}  // namespace cuzk::divsteps
