// Multi-scalar multiplication: sum_i k_i P_i for several point sets under one set of scalars.
//
// Pippenger's bucket method (Bernstein, Doumen, Lange, Oosterwijk, https://eprint.iacr.org/2012/549, section 4) with
// signed digits; buckets are reduced by batched affine additions (one inversion per batch, Montgomery's trick). Scalars
// are classified first: 0 costs nothing, 1 one addition, small values few windows, full-size values all of them;
// SHA-like witnesses are mostly bits, Poseidon-like ones mostly full. A proof multiplies A, B1 and B2 by the same
// witness: one call shares classification, digits and bucket order among all sets.
//
// Scalars are canonical integers below r (not Montgomery). Points are affine in our memory layout at any address,
// identities (all zero) allowed; every set has as many points as there are scalars. Points need not be distinct and may
// be each other's negatives. Out-of-range coordinates give a wrong sum but no undefined behaviour; scalars that are not
// below r count modulo r. The result does not depend on thread count, Isa or batch sizes. Memory: 36 bytes a non-zero
// scalar; 8 more and the buckets (a point each) for every window in work, which are as many as threads or as 2 MiB
// hold; about 2 MiB a thread; no copy of the points. When the stop is pulled, all return within some milliseconds; the
// sums are then anything. Thread-safety: pure functions; concurrent calls may share an Arena.
#pragma once

#include <span>
#include <vector>

#include "curve/curves.h"
#include "curve/point_span.h"
#include "support/parallel.h"
#include "support/stop.h"

namespace cuzk {

template <class C> struct MsmSums {
  std::vector<typename C::G1> g1;
  std::vector<typename C::G2> g2;
};

/// Sums in the order of the sets.
template <class C>
MsmSums<C> msm(Arena& arena, std::span<const U256> scalars, std::span<const PointSpan<typename C::G1Affine>> g1_sets,
               std::span<const PointSpan<typename C::G2Affine>> g2_sets, const StopToken& stop = {});

template <class C>
typename C::G1 msm_g1(Arena& arena, std::span<const U256> scalars, PointSpan<typename C::G1Affine> points,
                      const StopToken& stop = {});
template <class C>
typename C::G2 msm_g2(Arena& arena, std::span<const U256> scalars, PointSpan<typename C::G2Affine> points,
                      const StopToken& stop = {});

}  // namespace cuzk
