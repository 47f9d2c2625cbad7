// A list of vanilla proofs as JSON: an array of base64 strings, one a sector (proofs of spacetime) or a partition
// (updates). The functions on spans take the proofs' bytes as a request carries them.
//
// Errors: malformed, with the kinds of wire/json_archive.h, or of the proofs' form (wire/bincode.h); Where.section
// begins with the element ("[3].vanilla_proof..."); the offset counts in the element. Thread-safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"
#include "support/bytes.h"

namespace cuzk::filecoin {

/// Elements and bytes of one that no proof exceeds.
inline constexpr std::size_t kMaxListElements = 4096;
inline constexpr std::size_t kMaxElementBytes = std::size_t{1} << 20;

using ByteStrings = std::vector<std::vector<std::byte>>;

Result<ByteStrings> read_vanilla_list(std::string_view json);
std::string write_vanilla_list(std::span<const std::vector<std::byte>> elements);

/// Winning: one element; window: one to as many as a partition has. Error: also bad_count.
Result<std::vector<PostVanillaProof>> read_post_proofs(std::span<const Bytes> elements, const SectorShape& sector,
                                                       ProofKind kind);
Result<std::vector<PostVanillaProof>> read_post_proofs(std::string_view json, const SectorShape& sector,
                                                       ProofKind kind);

/// All partitions in order. Error: also bad_count.
Result<std::vector<UpdatePartitionProof>> read_update_proofs(std::span<const Bytes> elements,
                                                             const SectorShape& sector);
Result<std::vector<UpdatePartitionProof>> read_update_proofs(std::string_view json, const SectorShape& sector);

}  // namespace cuzk::filecoin
