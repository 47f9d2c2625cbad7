// Filecoin's four kinds as jobs of the engine, and their circuits as a catalogue.
//
// Names of kinds are those of cuzk.v1: "porep-c2", "snap-update", "window-post", "winning-post". Thread-safety: pure
// functions; objects concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/content.h"
#include "engine/proving_circuit.h"
#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::engine {

std::string_view job_kind(filecoin::ProofKind kind) noexcept;

/// Bytes that a payload may have at most.
struct PayloadLimits {
  std::uint64_t c1_bytes = std::uint64_t{160} << 20;      // of a PoRep
  std::uint64_t vanilla_bytes = std::uint64_t{1} << 20;   // one of a winning PoSt or an update
  std::uint64_t window_bytes = std::uint64_t{256} << 10;  // one of a window PoSt
  std::uint64_t of(filecoin::ProofKind kind) const noexcept;
};

/// A request as a client states it. What a kind does not use is not looked at.
struct FilecoinRequest {
  filecoin::ProofKind kind{};
  std::uint32_t registered_proof = 0;                         // seal, PoSt or update number, as the kind has it
  std::uint64_t sector_number = 0;                            // porep
  std::uint64_t miner_id = 0;                                 // porep, PoSt
  std::vector<std::byte> randomness;                          // PoSt: 32 bytes
  std::vector<std::byte> comm_r_old, comm_r_new, comm_d_new;  // snap: 32 bytes each
  std::vector<Payload> payloads;  // porep: one C1 text; PoSt: one a sector; snap: one a partition
  PayloadLimits limits{};         // the service's, not the client's
};

/// Checks what costs nothing: numbers against the kind, counts, lengths, canonical values. Errors: invalid_argument,
/// malformed, unsupported.
Result<JobContent> filecoin_content(FilecoinRequest request);

/// The four kinds.
std::vector<std::shared_ptr<const JobKind>> filecoin_kinds();

struct FilecoinCatalogueOptions {
  std::string params;    // folder of keys
  std::string circuits;  // folder of compiled circuits; empty: recorded anew by each process
};
/// The arena must outlive the catalogue and all that it gave.
std::unique_ptr<Catalogue> filecoin_catalogue(Arena& arena, FilecoinCatalogueOptions options);

}  // namespace cuzk::engine
