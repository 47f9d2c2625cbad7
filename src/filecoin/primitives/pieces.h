// The commitment to a sector's data from those to its pieces.
//
// Page: docs/circuits.md, "comm_d from pieces". Sizes are padded bytes: 127 bytes of data are 128. Thread-safety: pure
// functions.
#pragma once

#include <cstdint>
#include <span>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

struct Piece {
  std::uint64_t padded_bytes;  // a power of two, 128 at least
  Node commitment;
};

/// Root over `padded_bytes` of zeros. precondition: a power of two, 64 at least.
Node zero_piece(std::uint64_t padded_bytes) noexcept;

/// Each piece starts at the next multiple of its size, zeros fill the gaps and the end of the sector.
/// Errors: malformed / bad_length (a size that is no such power of two), malformed / bad_count (they do not fit).
Result<Node> comm_d_from_pieces(const SectorShape& sector, std::span<const Piece> pieces);

}  // namespace cuzk::filecoin
