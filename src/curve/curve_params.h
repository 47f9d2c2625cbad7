// What defines the two curves: the curve parameter x (t in the BN literature), the equations and the generators. This
// is the only place where they are typed by hand; everything else is derived.
//
//   BN254: x = 4965661367192848881 > 0, q = 36x^4 + 36x^3 + 24x^2 + 6x + 1; generators of EIP-196 and EIP-197.
//   BLS12-381: x = -0xd201000000010000, r = x^4 - x^2 + 1; generators of
//   draft-irtf-cfrg-pairing-friendly-curves-11, 4.2.1.
//
// xi = xi0 + u is the non-residue of the tower Fq6 = Fq2[v]/(v^3 - xi), Fq12 = Fq6[w]/(w^2 - v), and fixes the twist:
// b' = b/xi (D-type, the untwist multiplies by powers of w) or b' = b xi (M-type, it divides).
// Thread-safety: constants.
#pragma once

#include <array>

#include "curve/curves.h"

namespace cuzk {

enum class TwistType : std::uint8_t { divide, multiply };

template <class C> struct CurveParams;

template <> struct CurveParams<Bn254> {
  static constexpr u64 x = 4965661367192848881u;
  static constexpr bool x_is_negative = false;
  static constexpr u64 b = 3;
  static constexpr u64 xi0 = 9;
  static constexpr TwistType twist = TwistType::divide;

  static constexpr U256 g1_x = U256::from_u64(1);
  static constexpr U256 g1_y = U256::from_u64(2);
  static constexpr U256 g2_x0 = U256::from_hex("1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed");
  static constexpr U256 g2_x1 = U256::from_hex("198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2");
  static constexpr U256 g2_y0 = U256::from_hex("12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa");
  static constexpr U256 g2_y1 = U256::from_hex("090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b");
};

template <> struct CurveParams<Bls12_381> {
  static constexpr u64 x = 0xd201000000010000u;
  static constexpr bool x_is_negative = true;
  static constexpr u64 b = 4;
  static constexpr u64 xi0 = 1;
  static constexpr TwistType twist = TwistType::multiply;

  static constexpr U384 g1_x = U384::from_hex(
      "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb");
  static constexpr U384 g1_y = U384::from_hex(
      "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1");
  static constexpr U384 g2_x0 = U384::from_hex(
      "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8");
  static constexpr U384 g2_x1 = U384::from_hex(
      "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e");
  static constexpr U384 g2_y0 = U384::from_hex(
      "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801");
  static constexpr U384 g2_y1 = U384::from_hex(
      "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be");
};

/// xi z = (xi0 + u)(z0 + z1 u), by additions.
template <class C, class F> constexpr Fq2<F> times_xi(const Fq2<F>& z) noexcept {
  if constexpr (CurveParams<C>::xi0 == 1) {
    return {z.c0 - z.c1, z.c0 + z.c1};
  } else {
    static_assert(CurveParams<C>::xi0 == 9);
    const Fq2<F> nine = z.doubled().doubled().doubled() + z;
    return {nine.c0 - z.c1, nine.c1 + z.c0};
  }
}

template <class C> typename C::Fq2 xi() noexcept { return {C::Fq::from_u64(CurveParams<C>::xi0), C::Fq::one()}; }

/// b' of the twist.
template <class C> typename C::Fq2 twist_b() noexcept {
  const auto b = C::Fq::from_u64(CurveParams<C>::b);
  return (CurveParams<C>::twist == TwistType::divide ? xi<C>().inverse() : xi<C>()) * b;
}

/// xi^(k (q-1)/6): the factor of the coefficient of w^k under the Frobenius map z -> z^q of Fq12, k = 0..5.
template <class C> const std::array<typename C::Fq2, 6>& frobenius_coefficients() noexcept;

}  // namespace cuzk
