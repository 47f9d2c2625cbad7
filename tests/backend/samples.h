// A random circuit with its witness, trapdoor and key, in the forms that backends take.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/cpu_backend.h"
#include "curve/encoding.h"
#include "groth16/setup.h"
#include "r1cs/density.h"
#include "tests/groth16/exponents.h"
#include "tests/support/must.h"

namespace cuzk::test {

struct KeyForm {
  groth16::QuotientBasis basis;
  RootFamily roots;
};
inline constexpr KeyForm kSnarkjs = {groth16::QuotientBasis::odd_coset_lagrange, RootFamily::iden3};
inline constexpr KeyForm kBellperson = {groth16::QuotientBasis::coset_monomials, RootFamily::bellperson};

template <class C> struct Case {
  using Fr = typename C::Fr;

  Case(Arena& arena, const CircuitShape& shape, const KeyForm& form, std::mt19937_64& random)
      : satisfied(random_circuit<Fr>(shape, random)),
        trapdoor(random_trapdoor<Fr>(random)),
        circuit(std::make_shared<const r1cs::RowCircuit<Fr>>(satisfied.circuit)),
        key(std::make_shared<const groth16::ProvingKey<C>>(
            must(groth16::setup<C>(arena, *circuit, groth16::Trapdoor<Fr>::given(trapdoor), form.basis, form.roots)))),
        records(coefficient_records(*circuit)) {}

  std::shared_ptr<const r1cs::Witness> witness() const {
    return std::make_shared<const r1cs::Witness>(satisfied.values());
  }
  /// As setup makes it: no matrices.
  groth16::ProvingKeyView<C> plain_view() const { return groth16::view_of(key); }
  /// As a .zkey: with matrices.
  groth16::ProvingKeyView<C> view_with_records() const {
    auto view = plain_view();
    view.coefficients = r1cs::CoefficientRecords<Fr>(records, true);
    return view;
  }

  SatisfiedCircuit<Fr> satisfied;
  groth16::TrapdoorValues<Fr> trapdoor;
  std::shared_ptr<const r1cs::RowCircuit<Fr>> circuit;
  std::shared_ptr<const groth16::ProvingKey<C>> key;
  std::vector<std::byte> records;
};

/// The queries of a .params file: ZCash encoding, absent variables left out of a and b.
struct FilteredKey {
  explicit FilteredKey(const Case<Bls12_381>& sample) : view(sample.plain_view()) {
    const auto densities = r1cs::densities(*sample.circuit);
    for (const auto v : densities.a) put(a, sample.key->a[v]);
    for (const auto v : densities.b) put(b_g1, sample.key->b_g1[v]);
    for (const auto v : densities.b) put(b_g2, sample.key->b_g2[v]);
    for (const auto& point : sample.key->l) put(l, point);
    for (const auto& point : sample.key->h) put(h, point);
    view.encoding = groth16::PointEncoding::zcash_uncompressed;
    view.filtered = true;
    refresh();
  }
  FilteredKey(const FilteredKey&) = delete;

  /// After a change of the bytes.
  void refresh() {
    view.a = a;
    view.b_g1 = b_g1;
    view.b_g2 = b_g2;
    view.l = l;
    view.h = h;
  }

  std::vector<std::byte> a, b_g1, b_g2, l, h;
  groth16::ProvingKeyView<Bls12_381> view;

 private:
  static void put(std::vector<std::byte>& out, const Bls12_381::G1Affine& point) {
    out.resize(out.size() + zcash::kG1Uncompressed);
    zcash::encode_g1_uncompressed(point, std::span(out).last(zcash::kG1Uncompressed));
  }
  static void put(std::vector<std::byte>& out, const Bls12_381::G2Affine& point) {
    out.resize(out.size() + zcash::kG2Uncompressed);
    zcash::encode_g2_uncompressed(point, std::span(out).last(zcash::kG2Uncompressed));
  }
};

}  // namespace cuzk::test
