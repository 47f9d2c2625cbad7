// Bytes to points and back, in every form our files use. Each decode checks ranges (coordinate < q), flags and, by the
// explicit Validation argument, the curve equation and the subgroup; nothing is silently reduced.
//
//   Zcash (BLS12-381 only; draft-irtf-cfrg-pairing-friendly-curves-11, appendix C): big-endian canonical coordinates,
//   Fq2 as
//     c1 || c0, three flag bits in byte 0 (0x80 compressed, 0x40 identity, 0x20 larger y). G1 48/96 bytes, G2 96/192.
//   Snarkjs (both curves): little-endian Montgomery coordinates, x then y, Fq2 as c0, c1; the identity is all zero
//   bytes.
//     G1 2|q|, G2 4|q| bytes: the layout of Affine<F> in memory.
//
// Errors: malformed with Kind non_canonical, bad_flags, not_on_curve, not_in_subgroup or bad_length; offsets are
// relative to the given bytes (Where.offset), files and sections are added by the caller. Identities decode
// successfully: whether one is allowed is the caller's knowledge. Thread-safety: pure functions.
#pragma once

#include "curve/curves.h"
#include "support/bytes.h"
#include "support/result.h"

namespace cuzk {

enum class Validation : std::uint8_t {
  range,     // canonical coordinates and legal flags only
  on_curve,  // and the curve equation
  subgroup,  // and membership of the subgroup of order r
};

namespace zcash {
inline constexpr std::size_t kG1Compressed = 48, kG1Uncompressed = 96, kG2Compressed = 96, kG2Uncompressed = 192;

Result<Bls12_381::G1Affine> decode_g1_compressed(Bytes in, Validation validation);
Result<Bls12_381::G1Affine> decode_g1_uncompressed(Bytes in, Validation validation);
Result<Bls12_381::G2Affine> decode_g2_compressed(Bytes in, Validation validation);
Result<Bls12_381::G2Affine> decode_g2_uncompressed(Bytes in, Validation validation);
/// `out` has exactly the form's length.
void encode_g1_compressed(const Bls12_381::G1Affine& p, MutableBytes out) noexcept;
void encode_g1_uncompressed(const Bls12_381::G1Affine& p, MutableBytes out) noexcept;
void encode_g2_compressed(const Bls12_381::G2Affine& p, MutableBytes out) noexcept;
void encode_g2_uncompressed(const Bls12_381::G2Affine& p, MutableBytes out) noexcept;
}  // namespace zcash

namespace snarkjs {
template <class C> inline constexpr std::size_t kG1Bytes = sizeof(typename C::G1Affine);
template <class C> inline constexpr std::size_t kG2Bytes = sizeof(typename C::G2Affine);

template <class C> Result<typename C::G1Affine> decode_g1(Bytes in, Validation validation);
template <class C> Result<typename C::G2Affine> decode_g2(Bytes in, Validation validation);
template <class C> void encode_g1(const typename C::G1Affine& p, MutableBytes out) noexcept;
template <class C> void encode_g2(const typename C::G2Affine& p, MutableBytes out) noexcept;
}  // namespace snarkjs

/// Coordinates already decoded to canonical integers (JSON): the same checks. (0, 0) is not_on_curve: those forms write
/// the identity in another way.
template <class C>
Result<typename C::G1Affine> g1_from_canonical(const typename C::Fq::Repr& x, const typename C::Fq::Repr& y,
                                               Validation validation);
template <class C>
Result<typename C::G2Affine> g2_from_canonical(const typename C::Fq::Repr& x0, const typename C::Fq::Repr& x1,
                                               const typename C::Fq::Repr& y0, const typename C::Fq::Repr& y1,
                                               Validation validation);

}  // namespace cuzk
