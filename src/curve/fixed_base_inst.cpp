#include "curve/fixed_base_impl.h"
#include "field/fp_mul.h"
#include "support/result.h"

namespace cuzk {

namespace {

template <class A>
void multiples(Arena& arena, const A& base, std::span<const U256> scalars, std::span<A> out) noexcept {
  CUZK_REQUIRE(scalars.size() == out.size());
  with_isa([&]<class Isa>() {
    fixed_base_detail::multiply_n(arena, with_arithmetic<Isa>(base), scalars, view_as<Isa>(out));
  });
}

}  // namespace

template <class C>
void fixed_base_g1(Arena& arena, std::span<const U256> scalars, std::span<typename C::G1Affine> out) noexcept {
  multiples(arena, g1_generator<C>(), scalars, out);
}
template <class C>
void fixed_base_g2(Arena& arena, std::span<const U256> scalars, std::span<typename C::G2Affine> out) noexcept {
  multiples(arena, g2_generator<C>(), scalars, out);
}

#define CUZK_INSTANTIATE(C)                                                                       \
  template void fixed_base_g1<C>(Arena&, std::span<const U256>, std::span<C::G1Affine>) noexcept; \
  template void fixed_base_g2<C>(Arena&, std::span<const U256>, std::span<C::G2Affine>) noexcept;

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
