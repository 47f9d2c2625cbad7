// SHA-256 (FIPS 180-4): 32 bytes of digest, streaming and at once.
//
// Thread-safety: external; separate objects concurrently.
#pragma once

#include "support/evp_hash.h"

namespace cuzk {

using Sha256 = Hash<HashAlgorithm::sha256, 32>;

inline Sha256::Digest sha256(Bytes bytes) { return Sha256().update(bytes).finish(); }

}  // namespace cuzk
