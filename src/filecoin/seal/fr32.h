// Pieces as sectors hold them: the bits of the raw data, 254 to a node, so that every node is below the field's modulus
// (docs/circuits.md, "Byte and field conversions").
// Thread-safety: pure functions.
#pragma once

#include <vector>

#include "filecoin/vanilla/proofs.h"
#include "support/bytes.h"

namespace cuzk::filecoin {

/// Bytes of raw data that fill a sector.
constexpr std::uint64_t raw_bytes(std::uint64_t sector_bytes) noexcept { return sector_bytes / 128 * 127; }

/// 127 bytes make 4 nodes. precondition: a multiple of 127 bytes.
std::vector<Node> pad_fr32(Bytes raw);

}  // namespace cuzk::filecoin
