// Bytes that a label determines: pseudorandom content for sectors of tests and demonstrations, and the tickets, seeds
// and randomness that go with them. The reference vectors' data are made the same way (tests/vectors/README.md).
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

/// SHA-256(label || u64 LE i) for i = 0, 1, ..., cut to `count` bytes.
std::vector<std::byte> label_stream(std::string_view label, std::uint64_t count);

/// SHA-256(label).
Bytes32 label_bytes(std::string_view label);
/// The same with the two top bits of the last byte cleared: below the field's modulus.
Bytes32 label_element(std::string_view label);

}  // namespace cuzk::filecoin
