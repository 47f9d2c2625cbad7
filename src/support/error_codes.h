// Every way in which something can fail: one code for the caller's reaction, one kind for what is wrong with bytes.
//
// Code decides the program's exit status (here), and the gRPC status and C return code of the layers that speak those.
// Kind names the exact fault of malformed input; its text form is a contract of `--json` output.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace cuzk {

enum class Code : std::uint8_t {
  invalid_argument,  // the call itself is wrong (flags, sizes that contradict each other)
  malformed,         // bytes from outside violate their format
  unsupported,       // well-formed, but nothing we handle
  not_found,
  exhausted,  // memory, queue, disk
  cancelled,
  deadline,
  unavailable,  // shutting down, device gone
  device,
  conflict,     // held by another live process
  unsatisfied,  // the witness does not satisfy the circuit, or the proof does not verify
  internal,     // our bug
};

enum class Kind : std::uint8_t {
  none,
  truncated,
  bad_magic,
  bad_version,
  bad_protocol,
  missing_section,
  duplicate_section,
  unsupported_section,
  bad_section_length,
  trailing_bytes,
  bad_field_size,
  unknown_curve,
  bad_count,
  bad_domain,
  index_out_of_range,
  non_canonical,
  not_on_curve,
  not_in_subgroup,
  identity_point,
  bad_flags,
  bad_length,
  bad_witness,
  witness_length_mismatch,
  curve_mismatch,
  public_count_mismatch,
  bad_json,
  bad_number,
  not_affine,
  missing_field,
  invalid_proof,
  bad_vkey,
  bad_transcript,
  insecure_key,
  unsatisfied_constraint,
  bad_checksum,
  digest_mismatch,
  circuit_mismatch,
  bad_base64,
  bad_tree_shape,
  unknown_proof_type,
  wrong_proof_type,
  wrong_sector_size,
  duplicate_sector,
  sector_mismatch,
  zero_commitment,
  zero_seed,
  merkle_root_mismatch,
  comm_d_mismatch,
  comm_c_mismatch,
  comm_r_mismatch,
  comm_r_last_mismatch,
  replica_id_mismatch,
  challenge_mismatch,
  parent_mismatch,
  column_mismatch,
  label_mismatch,
  encoding_mismatch,
  apex_leaf_mismatch,
};

/// "malformed", "not_found", ...
std::string_view to_string(Code code) noexcept;
/// "truncated", "bad_magic", ...; empty for Kind::none.
std::string_view to_string(Kind kind) noexcept;

/// Exit status of a program that ends with this code:
/// 1 unsatisfied, 2 bad usage, 3 bad input, 4 resources or cancelled or unavailable or conflict, 5 internal or device.
int exit_status(Code code) noexcept;

}  // namespace cuzk
