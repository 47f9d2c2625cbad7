// The 32 bytes that stand for a storage provider in hashes.
// Page: docs/circuits.md, "prover_id". Thread-safety: pure functions.
#pragma once

#include <cstdint>

#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

/// Actor f0<id>: the id as unsigned LEB128, then zeros.
Bytes32 prover_id(std::uint64_t actor_id) noexcept;

}  // namespace cuzk::filecoin
