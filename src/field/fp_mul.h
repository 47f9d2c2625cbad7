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

}  // namespace cuzk
