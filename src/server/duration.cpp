#include "server/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace cuzk::server {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ms;
};
// The largest first.
constexpr std::array<Unit, 4> kUnits = {{{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};
constexpr std::uint64_t kLongestMs = std::uint64_t{100} * 365 * 24 * 3'600'000;

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  std::string_view name(rest, static_cast<std::size_t>(end - rest));
  if (name.empty()) name = "s";
  const auto unit = std::ranges::find(kUnits, name, &Unit::name);
  if (fault != std::errc{} || unit == kUnits.end()) {
    return fail(Code::invalid_argument,
                "\"" + std::string(text) + "\" is no span of time: a whole number and ms, s, m or h, as in \"5m\"");
  }
  if (number > kLongestMs / unit->ms) {
    return fail(Code::invalid_argument, "\"" + std::string(text) + "\" is more than a hundred years");
  }
  return std::chrono::milliseconds(number * unit->ms);
}

std::chrono::milliseconds bounded_ms(std::uint64_t ms) noexcept {
  return std::chrono::milliseconds(std::min(ms, kLongestMs));
}

std::string format_duration(std::chrono::milliseconds span) {
  const auto ms = static_cast<std::uint64_t>(span.count());
  if (ms == 0) return "0s";
  const auto unit = std::ranges::find_if(kUnits, [ms](const Unit& u) { return ms % u.ms == 0; });
  return std::to_string(ms / unit->ms) + std::string(unit->name);
}

}  // namespace cuzk::server
