// The proving key as a set of views on a file's own bytes, and as owned vectors (setup).
//
// With A_i, B_i, C_i the QAP polynomials of variable i, evaluated at tau, and m variables, l public inputs, domain size
// N:
//   a[i] = [A_i]_1, b_g1[i] = [B_i]_1, b_g2[i] = [B_i]_2,  l[i] = [(beta A_i + alpha B_i + C_i)/delta]_1 for auxiliary
//   i, h = the quotient's basis (QuotientBasis).
// Dense queries hold one point per variable, identities included (.zkey). Filtered queries leave the identities out
// (bellperson): which variables are present follows from the circuit's densities.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "curve/curves.h"
#include "groth16/verifying_key.h"
#include "r1cs/coefficient_records.h"
#include "support/bytes.h"
#include "support/mapped_file.h"

namespace cuzk::groth16 {

enum class QuotientBasis : std::uint8_t {
  coset_monomials,     // h[i] = [tau^i Z(tau)/delta]_1, N - 1 points (bellperson)
  odd_coset_lagrange,  // h[j] = [L'_{2j+1}(tau)/delta]_1 over the domain of size 2N, N points (snarkjs)
};

enum class PointEncoding : std::uint8_t {
  montgomery_le,      // our memory layout; identity all zero (.zkey)
  zcash_uncompressed  // big-endian canonical (.params)
};

/// Views on sections of a mapped file, in the file's encoding. `owner` keeps the bytes alive. Counts were checked
/// against each other when the file was opened; points themselves are checked by formats (check_points) or when a
/// backend decodes them.
template <class C> struct ProvingKeyView {
  VerifyingKey<C> vk;
  std::size_t num_variables = 0;
  std::size_t domain_size = 0;
  QuotientBasis basis{};
  RootFamily roots{};
  PointEncoding encoding{};
  bool filtered = false;  // a and b queries leave identities out
  Bytes a, b_g1, b_g2, l, h;
  /// The circuit's A and B, where the key carries them (.zkey).
  std::optional<r1cs::CoefficientRecords<typename C::Fr>> coefficients;
  std::shared_ptr<const void> owner;
  /// The file that all the bytes are mapped from, or null when they are somebody's memory: its pages can be given back
  /// to the system and come again. Kept alive by `owner`.
  const MappedFile* file = nullptr;

  std::size_t num_public() const noexcept { return vk.num_public(); }
};

/// A key made by setup(): dense queries in our memory layout.
template <class C> struct ProvingKey {
  VerifyingKey<C> vk;
  std::size_t num_variables = 0;
  std::size_t domain_size = 0;
  QuotientBasis basis{};
  RootFamily roots{};
  std::vector<typename C::G1Affine> a, b_g1, l, h;
  std::vector<typename C::G2Affine> b_g2;

  std::size_t num_public() const noexcept { return vk.num_public(); }
};

/// The key seen as a file's sections are; no copy.
template <class C> ProvingKeyView<C> view_of(std::shared_ptr<const ProvingKey<C>> key);

}  // namespace cuzk::groth16
