#include "backend/backend.h"

#include "field/random.h"

namespace cuzk::backend {

template <class C>
Blinding<C>::Blinding(const typename C::Fr& r, const typename C::Fr& s, bool zero_knowledge)
    : zero_knowledge_(zero_knowledge) {
  r_.expose_mutable() = r;
  s_.expose_mutable() = s;
}

template <class C> Result<Blinding<C>> Blinding<C>::random() {
  CUZK_TRY(const auto r, random_element<typename C::Fr>(fill_random));
  CUZK_TRY(const auto s, random_element<typename C::Fr>(fill_random));
  return Blinding(r, s, true);
}

template <class C> Blinding<C> Blinding<C>::fixed(const U256& r, const U256& s) {
  using Fr = typename C::Fr;
  return Blinding(Fr::from_canonical(r), Fr::from_canonical(s), false);
}

template class Blinding<Bn254>;
template class Blinding<Bls12_381>;

}  // namespace cuzk::backend
