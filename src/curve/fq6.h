// Cubic extension Fq6 = Fq2[v]/(v^3 - xi) of curve C, xi = 9 + u (BN254) or 1 + u (BLS12-381). Elements c0 + c1 v + c2
// v^2.
//
// Karatsuba products: 6 Fq2 multiplications (Devegili, O hEigeartaigh, Scott, Dahab, Multiplication and squaring on
// pairing-friendly fields, https://eprint.iacr.org/2006/471). Products are defined in fq12_impl.h, instantiated in
// pairing_inst.cpp. Fq6 x; is uninitialised, Fq6 x{}; is zero. Thread-safety: values. Not constant time.
#pragma once

#include "curve/curves.h"

namespace cuzk {

template <class C, class Isa = Portable> struct [[gnu::may_alias]] Fq6 {
  using F2 = rebind_isa<typename C::Fq2, Isa>;
  F2 c0, c1, c2;

  static constexpr Fq6 zero() noexcept { return {F2::zero(), F2::zero(), F2::zero()}; }
  static constexpr Fq6 one() noexcept { return {F2::one(), F2::zero(), F2::zero()}; }

  constexpr bool is_zero() const noexcept { return c0.is_zero() && c1.is_zero() && c2.is_zero(); }
  constexpr bool is_one() const noexcept { return c0.is_one() && c1.is_zero() && c2.is_zero(); }
  friend constexpr bool operator==(const Fq6& a, const Fq6& b) noexcept {
    return a.c0 == b.c0 && a.c1 == b.c1 && a.c2 == b.c2;
  }
  friend constexpr Fq6 operator+(const Fq6& a, const Fq6& b) noexcept {
    return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
  }
  friend constexpr Fq6 operator-(const Fq6& a, const Fq6& b) noexcept {
    return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
  }
  constexpr Fq6 operator-() const noexcept { return {-c0, -c1, -c2}; }
  constexpr Fq6 doubled() const noexcept { return {c0.doubled(), c1.doubled(), c2.doubled()}; }

  friend Fq6 operator*(const Fq6& a, const Fq6& b) noexcept { return mul(a, b); }
  Fq6 times_v() const noexcept;
  Fq6 times(const F2& b) const noexcept { return {c0 * b, c1 * b, c2 * b}; }
  /// this (b0 + b1 v): 5 Fq2 multiplications.
  Fq6 times_01(const F2& b0, const F2& b1) const noexcept;
  /// 1/x; zero for zero.
  Fq6 inverse() const noexcept;

  static Fq6 mul(const Fq6& a, const Fq6& b) noexcept;
};

}  // namespace cuzk
