#include "msm/msm.h"

#include "msm/pippenger.h"

namespace cuzk {

template <class C>
MsmSums<C> msm(Arena& arena, std::span<const U256> scalars, std::span<const PointSpan<typename C::G1Affine>> g1_sets,
               std::span<const PointSpan<typename C::G2Affine>> g2_sets, const StopToken& stop) {
  return with_isa([&]<class Isa>() { return pippenger<C, Isa>(arena, scalars, g1_sets, g2_sets, stop); });
}
template <class C>
typename C::G1 msm_g1(Arena& arena, std::span<const U256> scalars, PointSpan<typename C::G1Affine> points,
                      const StopToken& stop) {
  return msm<C>(arena, scalars, {&points, 1}, {}, stop).g1[0];
}
template <class C>
typename C::G2 msm_g2(Arena& arena, std::span<const U256> scalars, PointSpan<typename C::G2Affine> points,
                      const StopToken& stop) {
  return msm<C>(arena, scalars, {}, {&points, 1}, stop).g2[0];
}

#define CUZK_INSTANTIATE(C)                                                                          \
  template C::G1 msm_g1<C>(Arena&, std::span<const U256>, PointSpan<C::G1Affine>, const StopToken&); \
  template C::G2 msm_g2<C>(Arena&, std::span<const U256>, PointSpan<C::G2Affine>, const StopToken&); \
  template MsmSums<C> msm<C>(Arena&, std::span<const U256>, std::span<const PointSpan<C::G1Affine>>, \
                             std::span<const PointSpan<C::G2Affine>>, const StopToken&);

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
