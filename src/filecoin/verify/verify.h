// Verification of Filecoin's proofs from public data: the public inputs of every partition follow from the statement
// (primitives/public_inputs.h), then all partitions are verified at once (groth16/batch_verifier.h).
//
// Thread-safety: pure functions. Complexity: a PoRep of ten partitions hashes some thousand short messages; a window
// partition 23,490, and multiplies as many points.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "filecoin/primitives/statements.h"
#include "groth16/verifier.h"
#include "support/bytes.h"
#include "support/parallel.h"
#include "support/result.h"

namespace cuzk::filecoin {

using VerifyingKey = groth16::VerifyingKey<Bls12_381>;

/// `proof`: 192 bytes a partition, in order, as many as the statement has; or one, if `partition` names it. Errors:
/// unsatisfied / invalid_proof, naming the partitions; malformed / bad_length (another number of partitions),
/// circuit_mismatch (the key is for another circuit), and those of formats/bellperson_proof.h; invalid_argument (no
/// such partition).
Status verify_proof(Arena& arena, const VerifyingKey& key, const Statement& statement, Bytes proof,
                    std::optional<std::uint64_t> partition = {});

/// A proof as it lies in a file: its bytes, or one line of hexadecimal or base64 text of them. Errors: malformed /
/// bad_base64, bad_number.
Result<std::vector<std::byte>> read_proof_file(Bytes file);

}  // namespace cuzk::filecoin
