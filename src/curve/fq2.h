// Quadratic extension Fq2 = Fq[u]/(u^2 + 1), the same for BN254 and BLS12-381 (-1 is a non-residue modulo both q).
//
// Elements c0 + c1 u, Montgomery limbs, c0 first in memory: the order of .zkey files. Karatsuba products: 3 Fq
// multiplications; squares: 2. The products are one call deep (fq2_impl.h; style: noinline from here up).
// Fq2 x; is uninitialised, Fq2 x{}; is zero. Thread-safety: values. Not constant time.
#pragma once

#include "field/fp.h"

namespace cuzk {

template <class F> struct [[gnu::may_alias]] Fq2 {
  using Base = F;
  F c0, c1;

  static constexpr Fq2 zero() noexcept { return {F::zero(), F::zero()}; }
  static constexpr Fq2 one() noexcept { return {F::one(), F::zero()}; }

  constexpr bool is_zero() const noexcept { return c0.is_zero() && c1.is_zero(); }
  constexpr bool is_one() const noexcept { return c0.is_one() && c1.is_zero(); }
  friend constexpr bool operator==(const Fq2& a, const Fq2& b) noexcept { return a.c0 == b.c0 && a.c1 == b.c1; }
  friend constexpr Fq2 operator+(const Fq2& a, const Fq2& b) noexcept { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend constexpr Fq2 operator-(const Fq2& a, const Fq2& b) noexcept { return {a.c0 - b.c0, a.c1 - b.c1}; }
  constexpr Fq2 operator-() const noexcept { return {-c0, -c1}; }
  constexpr Fq2 doubled() const noexcept { return {c0.doubled(), c1.doubled()}; }
  constexpr Fq2 conjugate() const noexcept { return {c0, -c1}; }
  friend constexpr Fq2 operator*(const Fq2& a, const F& b) noexcept { return {a.c0 * b, a.c1 * b}; }
  friend Fq2 operator*(const Fq2& a, const Fq2& b) noexcept { return mul(a, b); }
  Fq2 squared() const noexcept { return sqr(*this); }
  Fq2& operator+=(const Fq2& b) noexcept { return *this = *this + b; }
  Fq2& operator-=(const Fq2& b) noexcept { return *this = *this - b; }
  Fq2& operator*=(const Fq2& b) noexcept { return *this = *this * b; }

  /// 1/x; zero for zero.
  Fq2 inverse() const noexcept;
  /// A square root if one exists (complex method, q = 3 mod 4); `ok` says whether.
  Fq2 sqrt(bool& ok) const noexcept;

  static Fq2 mul(const Fq2& a, const Fq2& b) noexcept;
  static Fq2 sqr(const Fq2& a) noexcept;
};

/// Replaces every non-zero element by its inverse (zeros stay), by way of the norms: 7 Fq products an element and one
/// inversion. `scratch` has the same length.
template <class F> void batch_inverse(std::span<Fq2<F>> elements, std::span<Fq2<F>> scratch) noexcept;

template <class F, class Isa> struct RebindIsa<Fq2<F>, Isa> {
  using type = Fq2<rebind_isa<F, Isa>>;
};

}  // namespace cuzk
