// A small circuit with its keys, witness and proof, written into a folder: what the tests of this layer read back.
//
// x^3 + x + 5 = out, out public; every variable is in a constraint. The keys come from a fixed trapdoor.
#pragma once

#include "formats/bellperson_params.h"
#include "formats/r1cs_file.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "groth16/setup.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vectors.h"

namespace cuzk::test {

template <class C> struct Sample {
  using Fr = typename C::Fr;

  static r1cs::RowCircuit<Fr> circuit() {
    constexpr r1cs::Wire one = 0, out = 1, x = 2, square = 3, cube = 4;
    r1cs::CircuitBuilder<Fr> builder(5, 1);
    using Side = typename r1cs::CircuitBuilder<Fr>::Side;
    const auto product = [&](r1cs::Wire a, r1cs::Wire b, r1cs::Wire c) {
      builder.add_term(Side::a, a, Fr::one());
      builder.add_term(Side::b, b, Fr::one());
      builder.add_term(Side::c, c, Fr::one());
      builder.end_constraint();
    };
    product(x, x, square);
    product(square, x, cube);
    builder.add_term(Side::a, x, Fr::one());
    builder.add_term(Side::a, one, Fr::from_u64(5));
    product(cube, one, out);
    return std::move(builder).finish();
  }

  static r1cs::Witness witness() {
    std::vector<U256> values;
    for (const unsigned value : {1u, 35u, 3u, 9u, 27u}) values.push_back(U256::from_u64(value));
    return r1cs::Witness(std::move(values));
  }

  static groth16::ProvingKey<C> key(Arena& arena, groth16::QuotientBasis basis, RootFamily roots) {
    const auto trapdoor = groth16::Trapdoor<Fr>::given({.tau = Fr::from_u64(1234567),
                                                        .alpha = Fr::from_u64(2345678),
                                                        .beta = Fr::from_u64(3456789),
                                                        .gamma = Fr::from_u64(4567890),
                                                        .delta = Fr::from_u64(5678901)});
    return must(groth16::setup<C>(arena, circuit(), trapdoor, basis, roots));
  }
  static groth16::ProvingKey<C> zkey_key(Arena& arena) {
    return key(arena, groth16::QuotientBasis::odd_coset_lagrange, RootFamily::iden3);
  }

  static FileBytes zkey(Arena& arena, std::string_view contribution = formats::kDevelopmentContribution) {
    const TemporaryFolder folder;
    must(formats::write_zkey(folder.file("k.zkey"), zkey_key(arena), circuit(), contribution));
    return read_file(folder.file("k.zkey"));
  }
  static FileBytes r1cs() {
    const TemporaryFolder folder;
    must(formats::write_r1cs<C>(folder.file("c.r1cs"), circuit()));
    return read_file(folder.file("c.r1cs"));
  }
  static FileBytes wtns() {
    const TemporaryFolder folder;
    must(formats::write_wtns<C>(folder.file("w.wtns"), witness()));
    return read_file(folder.file("w.wtns"));
  }
};

/// The bellperson key of the sample.
inline groth16::ProvingKey<Bls12_381> sample_params_key(Arena& arena) {
  return Sample<Bls12_381>::key(arena, groth16::QuotientBasis::coset_monomials, RootFamily::bellperson);
}
inline FileBytes sample_params(Arena& arena) {
  const TemporaryFolder folder;
  must(formats::write_params(folder.file("k.params"), sample_params_key(arena)));
  return read_file(folder.file("k.params"));
}

inline formats::KeySource in_memory(FileBytes bytes) {
  auto owned = std::make_shared<const FileBytes>(std::move(bytes));
  return formats::KeySource(Bytes(*owned), owned);
}

}  // namespace cuzk::test
