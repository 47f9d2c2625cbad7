// Definitions of the products of field/fp.h. Included by fp_inst.cpp, which instantiates them once, and by the few hot
// units that may inline them (curve/point_inst.cpp, curve/pairing_inst.cpp, poly/ntt_inst.cpp, msm/bucket_inst.cpp).
#pragma once

#include "field/fp.h"
#include "field/mul_adx.h"

namespace cuzk {

template <class P, class Isa> inline Fp<P, Isa> Fp<P, Isa>::mul(const Fp& a, const Fp& b) noexcept {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Isa, Adx>) {
    return from_montgomery(limb_ops::reduce_once<Constants>(adx::mul<Constants>(a.v_, b.v_)));
  }
#endif
  return product(a, b);
}

template <class P, class Isa> inline Fp<P, Isa> Fp<P, Isa>::sqr(const Fp& a) noexcept {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Isa, Adx>) {
    return from_montgomery(limb_ops::reduce_once<Constants>(adx::sqr<Constants>(a.v_)));
  }
#endif
  return product(a, a);
}

template <class P, class Isa> Fp<P, Isa> Fp<P, Isa>::inverse() const noexcept {
  constexpr Repr exponent = [] {
    Repr e = P::modulus;
    e.sub(Repr::from_u64(2));
    return e;
  }();
  return pow(exponent);
}

template <class P, class Isa> Fp<P, Isa> Fp<P, Isa>::sqrt(bool& ok) const noexcept {
  constexpr Repr exponent = [] {  // (p + 1) / 4
    Repr e = P::modulus;
    e.add(Repr::from_u64(1));
    return e.shifted_right(2);
  }();
  const Fp root = pow(exponent);
  ok = (P::modulus.limb[0] & 3) == 3 && root.squared() == *this;
  return root;
}

template <class F> void batch_inverse(std::span<F> elements, std::span<F> scratch) noexcept {
  F accumulated = F::one();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    scratch[i] = accumulated;
    if (!elements[i].is_zero()) accumulated = accumulated * elements[i];
  }
  F inverse = accumulated.inverse();
  for (std::size_t i = elements.size(); i-- > 0;) {
    if (elements[i].is_zero()) continue;
    const F next = inverse * elements[i];
    elements[i] = inverse * scratch[i];
    inverse = next;
  }
}

}  // namespace cuzk
