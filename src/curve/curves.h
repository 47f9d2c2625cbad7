// The two pairing-friendly curves, as traits: upper layers are templates over C = Bn254 or Bls12_381.
//
//   G1: y^2 = x^3 + b over Fq. G2: y^2 = x^3 + b' over Fq2, the sextic twist. Both of prime order r inside E(Fq),
//   E'(Fq2). BN254: b = 3, b' = 3/(9+u) (D-type twist), cofactor of G1 1, of G2 not 1; EIP-196/197. BLS12-381: b = 4,
//   b' = 4(1+u) (M-type twist), both cofactors not 1; draft-irtf-cfrg-pairing-friendly-curves-11.
//
// Membership functions take any coordinates in range; the identity (all zero) counts as on the curve and in the
// subgroup (callers that forbid it say so). Subgroup checks use the curve's endomorphisms (BLS12-381: Scott,
// https://eprint.iacr.org/2021/1130; BN254 G2: Dai, Lin, Zhao, Zhou, https://eprint.iacr.org/2022/348), with
// multiplication by r as their slow twin in tests. Thread-safety: pure functions.
#pragma once

#include <string_view>

#include "curve/fq2.h"
#include "curve/point.h"

namespace cuzk {

enum class CurveId : std::uint8_t { bn254, bls12_381 };

struct Bn254 {
  using Fr = bn254::Fr;
  using Fq = bn254::Fq;
  using Fq2 = cuzk::Fq2<Fq>;
  using G1Affine = Affine<Fq>;
  using G1 = Point<Fq>;
  using G2Affine = Affine<Fq2>;
  using G2 = Point<Fq2>;
  static constexpr CurveId id = CurveId::bn254;
  static constexpr std::string_view name = "bn254";
  static constexpr std::string_view iden3_name = "bn128";
};

struct Bls12_381 {
  using Fr = bls12_381::Fr;
  using Fq = bls12_381::Fq;
  using Fq2 = cuzk::Fq2<Fq>;
  using G1Affine = Affine<Fq>;
  using G1 = Point<Fq>;
  using G2Affine = Affine<Fq2>;
  using G2 = Point<Fq2>;
  static constexpr CurveId id = CurveId::bls12_381;
  static constexpr std::string_view name = "bls12-381";
  static constexpr std::string_view iden3_name = "bls12381";
};

std::string_view name(CurveId id) noexcept;

/// Calls f.template operator()<C>() with the traits of `id`.
template <class F> decltype(auto) with_curve(CurveId id, F&& f) {
  return id == CurveId::bn254 ? f.template operator()<Bn254>() : f.template operator()<Bls12_381>();
}

template <class C> const typename C::G1Affine& g1_generator() noexcept;
template <class C> const typename C::G2Affine& g2_generator() noexcept;

template <class C> bool is_on_curve(const typename C::G1Affine& p) noexcept;
template <class C> bool is_on_curve(const typename C::G2Affine& p) noexcept;

/// Precondition: on the curve.
template <class C> bool is_in_subgroup(const typename C::G1Affine& p) noexcept;
template <class C> bool is_in_subgroup(const typename C::G2Affine& p) noexcept;

}  // namespace cuzk
