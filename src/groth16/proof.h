// A Groth16 proof: three points. Not an identity of anything: proofs can be re-randomised into other valid ones.
#pragma once

#include "curve/curves.h"

namespace cuzk::groth16 {

template <class C> struct Proof {
  typename C::G1Affine a;
  typename C::G2Affine b;
  typename C::G1Affine c;
  /// False when r and s were given by the caller (tests, vectors): such a proof may reveal its witness.
  bool zero_knowledge = true;
};

}  // namespace cuzk::groth16
