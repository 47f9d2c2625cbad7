#include "curve/pairing.h"
#include "curve/pairing_impl.h"
#include "support/result.h"

namespace cuzk {

template <class C> G2Prepared<C>::G2Prepared(const typename C::G2Affine& q) {
  auto lines = std::make_shared<Lines>();
  if (!q.is_identity()) {
    lines->lines = with_isa([&]<class Isa>() { return pairing_detail::prepare<C, Isa>(with_arithmetic<Isa>(q)); });
  }
  lines_ = std::move(lines);
}

template <class C>
Fq12<C> miller_loop(std::span<const typename C::G1Affine> p, std::span<const G2Prepared<C>> q) noexcept {
  CUZK_REQUIRE(p.size() == q.size());
  return with_isa([&]<class Isa>() { return with_arithmetic<Portable>(pairing_detail::miller_loop<C, Isa>(p, q)); });
}

template <class C> Gt<C> final_exponentiation(const Fq12<C>& f) noexcept {
  return with_isa([&]<class Isa>() {
    return with_arithmetic<Portable>(pairing_detail::final_exponentiation(with_arithmetic<Isa>(f)));
  });
}

template <class C>
Gt<C> multi_pairing(std::span<const typename C::G1Affine> p, std::span<const G2Prepared<C>> q) noexcept {
  return final_exponentiation<C>(miller_loop<C>(p, q));
}

template <class C> Gt<C> pairing(const typename C::G1Affine& p, const typename C::G2Affine& q) noexcept {
  const G2Prepared<C> prepared(q);
  return multi_pairing<C>({&p, 1}, {&prepared, 1});
}

template <class C> Gt<C> gt_power(const Gt<C>& g, const U256& k) noexcept {
  return with_isa([&]<class Isa>() { return with_arithmetic<Portable>(with_arithmetic<Isa>(g).cyclotomic_pow(k)); });
}

#define CUZK_INSTANTIATE(C)                                                                               \
  template struct Fq6<C, Portable>;                                                                       \
  template struct Fq6<C, Adx>;                                                                            \
  template struct Fq12<C, Portable>;                                                                      \
  template struct Fq12<C, Adx>;                                                                           \
  template class G2Prepared<C>;                                                                           \
  template Fq12<C> miller_loop<C>(std::span<const C::G1Affine>, std::span<const G2Prepared<C>>) noexcept; \
  template Gt<C> final_exponentiation<C>(const Fq12<C>&) noexcept;                                        \
  template Gt<C> multi_pairing<C>(std::span<const C::G1Affine>, std::span<const G2Prepared<C>>) noexcept; \
  template Gt<C> pairing<C>(const C::G1Affine&, const C::G2Affine&) noexcept;                             \
  template Gt<C> gt_power<C>(const Gt<C>&, const U256&) noexcept;

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
