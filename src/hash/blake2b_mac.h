// Keyed BLAKE2b with 32 bytes of digest (RFC 7693), as a message authentication code.
//
// Precondition: the key has at most 64 bytes. A failure of the library ends the program. Thread-safety: pure function.
#pragma once

#include <array>
#include <string_view>

#include "support/bytes.h"

namespace cuzk::hash {

std::array<std::byte, 32> blake2b_mac(std::string_view key, Bytes message);

}  // namespace cuzk::hash
