// Fq12 = Fq6[w]/(w^2 - v) of curve C: where pairings have their values. Elements c0 + c1 w.
//
// The tower Fq2, Fq6, Fq12 and the order of coefficients are those of ffjavascript, thus of vk_alphabeta_12 in snarkjs'
// verification keys. Functions named cyclotomic_* need an element of the cyclotomic subgroup, of order q^4 - q^2 + 1
// (any value of final_exponentiation): there 1/x is the conjugate, and squares are cheap (Granger, Scott, Faster
// squaring in the cyclotomic subgroup of sixth degree extensions, https://eprint.iacr.org/2009/565). Defined in
// fq12_impl.h, instantiated in pairing_inst.cpp for every Isa. Fq12 x; is uninitialised, Fq12 x{}; is zero.
// Thread-safety: values. Not constant time.
#pragma once

#include <array>

#include "curve/fq6.h"

namespace cuzk {

template <class C, class Isa = Portable> struct [[gnu::may_alias]] Fq12 {
  using F6 = Fq6<C, Isa>;
  using F2 = typename F6::F2;
  /// Canonical coefficients [power of w][power of v][power of u].
  using Coefficients = std::array<std::array<std::array<typename C::Fq::Repr, 2>, 3>, 2>;

  F6 c0, c1;

  static constexpr Fq12 zero() noexcept { return {F6::zero(), F6::zero()}; }
  static constexpr Fq12 one() noexcept { return {F6::one(), F6::zero()}; }

  constexpr bool is_zero() const noexcept { return c0.is_zero() && c1.is_zero(); }
  constexpr bool is_one() const noexcept { return c0.is_one() && c1.is_zero(); }
  friend constexpr bool operator==(const Fq12& a, const Fq12& b) noexcept { return a.c0 == b.c0 && a.c1 == b.c1; }

  friend Fq12 operator*(const Fq12& a, const Fq12& b) noexcept { return mul(a, b); }
  Fq12& operator*=(const Fq12& b) noexcept { return *this = mul(*this, b); }
  Fq12 squared() const noexcept;
  /// 1/x; zero for zero.
  Fq12 inverse() const noexcept;
  /// x^(q^6): c0 - c1 w.
  constexpr Fq12 conjugate() const noexcept { return {c0, -c1}; }
  /// x^q.
  Fq12 frobenius() const noexcept;

  Fq12 cyclotomic_squared() const noexcept;
  /// x^k, k not reduced.
  Fq12 cyclotomic_pow(const U256& k) const noexcept;

  Coefficients canonical() const noexcept;

  static Fq12 mul(const Fq12& a, const Fq12& b) noexcept;
};

template <class C, class From, class To> struct RebindIsa<Fq12<C, From>, To> {
  using type = Fq12<C, To>;
};

}  // namespace cuzk
