// Which kind of file some bytes are, from magic, structure and size; for messages and `inspect`, never as a check.
//
// Cheap: no point is decoded, nothing is allocated by a count of the file. Files without a magic (.params, .vk, proofs)
// are recognised by their counts and sizes. Thread-safety: pure functions. Errors: none; unknown is an answer.
#pragma once

#include <optional>
#include <string_view>

#include "curve/curves.h"
#include "support/bytes.h"

namespace cuzk::formats {

enum class FileKind : std::uint8_t {
  unknown,
  r1cs,
  wtns,
  zkey,
  ptau,
  circuit,
  bellperson_params,
  bellperson_vk,
  bellperson_proof,
  verification_key_json,
  proof_json,
  public_json,
};

/// "zkey", "bellperson_params", ...
std::string_view to_string(FileKind kind) noexcept;

struct Detected {
  FileKind kind = FileKind::unknown;
  std::optional<CurveId> curve;  // where the file says it
};

Detected detect(Bytes file);

}  // namespace cuzk::formats
