#include "cli/option_checks.h"

#include <charconv>
#include <cstdint>

namespace cuzk::cli {

std::string check_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return {};
  return "\"" + text + "\" is no integer from 0 to 2^64 - 1";
}

}  // namespace cuzk::cli
