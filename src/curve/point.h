// Points of a short Weierstrass curve y^2 = x^3 + b (a = 0), over Fq (G1) or Fq2 (G2): affine and Jacobian coordinates.
//
// Affine<F>: (x, y), Montgomery form; the identity is all bytes zero (as in .zkey files; (0, 0) is on neither curve).
// Point<F>: Jacobian (X, Y, Z) with x = X/Z^2, y = Y/Z^3; the identity has Z = 0.
// Formulas: Bernstein, Lange, Explicit-Formulas Database, short Weierstrass a = 0: add-2007-bl, madd-2007-bl,
// dbl-2009-l. All operations are complete (equal, opposite and identity operands) and variable time. None of them needs
// b; curve membership is curve/curves.h. Thread-safety: values.
#pragma once

#include <span>

#include "field/big_int.h"
#include "field/fp.h"

namespace cuzk {

template <class F> struct [[gnu::may_alias]] Affine {
  using Field = F;
  F x, y;

  static constexpr Affine identity() noexcept { return {F::zero(), F::zero()}; }
  constexpr bool is_identity() const noexcept { return x.is_zero() && y.is_zero(); }
  constexpr Affine operator-() const noexcept { return {x, -y}; }
  friend constexpr bool operator==(const Affine& a, const Affine& b) noexcept { return a.x == b.x && a.y == b.y; }
};

template <class F> struct [[gnu::may_alias]] Point {
  using Field = F;
  F x, y, z;

  static constexpr Point identity() noexcept { return {F::one(), F::one(), F::zero()}; }
  static constexpr Point from_affine(const Affine<F>& p) noexcept {
    return p.is_identity() ? identity() : Point{p.x, p.y, F::one()};
  }
  constexpr bool is_identity() const noexcept { return z.is_zero(); }
  constexpr Point operator-() const noexcept { return {x, -y, z}; }

  /// Defined in point_impl.h, instantiated in point_inst.cpp for both curves and every Isa.
  Point doubled() const noexcept;
  Point plus(const Point& q) const noexcept;
  Point plus(const Affine<F>& q) const noexcept;
  Affine<F> to_affine() const noexcept;
  /// k P for a canonical scalar of any size (not reduced); 4-bit windows.
  Point times(const U256& k) const noexcept;
  bool equals(const Point& q) const noexcept;

  friend Point operator+(const Point& p, const Point& q) noexcept { return p.plus(q); }
  friend Point operator+(const Point& p, const Affine<F>& q) noexcept { return p.plus(q); }
  friend Point operator-(const Point& p, const Point& q) noexcept { return p.plus(-q); }
  Point& operator+=(const Point& q) noexcept { return *this = plus(q); }
  Point& operator+=(const Affine<F>& q) noexcept { return *this = plus(q); }
  friend bool operator==(const Point& p, const Point& q) noexcept { return p.equals(q); }
};

/// Affine forms of many points with one inversion. Equal lengths; identities allowed.
template <class F> void to_affine_n(std::span<const Point<F>> in, std::span<Affine<F>> out) noexcept;

template <class F, class Isa> struct RebindIsa<Affine<F>, Isa> {
  using type = Affine<rebind_isa<F, Isa>>;
};
template <class F, class Isa> struct RebindIsa<Point<F>, Isa> {
  using type = Point<rebind_isa<F, Isa>>;
};

}  // namespace cuzk
