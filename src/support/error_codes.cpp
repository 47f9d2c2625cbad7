#include "support/error_codes.h"

namespace cuzk {

std::string_view to_string(Code code) noexcept {
  switch (code) {
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::malformed:
      return "malformed";
    case Code::unsupported:
      return "unsupported";
    case Code::not_found:
      return "not_found";
    case Code::exhausted:
      return "exhausted";
    case Code::cancelled:
      return "cancelled";
    case Code::deadline:
      return "deadline";
    case Code::unavailable:
      return "unavailable";
    case Code::device:
      return "device";
    case Code::conflict:
      return "conflict";
    case Code::unsatisfied:
      return "unsatisfied";
    case Code::internal:
      return "internal";
  }
  return "internal";
}

std::string_view to_string(Kind kind) noexcept {
  switch (kind) {
    case Kind::none:
      return "";
    case Kind::truncated:
      return "truncated";
    case Kind::bad_magic:
      return "bad_magic";
    case Kind::bad_version:
      return "bad_version";
    case Kind::bad_protocol:
      return "bad_protocol";
    case Kind::missing_section:
      return "missing_section";
    case Kind::duplicate_section:
      return "duplicate_section";
    case Kind::unsupported_section:
      return "unsupported_section";
    case Kind::bad_section_length:
      return "bad_section_length";
    case Kind::trailing_bytes:
      return "trailing_bytes";
    case Kind::bad_field_size:
      return "bad_field_size";
    case Kind::unknown_curve:
      return "unknown_curve";
    case Kind::bad_count:
      return "bad_count";
    case Kind::bad_domain:
      return "bad_domain";
    case Kind::index_out_of_range:
      return "index_out_of_range";
    case Kind::non_canonical:
      return "non_canonical";
    case Kind::not_on_curve:
      return "not_on_curve";
    case Kind::not_in_subgroup:
      return "not_in_subgroup";
    case Kind::identity_point:
      return "identity_point";
    case Kind::bad_flags:
      return "bad_flags";
    case Kind::bad_length:
      return "bad_length";
    case Kind::bad_witness:
      return "bad_witness";
    case Kind::witness_length_mismatch:
      return "witness_length_mismatch";
    case Kind::curve_mismatch:
      return "curve_mismatch";
    case Kind::public_count_mismatch:
      return "public_count_mismatch";
    case Kind::bad_json:
      return "bad_json";
    case Kind::bad_number:
      return "bad_number";
    case Kind::not_affine:
      return "not_affine";
    case Kind::missing_field:
      return "missing_field";
    case Kind::invalid_proof:
      return "invalid_proof";
    case Kind::bad_vkey:
      return "bad_vkey";
    case Kind::bad_transcript:
      return "bad_transcript";
    case Kind::insecure_key:
      return "insecure_key";
    case Kind::unsatisfied_constraint:
      return "unsatisfied_constraint";
    case Kind::bad_checksum:
      return "bad_checksum";
    case Kind::digest_mismatch:
      return "digest_mismatch";
    case Kind::circuit_mismatch:
      return "circuit_mismatch";
    case Kind::bad_base64:
      return "bad_base64";
    case Kind::bad_tree_shape:
      return "bad_tree_shape";
    case Kind::unknown_proof_type:
      return "unknown_proof_type";
    case Kind::wrong_proof_type:
      return "wrong_proof_type";
    case Kind::wrong_sector_size:
      return "wrong_sector_size";
    case Kind::duplicate_sector:
      return "duplicate_sector";
    case Kind::sector_mismatch:
      return "sector_mismatch";
    case Kind::zero_commitment:
      return "zero_commitment";
    case Kind::zero_seed:
      return "zero_seed";
    case Kind::merkle_root_mismatch:
      return "merkle_root_mismatch";
    case Kind::comm_d_mismatch:
      return "comm_d_mismatch";
    case Kind::comm_c_mismatch:
      return "comm_c_mismatch";
    case Kind::comm_r_mismatch:
      return "comm_r_mismatch";
    case Kind::comm_r_last_mismatch:
      return "comm_r_last_mismatch";
    case Kind::replica_id_mismatch:
      return "replica_id_mismatch";
    case Kind::challenge_mismatch:
      return "challenge_mismatch";
    case Kind::parent_mismatch:
      return "parent_mismatch";
    case Kind::column_mismatch:
      return "column_mismatch";
    case Kind::label_mismatch:
      return "label_mismatch";
    case Kind::encoding_mismatch:
      return "encoding_mismatch";
    case Kind::apex_leaf_mismatch:
      return "apex_leaf_mismatch";
  }
  return "";
}

int exit_status(Code code) noexcept {
  switch (code) {
    case Code::unsatisfied:
      return 1;
    case Code::invalid_argument:
      return 2;
    case Code::malformed:
    case Code::unsupported:
    case Code::not_found:
      return 3;
    case Code::exhausted:
    case Code::cancelled:
    case Code::deadline:
    case Code::unavailable:
    case Code::conflict:
      return 4;
    case Code::device:
    case Code::internal:
      return 5;
  }
  return 5;
}

}  // namespace cuzk
