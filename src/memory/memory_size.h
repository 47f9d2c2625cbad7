// Sizes as people write them: "512MiB", "1.5 GiB", "512G", "1048576".
//
// Units: bytes. B (or none); KiB MiB GiB TiB and, as in systemd's files, K M G T are powers of 1024; kB MB GB TB are
// powers of 1000. Case does not matter. Decimals are exact and the result is rounded down to whole bytes.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace cuzk::memory {

inline constexpr std::uint64_t kKiB = std::uint64_t{1} << 10;
inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// invalid_argument: no number, an unknown unit, a sign, or more than 2^64 - 1 bytes; the message quotes the text.
Result<std::uint64_t> parse_memory_size(std::string_view text);

/// "0 B", "512 B", "1.0 KiB", "13.6 GiB": one decimal, rounded down.
std::string format_memory_size(std::uint64_t bytes);

}  // namespace cuzk::memory
