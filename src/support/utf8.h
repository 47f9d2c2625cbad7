// UTF-8: what is well-formed (Unicode 15, table 3-7).
//
// Thread-safety: concurrently.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuzk {

/// Length of the well-formed sequence at the front of a text that is not empty, or 0.
std::size_t utf8_length(std::string_view text) noexcept;
bool is_utf8(std::string_view text) noexcept;

/// Length of the character at the front of a text, if it is one that must not get onto a screen or into a line as it
/// is: it steers a terminal, ends a line, or turns the direction of what follows. Else 0.
std::size_t control_length(std::string_view text) noexcept;

/// The text, or where it has more than `most` bytes its beginning and "...", together no longer; `most` is at least 3.
/// No sequence is cut in two.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace cuzk
