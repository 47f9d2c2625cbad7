// Spans of time as people write them: "500ms", "30s", "5m", "2h", "90" (seconds).
//
// Thread-safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace cuzk::server {

/// invalid_argument: no whole number, an unknown unit, or more than a hundred years; the message quotes the text.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// A number of milliseconds that somebody sent; a hundred years where it is more, so that a time can be reckoned from
/// it.
std::chrono::milliseconds bounded_ms(std::uint64_t ms) noexcept;

/// In the largest unit that is exact.
std::string format_duration(std::chrono::milliseconds span);

}  // namespace cuzk::server
