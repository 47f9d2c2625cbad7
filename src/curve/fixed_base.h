// Many multiples of one point: out_i = k_i G, as the setup of a proving key needs them by the million.
//
// Fixed-base windows (Brickell, Gordon, McCurley, Wilson, Fast exponentiation with precomputation, 1992) with signed
// digits: a table holds j 2^(w i) G for all windows i and 1 <= j <= 2^(w-1), so a multiple is a sum of one entry a
// window. Sums run in affine coordinates in blocks of scalars that share their inversions: about 6 field products an
// addition. The window is chosen by the number of scalars. Table: ceil(256/w) 2^(w-1) points, at most 34 MB (BLS12-381
// G2), for the call's time. Preconditions: equal lengths; scalars are canonical, below r. Thread-safety: pure functions
// on distinct outputs. Not constant time: the scalars of a setup are secret, and its machine is trusted.
#pragma once

#include <span>

#include "curve/curves.h"
#include "support/parallel.h"

namespace cuzk {

/// Multiples of the generators.
template <class C>
void fixed_base_g1(Arena& arena, std::span<const U256> scalars, std::span<typename C::G1Affine> out) noexcept;
template <class C>
void fixed_base_g2(Arena& arena, std::span<const U256> scalars, std::span<typename C::G2Affine> out) noexcept;

}  // namespace cuzk
