// BLAKE2b-512 (RFC 7693, unkeyed) of a message that fits one block: for hashes of a few bytes taken by the million,
// where a library's streaming costs several times the hash. Longer ones: support/blake2b.h. Thread-safety: pure
// function.
#pragma once

#include <array>

#include "support/bytes.h"

namespace cuzk::hash {

/// precondition: 128 bytes at most.
std::array<std::byte, 64> blake2b_512_block(Bytes message) noexcept;

}  // namespace cuzk::hash
