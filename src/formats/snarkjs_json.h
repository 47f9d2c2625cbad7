// verification_key.json, proof.json and public.json of snarkjs.
//
// Numbers are decimal strings, points affine triples with third coordinate "1", Fq2 elements [c0, c1]. Reading is
// strict: no member twice, unknown ones only in keys, exact counts, digits `0|[1-9][0-9]*`, coordinates below q, public
// values below r, points on the curve and in the subgroup; texts are bounded in size and depth before they are parsed.
// `curve` may be absent in a proof (the key's is meant) and in a key (BN254, as older tools write); vk_alphabeta_12 is
// redundant and never used. Writing gives snarkjs's own bytes (JSON.stringify(x, null, 1), no newline at the end), or
// rapidsnark's compact ones. Page: docs/formats/snarkjs-json.md. Errors: malformed with bad_json, bad_number,
// missing_field, bad_protocol, unknown_curve, curve_mismatch, bad_count, public_count_mismatch, non_canonical,
// not_affine, not_on_curve, not_in_subgroup, identity_point; Where.section is the path of the value ("IC[3][0]").
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "curve/curves.h"
#include "groth16/proof.h"
#include "groth16/verifying_key.h"
#include "support/parallel.h"
#include "support/result.h"

namespace cuzk::formats {

inline constexpr std::size_t kMaxProofJsonBytes = std::size_t{1} << 16;
inline constexpr std::size_t kMaxIcPoints = (std::size_t{1} << 20) + 1;
inline constexpr std::size_t kMaxPublicJsonBytes = std::size_t{1} << 27;
inline constexpr std::size_t kMaxVerifyingKeyJsonBytes = std::size_t{1} << 28;

enum class JsonForm : std::uint8_t {
  snarkjs,     // one space per depth, with `curve`
  rapidsnark,  // compact, keys sorted, without `curve`
};

/// The curve that a verification key or proof names; none when it has no `curve`. Error: unknown_curve for other names.
Result<std::optional<CurveId>> json_curve(std::string_view text);

/// beta_g1 and delta_g1 are not in the file: identities. curve_mismatch when the text is for the other curve.
template <class C> Result<groth16::VerifyingKey<C>> read_verification_key_json(Arena& arena, std::string_view text);

/// Without `curve` it is taken as C's.
template <class C> Result<groth16::Proof<C>> read_proof_json(std::string_view text);

/// Public values, canonical. public_count_mismatch when they are not as many as `num_public`, if that is given.
template <class C>
Result<std::vector<U256>> read_public_json(std::string_view text, std::optional<std::size_t> num_public = {});

/// snarkjs's form, vk_alphabeta_12 computed.
template <class C> std::string write_verification_key_json(const groth16::VerifyingKey<C>& key);

template <class C> std::string write_proof_json(const groth16::Proof<C>& proof, JsonForm form = JsonForm::snarkjs);

std::string write_public_json(std::span<const U256> values, JsonForm form = JsonForm::snarkjs);

}  // namespace cuzk::formats
