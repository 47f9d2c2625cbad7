// The compression function of SHA-256 (FIPS 180-4, 6.2.2) alone: for trees and labels of fixed-size messages, where
// streaming and padding by a library cost more than the hash. SHA-NI where the machine has it.
// Thread-safety: pure functions.
#pragma once

#include <array>
#include <cstdint>

#include "field/big_int.h"
#include "support/bytes.h"

namespace cuzk::hash {

using Sha256State = std::array<std::uint32_t, 8>;

inline constexpr Sha256State kSha256Initial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
extern const std::array<std::uint32_t, 64> kSha256RoundConstants;

/// Takes in blocks of 64 bytes. precondition: a multiple of 64.
void sha256_compress(Sha256State& state, Bytes blocks) noexcept;
/// The same without the processor's extensions.
void sha256_compress_portable(Sha256State& state, Bytes blocks) noexcept;

/// Ends a message that lies in whole blocks: a one bit behind its `length` bytes, and the length in bits at the end;
/// what is between must be zero already. precondition: length + 9 <= blocks.size(), a multiple of 64.
void sha256_pad(MutableBytes blocks, std::size_t length) noexcept;

/// The digest as a node: its bytes, the two top bits of the last one cleared, so that it is a canonical field element.
U256 trimmed_digest(const Sha256State& state) noexcept;

/// SHA-256 of left || right, trimmed: a level of the data tree.
U256 sha256_pair(const U256& left, const U256& right) noexcept;

}  // namespace cuzk::hash
