// Membership of the subgroups of order r by endomorphisms (sources in curve/curves.h).
#include "curve/curves.h"
#include "curve/endomorphism.h"

namespace cuzk {

namespace {

/// -x^2 acts on the subgroup as phi; this finds the cube root of 1 that makes it so.
template <class C> typename C::Fq find_beta() noexcept {
  using Fq = typename C::Fq;
  using G1 = typename C::G1;
  const auto& w = frobenius_coefficients<C>();
  const typename C::Fq2 cube_root = w[4] * w[4].conjugate();  // xi^((q^2 - 1) 2/3): of order 3 and in Fq
  const typename C::G1Affine& g = g1_generator<C>();
  const G1 target = -times_x<C>(times_x<C>(G1::from_affine(g)));
  const Fq beta = cube_root.c0;
  return G1::from_affine({g.x * beta, g.y}) == target ? beta : beta.squared();
}

/// phi(p) = -x^2 p (Scott).
template <class C, class F> bool g1_is_member(const Affine<F>& p) noexcept {
  static const typename C::Fq beta = find_beta<C>();
  const Point<F> product = times_x<C>(times_x<C>(Point<F>::from_affine(p)));
  const Affine<F> image{p.x * std::bit_cast<F>(beta), -p.y};
  return product == Point<F>::from_affine(image);
}

/// BLS12-381: psi(q) = x q (Scott). BN254: (x + 1) q + psi(x q) + psi^2(x q) = psi^3(2 x q) (Dai, Lin, Zhao, Zhou).
template <class C, class F2> bool g2_is_member(const Affine<F2>& q) noexcept {
  const Point<F2> xq = times_x<C>(Point<F2>::from_affine(q));
  if constexpr (C::id == CurveId::bls12_381) {
    return xq == Point<F2>::from_affine(psi<C>(q));
  } else {
    const Point<F2> one = psi<C>(xq);
    const Point<F2> two = psi<C>(one);
    const Point<F2> three = psi<C>(two);
    return xq + q + one + two == three.doubled();
  }
}

}  // namespace

template <class C> bool is_in_subgroup(const typename C::G1Affine& p) noexcept {
  if (C::id == CurveId::bn254 || p.is_identity()) return true;  // BN254: E(Fq) itself has order r
  return with_isa([&]<class Isa>() { return g1_is_member<C>(with_arithmetic<Isa>(p)); });
}

template <class C> bool is_in_subgroup(const typename C::G2Affine& p) noexcept {
  if (p.is_identity()) return true;
  return with_isa([&]<class Isa>() { return g2_is_member<C>(with_arithmetic<Isa>(p)); });
}

#define CUZK_INSTANTIATE(C)                                     \
  template bool is_in_subgroup<C>(const C::G1Affine&) noexcept; \
  template bool is_in_subgroup<C>(const C::G2Affine&) noexcept;

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
