// Which hash makes a node of a Merkle tree from its children: Poseidon of 2, 4 or 8 of them (a sector's replica and
// columns), or SHA-256 of 2, trimmed to 254 bits (its data).
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuzk::hash {

enum class TreeHash : std::uint8_t { poseidon, sha256 };

/// Children of a node, at most.
inline constexpr std::size_t kMaxTreeArity = 8;

}  // namespace cuzk::hash
