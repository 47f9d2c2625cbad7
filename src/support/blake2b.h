// BLAKE2b-512 (RFC 7693, unkeyed, 64 bytes of digest), streaming and at once.
//
// Thread-safety: external; separate objects concurrently.
#pragma once

#include "support/evp_hash.h"

namespace cuzk {

using Blake2b512 = Hash<HashAlgorithm::blake2b_512, 64>;

inline Blake2b512::Digest blake2b_512(Bytes bytes) { return Blake2b512().update(bytes).finish(); }

}  // namespace cuzk
