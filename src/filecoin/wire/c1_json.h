// The request of a PoRep proof: {"SectorNum": n, "Phase1Out": base64, "SectorSize": bytes}, where the base64 holds the
// JSON of seal_commit_phase1's output (docs/circuits.md, "Wire formats").
//
// The inner text is decoded and parsed through a window of 256 KiB: beside the given text and the values there is
// nothing, so that 51 MB of inner text (32 GiB) cost 1.34 + 0.25 times its size. The order of members is free, unknown
// ones are skipped. Shapes are those of the sector size that the proof names; memory is taken after a count was
// compared. Errors: malformed, with a kind (wire/json_archive.h; wrong_sector_size, wrong_proof_type), unsupported /
// unknown_proof_type; Where has the value's path ("Phase1Out.vanilla_proofs.StackedDrg32GiBV1[0][3]...") and the offset
// in the text that it names. Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "filecoin/vanilla/proofs.h"
#include "support/result.h"

namespace cuzk::filecoin {

struct C1Output {
  std::optional<std::uint64_t> sector_number;  // none: the text had no wrapper
  PorepVanillaProof proof;
};

/// The wrapper, or the inner text alone.
Result<C1Output> read_c1_json(std::string_view text);
/// The inner text.
Result<PorepVanillaProof> read_phase1_json(std::string_view text);

/// As the official library and the caller's wrapper write them. precondition: the shapes of the registered proof.
std::string write_c1_json(const PorepVanillaProof& proof, std::uint64_t sector_number);
std::string write_phase1_json(const PorepVanillaProof& proof);

}  // namespace cuzk::filecoin
