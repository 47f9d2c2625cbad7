// The endomorphisms that act on the subgroups of order r by a short multiplication.
//
//   phi(x, y) = (beta x, y) on G1, beta a primitive cube root of 1 in Fq; on BLS12-381's G1 it is multiplication by
//   -x^2
//     (beta is chosen so; the other root gives x^2 - 1).
//   psi = untwist, q-power Frobenius, twist, on G2: multiplication by q, which is x (BLS12-381) or 6x^2 (BN254) mod r.
// Galbraith, Scott, Exponentiation in pairing-friendly groups using homomorphisms (https://eprint.iacr.org/2008/117).
// Bodies for the .cpp files of this layer. Thread-safety: pure functions.
#pragma once

#include "curve/curve_params.h"

namespace cuzk {

/// k p, k of 64 bits; double and add, for curve parameters of low weight.
template <class F> Point<F> times_short(const Point<F>& p, u64 k) noexcept {
  Point<F> sum = Point<F>::identity();
  for (unsigned i = static_cast<unsigned>(std::bit_width(k)); i-- > 0;) {
    sum = sum.doubled();
    if ((k >> i & 1) != 0) sum = sum.plus(p);
  }
  return sum;
}

/// x p, with the sign of x.
template <class C, class F> Point<F> times_x(const Point<F>& p) noexcept {
  const Point<F> product = times_short(p, CurveParams<C>::x);
  return CurveParams<C>::x_is_negative ? -product : product;
}

/// Factors of psi for x and y.
template <class C> struct PsiFactors {
  typename C::Fq2 x, y;
};
template <class C> const PsiFactors<C>& psi_factors() noexcept {
  static const PsiFactors<C> factors = [] {
    const auto& w = frobenius_coefficients<C>();
    const bool divide = CurveParams<C>::twist == TwistType::divide;
    return PsiFactors<C>{divide ? w[2] : w[2].inverse(), divide ? w[3] : w[3].inverse()};
  }();
  return factors;
}

template <class C, class F2> Affine<F2> psi(const Affine<F2>& p) noexcept {
  const auto factors = std::bit_cast<std::array<F2, 2>>(psi_factors<C>());
  return {p.x.conjugate() * factors[0], p.y.conjugate() * factors[1]};
}
template <class C, class F2> Point<F2> psi(const Point<F2>& p) noexcept {
  const auto factors = std::bit_cast<std::array<F2, 2>>(psi_factors<C>());
  return {p.x.conjugate() * factors[0], p.y.conjugate() * factors[1], p.z.conjugate()};
}

}  // namespace cuzk
