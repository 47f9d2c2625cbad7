#include "support/utf8.h"

namespace cuzk {

namespace {

constexpr bool is_continuation(unsigned char byte) noexcept { return (byte & 0xc0) == 0x80; }

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = at(0);
  const unsigned second = at(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return is_continuation(static_cast<unsigned char>(second)) ? 2 : 0;
  // The second byte's range excludes overlong forms, surrogates and values above U+10FFFF.
  unsigned low = 0x80;
  unsigned high = 0xbf;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (first < 0xe0 || first > 0xf4 || second < low || second > high) return 0;
  const std::size_t length = first < 0xf0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_continuation(static_cast<unsigned char>(at(i)))) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t control_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (text.empty()) return 0;
  if (at(0) < 0x20 || at(0) == 0x7f) return 1;
  if (at(0) == 0xc2) return at(1) >= 0x80 && at(1) < 0xa0 ? 2 : 0;  // U+0080 to U+009F
  if (at(0) == 0xd8) return at(1) == 0x9c ? 2 : 0;                  // U+061C
  if (at(0) != 0xe2) return 0;
  const unsigned low = at(1) << 8U | at(2);
  const bool is_mark = low == 0x808e || low == 0x808f;         // U+200E, U+200F
  const bool is_end_or_turn = low >= 0x80a8 && low <= 0x80ae;  // U+2028 to U+202E
  const bool is_isolate = low >= 0x81a6 && low <= 0x81a9;      // U+2066 to U+2069
  return is_mark || is_end_or_turn || is_isolate ? 3 : 0;
}

std::string shortened(std::string_view text, std::size_t most) {
  constexpr std::string_view kMore = "...";
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - kMore.size();
  for (int back = 0; back < 3 && end > 0 && is_continuation(static_cast<unsigned char>(text[end])); ++back) --end;
  return std::string(text.substr(0, end)).append(kMore);
}

}  // namespace cuzk
