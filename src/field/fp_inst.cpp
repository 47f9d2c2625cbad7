#include "field/divsteps_impl.h"
#include "field/fp_batch_lanes_impl.h"
#include "field/fp_mul.h"
#include "support/result.h"

namespace cuzk {

template <class P, class Isa> Fp<P, Isa> Fp<P, Isa>::inverse() const noexcept {
  return from_montgomery(divsteps::inverse<Constants>(v_)) * from_montgomery(Constants::r3);  // (x R)^-1 R^3 / R
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

namespace {

/// By lanes as many as are worth it; returns their number.
template <class P> std::size_t inverse_by_lanes(std::span<Fp<P, Adx>> elements, Fp<P, Adx>* scratch) noexcept {
#if defined(__x86_64__)
  constexpr std::size_t worth = 64;  // the chains' products are inverted one by one
  if (elements.size() >= worth && has_lanes()) return ifma::batch_inverse(elements.data(), scratch, elements.size());
#endif
  return 0;
}
template <class P> std::size_t inverse_by_lanes(std::span<Fp<P, Portable>>, Fp<P, Portable>*) noexcept { return 0; }

}  // namespace

template <class F> void batch_inverse(std::span<F> elements, std::span<F> scratch) noexcept {
  CUZK_ASSERT(scratch.size() == elements.size());
  elements = elements.subspan(inverse_by_lanes(elements, scratch.data()));
  if (elements.empty()) return;
  F accumulated = F::one();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    scratch[i] = accumulated;
    if (!elements[i].is_zero()) accumulated *= elements[i];
  }
  F inverse = accumulated.inverse();
  for (std::size_t i = elements.size(); i-- > 0;) {
    if (elements[i].is_zero()) continue;
    const F element = elements[i];
    elements[i] = inverse * scratch[i];
    inverse *= element;
  }
}

#define CUZK_INSTANTIATE(P)                                                                     \
  template class Fp<P, Portable>;                                                               \
  template class Fp<P, Adx>;                                                                    \
  template void batch_inverse(std::span<Fp<P, Portable>>, std::span<Fp<P, Portable>>) noexcept; \
  template void batch_inverse(std::span<Fp<P, Adx>>, std::span<Fp<P, Adx>>) noexcept;

CUZK_INSTANTIATE(Bn254FrParams)
CUZK_INSTANTIATE(Bn254FqParams)
CUZK_INSTANTIATE(Bls12_381FrParams)
CUZK_INSTANTIATE(Bls12_381FqParams)

}  // namespace cuzk
