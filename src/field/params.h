// The four prime fields: what is typed by hand. Everything else (Montgomery constants, roots of unity) is derived in
// field/fp.h at compile time.
//
//   BN254 ("alt_bn128")   r, q: Reitwiessner, EIP-196/197; in iden3 files "bn128".
//   BLS12-381             r, q: draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1; in iden3 files "bls12381".
//
// `generators` (scalar fields only): small non-residues whose power (r-1)/2^s fixes the 2-adic root of unity. The two
// families of files use different ones (RootFamily): iden3 takes the smallest non-residue, bellperson the smallest
// multiplicative generator. On BN254 they coincide; on BLS12-381 they do not, and mixing them breaks every proof.
#pragma once

#include "field/big_int.h"

namespace cuzk {

enum class RootFamily : std::uint8_t {
  iden3,       // .zkey
  bellperson,  // .params
};

struct Bn254FrParams {
  static constexpr U256 modulus = U256::from_hex("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001");
  static constexpr u64 generator(RootFamily) noexcept { return 5; }
};

struct Bn254FqParams {
  static constexpr U256 modulus = U256::from_hex("30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
};

struct Bls12_381FrParams {
  static constexpr U256 modulus = U256::from_hex("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001");
  static constexpr u64 generator(RootFamily family) noexcept { return family == RootFamily::iden3 ? 5 : 7; }
};

struct Bls12_381FqParams {
  static constexpr U384 modulus = U384::from_hex(
      "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab");
};

}  // namespace cuzk
