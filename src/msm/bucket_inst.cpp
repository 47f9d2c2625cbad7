// The bucket method, one window a task.
#include <array>

#include "msm/msm.h"

namespace cuzk {

namespace {

constexpr unsigned kWindow = 8;

/// sum of d_i P_i for the digits d_i of one window: buckets, then running sums.
template <class G, class A> G window_sum(std::span<const U256> scalars, PointSpan<A> points, std::size_t at) noexcept {
  std::array<G, 1u << kWindow> buckets;
  buckets.fill(G::identity());
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const auto digit = scalars[i].window(at, kWindow);
    if (digit != 0) buckets[digit] += points[i];
  }
  G running = G::identity(), sum = G::identity();
  for (std::size_t d = buckets.size(); d-- > 1;) {
    running += buckets[d];
    sum += running;
  }
  return sum;
}

template <class G, class A> G pippenger(Arena& arena, std::span<const U256> scalars, PointSpan<A> points) {
  CUZK_REQUIRE(scalars.size() == points.size());
  std::array<G, U256::bits / kWindow> sums;
  parallel_tasks(arena, sums.size(), [&](std::size_t w) { sums[w] = window_sum<G, A>(scalars, points, w * kWindow); });
  G total = G::identity();
  for (std::size_t w = sums.size(); w-- > 0;) {
    for (unsigned i = 0; i < kWindow; ++i) total = total.doubled();
    total += sums[w];
  }
  return total;
}

}  // namespace

template <class C>
typename C::G1 msm_g1(Arena& arena, std::span<const U256> scalars, PointSpan<typename C::G1Affine> points) {
  return pippenger<typename C::G1>(arena, scalars, points);
}
template <class C>
typename C::G2 msm_g2(Arena& arena, std::span<const U256> scalars, PointSpan<typename C::G2Affine> points) {
  return pippenger<typename C::G2>(arena, scalars, points);
}
template <class C>
MsmSums<C> msm(Arena& arena, std::span<const U256> scalars, std::span<const PointSpan<typename C::G1Affine>> g1_sets,
               std::span<const PointSpan<typename C::G2Affine>> g2_sets) {
  MsmSums<C> sums;
  for (const auto& set : g1_sets) sums.g1.push_back(msm_g1<C>(arena, scalars, set));
  for (const auto& set : g2_sets) sums.g2.push_back(msm_g2<C>(arena, scalars, set));
  return sums;
}

#define CUZK_INSTANTIATE(C)                                                                          \
  template C::G1 msm_g1<C>(Arena&, std::span<const U256>, PointSpan<C::G1Affine>);                   \
  template C::G2 msm_g2<C>(Arena&, std::span<const U256>, PointSpan<C::G2Affine>);                   \
  template MsmSums<C> msm<C>(Arena&, std::span<const U256>, std::span<const PointSpan<C::G1Affine>>, \
                             std::span<const PointSpan<C::G2Affine>>);

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
