// BLAKE2s-256 (RFC 7693, unkeyed, 32 bytes of digest), streaming and at once.
//
// Thread-safety: external; separate objects concurrently.
#pragma once

#include "support/evp_hash.h"

namespace cuzk {

using Blake2s256 = Hash<HashAlgorithm::blake2s_256, 32>;

inline Blake2s256::Digest blake2s_256(Bytes bytes) { return Blake2s256().update(bytes).finish(); }

}  // namespace cuzk
