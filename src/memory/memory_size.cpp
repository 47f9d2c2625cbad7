#include "memory/memory_size.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "support/checked.h"

namespace cuzk::memory {

namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;  // lower case
  std::uint64_t bytes;
};

constexpr std::array kUnits = {
    Unit{"", 1},
    Unit{"b", 1},
    Unit{"k", kKiB},
    Unit{"kib", kKiB},
    Unit{"m", kMiB},
    Unit{"mib", kMiB},
    Unit{"g", kGiB},
    Unit{"gib", kGiB},
    Unit{"t", kGiB * 1024},
    Unit{"tib", kGiB * 1024},
    Unit{"kb", 1'000},
    Unit{"mb", 1'000'000},
    Unit{"gb", 1'000'000'000},
    Unit{"tb", 1'000'000'000'000},
};

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view take_digits(std::string_view& text) noexcept {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

std::optional<std::uint64_t> unit_bytes(std::string_view text) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(), lower);
  const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == kUnits.end()) return std::nullopt;
  return unit->bytes;
}

/// digits x unit; nothing when that needs more than 64 bits.
std::optional<std::uint64_t> whole_part(std::string_view digits, std::uint64_t unit) noexcept {
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto tens = checked_mul(value, 10);
    const auto next = tens ? checked_add(*tens, static_cast<std::uint64_t>(c - '0')) : std::nullopt;
    if (!next) return std::nullopt;
    value = *next;
  }
  return checked_mul(value, unit);
}

/// 0.digits x unit, rounded down.
std::uint64_t fraction_part(std::string_view digits, std::uint64_t unit) noexcept {
  constexpr std::size_t kSignificant = 20;  // 10^-20 of the largest unit is far below a byte
  Wide scaled = 0;
  Wide scale = 1;
  for (const char c : digits.substr(0, kSignificant)) {
    scaled = scaled * 10 + static_cast<unsigned>(c - '0');
    scale *= 10;
  }
  // scaled < 10^20 < 2^67 and unit <= 2^40: the product fits into 128 bits.
  return static_cast<std::uint64_t>(scaled * unit / scale);
}

}  // namespace

Result<std::uint64_t> parse_memory_size(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return fail(Code::invalid_argument, "\"" + std::string(text) + "\" is no memory size: " + std::string(why) +
                                            "; write for example 512MiB, 1.5GiB or a number of bytes");
  };
  std::string_view rest = trim(text);
  const std::string_view whole = take_digits(rest);
  if (whole.empty()) return refuse("it does not begin with a digit");
  std::string_view decimals;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    decimals = take_digits(rest);
    if (decimals.empty()) return refuse("no digit follows the point");
  }
  const auto unit = unit_bytes(trim(rest));
  if (!unit) return refuse("unknown unit \"" + std::string(trim(rest)) + "\"");
  const auto bytes = whole_part(whole, *unit);
  const auto sum = bytes ? checked_add(*bytes, fraction_part(decimals, *unit)) : std::nullopt;
  if (!sum) return refuse("it is more than 2^64 - 1 bytes");
  return *sum;
}

std::string format_memory_size(std::uint64_t bytes) {
  if (bytes < kKiB) return std::to_string(bytes) + " B";
  constexpr std::array kNames = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t step = 0;
  unsigned shift = 10;
  while (step + 1 < kNames.size() && (bytes >> shift) >= 1024) {
    ++step;
    shift += 10;
  }
  const std::uint64_t whole = bytes >> shift;
  const std::uint64_t rest = bytes - (whole << shift);
  const auto tenth = static_cast<std::uint64_t>(static_cast<Wide>(rest) * 10 >> shift);
  return std::to_string(whole) + "." + std::to_string(tenth) + " " + kNames[step];
}

}  // namespace cuzk::memory
