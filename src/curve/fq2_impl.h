// Bodies of curve/fq2.h; included by fq2_inst.cpp alone.
//
// Square roots: Adj, Rodriguez-Henriquez, Square root computation over even extension fields
// (https://eprint.iacr.org/2012/685), section 3, arranged so that two exponentiations in Fq are all that is needed.
#pragma once

#include "curve/fq2.h"
#include "field/fp_mul.h"

namespace cuzk {

template <class F> Fq2<F> Fq2<F>::mul(const Fq2& a, const Fq2& b) noexcept {
  const F low = a.c0 * b.c0;
  const F high = a.c1 * b.c1;
  const F sums = (a.c0 + a.c1) * (b.c0 + b.c1);
  return {low - high, sums - low - high};
}

template <class F> Fq2<F> Fq2<F>::sqr(const Fq2& a) noexcept {
  const F product = a.c0 * a.c1;
  return {(a.c0 + a.c1) * (a.c0 - a.c1), product.doubled()};
}

template <class F> Fq2<F> Fq2<F>::inverse() const noexcept {
  const F norm_inverse = (c0.squared() + c1.squared()).inverse();
  return {c0 * norm_inverse, -(c1 * norm_inverse)};
}

namespace fq2_detail {

/// x^((q-3)/4): for a square x an inverse square root, for a non-square e with x e^2 = -1.
template <class F> F inverse_root(const F& x) noexcept {
  constexpr auto exponent = F::modulus.shifted_right(2);
  static_assert((F::modulus.limb[0] & 3) == 3);
  return x.pow(exponent);
}

template <class F> F halved(const F& x) noexcept {
  constexpr F half = [] {
    auto h = F::modulus;
    h.add(decltype(h)::from_u64(1));
    return F::from_canonical(h.shifted_right(1));
  }();
  return x * half;
}

/// Roots of an element of Fq: in Fq, or in u Fq when it is no square there.
template <class F> Fq2<F> sqrt_of_base(const F& x) noexcept {
  const F root = x * inverse_root(x);
  return root.squared() == x ? Fq2<F>{root, F::zero()} : Fq2<F>{F::zero(), root};
}

}  // namespace fq2_detail

/// With n^2 = c0^2 + c1^2 and d = (c0 + n)/2, the roots are x0 + x1 u with x0^2 = d, x1 = c1/(2 x0), or, when d is no
/// square, the same with d' = (c0 - n)/2 = -c1^2/(4 d).
template <class F> Fq2<F> Fq2<F>::sqrt(bool& ok) const noexcept {
  ok = true;
  if (c1.is_zero()) return fq2_detail::sqrt_of_base(c0);
  const F norm_root = (c0.squared() + c1.squared()).sqrt(ok);
  if (!ok) return zero();
  const F d = fq2_detail::halved(c0 + norm_root);
  const F e = fq2_detail::inverse_root(d);
  const F root = d * e;
  const F other = fq2_detail::halved(c1) * e;
  return root * e == F::one() ? Fq2{root, other} : Fq2{other, -root};
}

template <class F> void batch_inverse(std::span<Fq2<F>> elements, std::span<Fq2<F>> scratch) noexcept {
  const std::size_t n = elements.size();
  F* const halves = reinterpret_cast<F*>(scratch.data());  // norms, and the scratch of their inversion
  for (std::size_t i = 0; i < n; ++i) halves[i] = elements[i].c0.squared() + elements[i].c1.squared();
  batch_inverse(std::span<F>(halves, n), std::span<F>(halves + n, n));
  for (std::size_t i = 0; i < n; ++i) elements[i] = elements[i].conjugate() * halves[i];
}

}  // namespace cuzk
