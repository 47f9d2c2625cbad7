// Proofs of bellperson: BLS12-381, 192 bytes each (A 48, B 96, C 48, compressed Zcash points), k proofs back to back.
//
// Checked on reading: length, flags, range, curve, subgroup, no identity. Page: docs/formats/bellperson.md.
// Errors: malformed (bad_length, bad_flags, non_canonical, not_on_curve, not_in_subgroup, identity_point) with section
// "proof 3.b" (or "a" of a single proof) and offset. Thread-safety: pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "groth16/proof.h"
#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::formats {

inline constexpr std::size_t kBellpersonProofBytes = 192;

/// Exactly `count` proofs.
Result<std::vector<groth16::Proof<Bls12_381>>> read_bellperson_proofs(Bytes file, std::size_t count);
/// Exactly one.
Result<groth16::Proof<Bls12_381>> read_bellperson_proof(Bytes file);

/// 192 bytes a proof, in order.
std::vector<std::byte> write_bellperson_proofs(std::span<const groth16::Proof<Bls12_381>> proofs);
std::vector<std::byte> write_bellperson_proof(const groth16::Proof<Bls12_381>& proof);

}  // namespace cuzk::formats
