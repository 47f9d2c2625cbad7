// Everything that distinguishes Filecoin's proof kinds and sector sizes, as data: circuits, shapes, numbers of
// partitions, names of key files, registered proof numbers.
//
// Source: filecoin-proofs 19.0.1 (constants, parameters) and the published parameters.json of version 28; page:
// docs/circuits.md, "Shapes" and "Parameter files". Thread-safety: constants and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace cuzk::filecoin {

enum class ProofKind : std::uint8_t { porep, winning, window, snap };
inline constexpr ProofKind kProofKinds[] = {ProofKind::porep, ProofKind::winning, ProofKind::window, ProofKind::snap};

/// "porep", "winning", "window", "snap"
std::string_view name_of(ProofKind kind) noexcept;
std::optional<ProofKind> proof_kind_from(std::string_view name) noexcept;

/// Version of the proofs' interface: it decides the order of parents and the indices of PoSt challenges.
enum class ApiVersion : std::uint8_t { v1_0_0, v1_1_0, v1_2_0 };

/// The tree over a sector's replica and columns: base trees of arity 8, joined by `sub` and `top` (0: none).
struct TreeShape {
  unsigned base_levels;  // levels of arity 8
  unsigned sub;          // 0, 2, 4 or 8
  unsigned top;          // 0 or 2

  /// Arities of a path, leaf level first.
  std::vector<unsigned> arities() const;
};

/// A sector size and what follows from it for all kinds. Sizes without published parameters (4, 16, 32 KiB, 16 MiB,
/// 1 GiB) exist for tests.
struct SectorShape {
  std::string_view name;  // "2KiB", "32GiB"
  std::string_view id;    // "2k", "8m", "512m", "32g", "64g"; also for sizes without published parameters ("4k", ...)
  std::uint64_t bytes;
  bool published;
  TreeShape tree;

  unsigned layers;            // 2 or 11
  unsigned porep_partitions;  // interactive and synthetic
  unsigned porep_challenges;  // of one partition
  unsigned non_interactive_partitions;
  unsigned window_sectors;     // of one partition
  unsigned update_partitions;  // 0: no update for this size
  unsigned update_challenges;  // of one partition
  unsigned update_apex_leaves;
  unsigned update_h;         // high bits of the challenge that choose rho: hs[3]
  unsigned update_h_select;  // 8 or 1

  std::uint64_t nodes() const noexcept { return bytes / 32; }
  unsigned log2_nodes() const noexcept;  // depth of the data tree
};

inline constexpr unsigned kWinningSectors = 66;    // of one challenge each: "1 sector, 66 challenges"
inline constexpr unsigned kWindowChallenges = 10;  // a sector
inline constexpr unsigned kDrgParents = 6;
inline constexpr unsigned kExpanderParents = 8;
inline constexpr unsigned kLabelParents = 37;  // the parents cycled, as a label hashes them

std::span<const SectorShape> sector_shapes() noexcept;
/// By name ("2KiB") or id ("2k"), or by bytes; null when there is none.
const SectorShape* find_sector_shape(std::string_view name_or_id) noexcept;
const SectorShape* find_sector_shape(std::uint64_t bytes) noexcept;

/// One circuit = one proving key. Partitions of a kind share it; so do the interactive, synthetic and non-interactive
/// PoRep.
struct Circuit {
  ProofKind kind;
  const SectorShape* sector;

  /// "porep-2k", "winning-32g", "wpost-32g", "snap-64g"
  std::string id() const;
  /// Identifier whose SHA-256 is in the name of the key file.
  std::string identifier() const;
  /// "v28-stacked-proof-of-replication-...-<sha256>", without ending
  std::string key_file_stem() const;
  std::size_t num_public() const noexcept;  // without ONE
  friend bool operator==(const Circuit&, const Circuit&) noexcept = default;
};

/// Error: not_found, listing what there is.
Result<Circuit> find_circuit(std::string_view id);

/// Sizes and digests of the published files (first 16 bytes of BLAKE2b-512, as hexadecimal), where published.
struct PublishedKey {
  std::uint64_t params_bytes;  // computed from the circuit's counts; agrees with the published totals
  std::string_view params_digest;
  std::string_view vk_digest;
};
std::optional<PublishedKey> published_key(const Circuit& circuit) noexcept;

/// StackedDrg*: numbers 0..19. Five of each feature, in order of size.
enum class PorepFeature : std::uint8_t { v1, v1_1, synthetic, non_interactive };
struct SealProof {
  std::uint32_t number;
  const SectorShape* sector;
  PorepFeature feature;

  ApiVersion api() const noexcept;
  unsigned partitions() const noexcept;
  /// "StackedDrg32GiBV1_1", as in the JSON of a C1 output
  std::string name() const;
  /// u64 LE number, u64 LE nonce 0, zeros
  std::array<std::byte, 32> porep_id() const noexcept;
};
Result<SealProof> seal_proof(std::uint32_t number);
Result<SealProof> seal_proof(std::string_view name);

/// StackedDrgWinning* 0..4, StackedDrgWindow* 5..9 (V1), 10..14 (V1_1 in Go, V1_2 in the Rust API).
struct PostProof {
  std::uint32_t number;
  ProofKind kind;  // winning or window
  const SectorShape* sector;
  ApiVersion api;

  /// "StackedDrgWinning32GiBV1", "StackedDrgWindow32GiBV1_2"
  std::string name() const;
};
Result<PostProof> post_proof(std::uint32_t number);
/// Also the Go name of the newer window proofs, "StackedDrgWindow32GiBV1_1".
Result<PostProof> post_proof(std::string_view name);

/// Update proofs of StackedDrg*: 0..4.
Result<const SectorShape*> update_proof(std::uint32_t number);
/// "StackedDrg32GiBV1"
Result<const SectorShape*> update_proof(std::string_view name);

}  // namespace cuzk::filecoin
