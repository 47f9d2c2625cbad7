// Optimal ate pairing e: G1 x G2 -> GT, the subgroup of order r of Fq12*, for both curves.
//
// Vercauteren, Optimal pairings (2010); multi-pairing shares one accumulator of Miller loops and one final
// exponentiation. GT elements are opaque here: products, equality and exponent arithmetic are all that Groth16 needs.
// Inputs must be on the curve and in the subgroup (checked at decode, not here); a pair with an identity contributes 1.
// prepare_g2 precomputes a point's line coefficients, so that verifying with a fixed key costs no G2 arithmetic.
// Thread-safety: pure functions. Errors: none.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "curve/curves.h"
#include "curve/fq12.h"

namespace cuzk {

template <class C> using Gt = Fq12<C>;

/// Line coefficients of the Miller loop of one G2 point; immutable, cheap to copy (shared).
template <class C> class G2Prepared {
 public:
  explicit G2Prepared(const typename C::G2Affine& q);
  struct Lines;
  const Lines& lines() const noexcept { return *lines_; }

 private:
  std::shared_ptr<const Lines> lines_;
};

/// prod e(p_i, q_i) before the final exponentiation; equal lengths.
template <class C>
Fq12<C> miller_loop(std::span<const typename C::G1Affine> p, std::span<const G2Prepared<C>> q) noexcept;

/// f^(k (q^12 - 1)/r) with a fixed k prime to r: 2x (6x^2 + 3x + 1) on BN254, 3 on BLS12-381.
template <class C> Gt<C> final_exponentiation(const Fq12<C>& f) noexcept;

/// e(p, q).
template <class C> Gt<C> pairing(const typename C::G1Affine& p, const typename C::G2Affine& q) noexcept;

/// prod e(p_i, q_i); equal lengths.
template <class C>
Gt<C> multi_pairing(std::span<const typename C::G1Affine> p, std::span<const G2Prepared<C>> q) noexcept;

/// g^k, k not reduced.
template <class C> Gt<C> gt_power(const Gt<C>& g, const U256& k) noexcept;

}  // namespace cuzk
