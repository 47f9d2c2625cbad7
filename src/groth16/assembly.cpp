#include "groth16/assembly.h"

namespace cuzk::groth16 {

template <class C>
Proof<C> assemble(const VerifyingKey<C>& vk, const ProofSums<C>& sums, const typename C::Fr& r,
                  const typename C::Fr& s) noexcept {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  const G1 delta = G1::from_affine(vk.delta_g1);
  const U256 r_scalar = r.canonical();
  const U256 s_scalar = s.canonical();

  const G1 a = sums.a + vk.alpha_g1 + delta.times(r_scalar);
  const G2 b = sums.b_g2 + vk.beta_g2 + G2::from_affine(vk.delta_g2).times(s_scalar);
  // r B1 - r s delta = r (beta + sum z b): the terms in s delta cancel.
  const G1 b_without_s = sums.b_g1 + vk.beta_g1;
  const G1 c = sums.l + sums.h + a.times(s_scalar) + b_without_s.times(r_scalar);
  return {a.to_affine(), b.to_affine(), c.to_affine()};
}

template Proof<Bn254> assemble(const VerifyingKey<Bn254>&, const ProofSums<Bn254>&, const bn254::Fr&,
                               const bn254::Fr&) noexcept;
template Proof<Bls12_381> assemble(const VerifyingKey<Bls12_381>&, const ProofSums<Bls12_381>&, const bls12_381::Fr&,
                                   const bls12_381::Fr&) noexcept;

}  // namespace cuzk::groth16
