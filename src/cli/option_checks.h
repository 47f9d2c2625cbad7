// What values of options are checked for; the text of the fault, empty where there is none.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

namespace cuzk::cli {

/// Digits of a number below 2^64 alone: the library takes -1 for 2^64 - 1, and what is larger too.
std::string check_number(const std::string& text);

}  // namespace cuzk::cli
