// Many multiples of one point: out_i = k_i G, as the setup of a proving key needs them by the million.
//
// Fixed-base windows (Brickell, Gordon, McCurley, Wilson, Fast exponentiation with precomputation, 1992) with signed
// digits: a table holds j 2^(w i) G for all windows i and 1 <= j <= 2^(w-1), so a multiple is a sum of one entry a
// window. Sums run in affine coordinates in blocks of scalars that share their inversions: about 6 field products an
// addition. The window is chosen by the number of scalars. Table: ceil(256/w) 2^(w-1) points, at most 100 MB (BLS12-381
// G2). Preconditions: equal lengths; scalars are canonical, below r. Not constant time: the scalars of a setup are
// secret, and its machine is trusted.
#pragma once

#include <memory>
#include <span>

#include "curve/curves.h"
#include "support/parallel.h"

namespace cuzk {

/// The table of one base, for many calls. A: an affine point of one of the four groups. Thread-safety: multiply()
/// concurrently on distinct outputs.
template <class A> class FixedBase {
 public:
  /// `expected`: scalars of all calls together; it decides the window.
  FixedBase(Arena& arena, const A& base, std::size_t expected);
  FixedBase(FixedBase&&) noexcept;
  FixedBase& operator=(FixedBase&&) noexcept;
  ~FixedBase();

  void multiply(Arena& arena, std::span<const U256> scalars, std::span<A> out) const noexcept;

  /// Hides the Isa.
  class Table;

 private:
  std::unique_ptr<const Table> table_;
};

/// Multiples of the generators, at once.
template <class C>
void fixed_base_g1(Arena& arena, std::span<const U256> scalars, std::span<typename C::G1Affine> out) noexcept;
template <class C>
void fixed_base_g2(Arena& arena, std::span<const U256> scalars, std::span<typename C::G2Affine> out) noexcept;

}  // namespace cuzk
