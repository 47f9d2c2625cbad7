// The bucket method with the arithmetic of one Isa; msm.h picks the Isa. Contract as there.
#pragma once

#include "msm/msm.h"

namespace cuzk {

template <class C, class Isa>
MsmSums<C> pippenger(Arena& arena, std::span<const U256> scalars,
                     std::span<const PointSpan<typename C::G1Affine>> g1_sets,
                     std::span<const PointSpan<typename C::G2Affine>> g2_sets, const StopToken& stop);

}  // namespace cuzk
