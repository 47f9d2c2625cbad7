// Verifying keys of bellperson (.vk, and the first part of .params): BLS12-381, uncompressed Zcash points, counts in
// big-endian.
//
//   alpha_g1 96 | beta_g1 96 | beta_g2 192 | gamma_g2 192 | delta_g1 96 | delta_g2 192 | u32 BE count | ic: count x 96
//
// All points are checked on reading: range, curve, subgroup, no identity anywhere. Page: docs/formats/bellperson.md.
// Errors: malformed (truncated, trailing_bytes, bad_count, bad_flags, non_canonical, not_on_curve, not_in_subgroup,
// identity_point) with section ("alpha_g1", ..., "ic") and offset. Thread-safety: pure functions.
#pragma once

#include <vector>

#include "groth16/verifying_key.h"
#include "support/parallel.h"
#include "support/reader.h"
#include "support/result.h"

namespace cuzk::formats {

/// Bytes up to and including the count of ic.
inline constexpr std::uint64_t kBellpersonVkFixedBytes = 868;

/// Exactly one key.
Result<groth16::VerifyingKey<Bls12_381>> read_bellperson_vk(Arena& arena, Bytes file);

/// A key at the front of a longer file; the reader stands behind it afterwards.
Result<groth16::VerifyingKey<Bls12_381>> read_bellperson_vk_prefix(Arena& arena, Reader& in);

std::vector<std::byte> write_bellperson_vk(const groth16::VerifyingKey<Bls12_381>& key);

}  // namespace cuzk::formats
