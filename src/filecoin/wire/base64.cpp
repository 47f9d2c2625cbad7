#include "filecoin/wire/base64.h"

#include <algorithm>
#include <array>

namespace cuzk::filecoin {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPad = '=';
constexpr std::size_t kGroupText = 4, kGroupBytes = 3;
constexpr std::uint32_t kNoDigit = std::uint32_t{1} << 31;

/// A character's six bits at its place in a group of four, or kNoDigit.
using Table = std::array<std::uint32_t, 256>;
constexpr Table digits_at(unsigned place) {
  Table table{};
  table.fill(kNoDigit);
  for (std::uint32_t value = 0; value < kAlphabet.size(); ++value)
    table[static_cast<unsigned char>(kAlphabet[value])] = value << (18 - 6 * place);
  return table;
}
constexpr Table kDigits[kGroupText] = {digits_at(0), digits_at(1), digits_at(2), digits_at(3)};

std::uint32_t digit(char c, unsigned place) noexcept { return kDigits[place][static_cast<unsigned char>(c)]; }

/// 24 bits, or something with kNoDigit.
std::uint32_t group_value(const char* text) noexcept {
  return digit(text[0], 0) | digit(text[1], 1) | digit(text[2], 2) | digit(text[3], 3);
}

void store_group(std::byte* to, std::uint32_t value) noexcept {
  to[0] = static_cast<std::byte>(value >> 16);
  to[1] = static_cast<std::byte>(value >> 8 & 0xff);
  to[2] = static_cast<std::byte>(value & 0xff);
}

}  // namespace

std::uint64_t Base64Stream::decoded_size() const noexcept {
  std::uint64_t size = text_.size() / kGroupText * kGroupBytes;
  for (std::size_t i = text_.size(); i > 0 && text_.size() - i < 2 && text_[i - 1] == kPad && size > 0; --i) --size;
  return size;
}

std::size_t Base64Stream::fail_at(std::size_t offset) noexcept {
  position_ = offset;
  bad_ = true;
  return 0;
}

std::size_t Base64Stream::first_bad(std::size_t begin, std::size_t end) const noexcept {
  for (std::size_t i = begin; i < end; ++i)
    if (digit(text_[i], 0) == kNoDigit) return i;
  return end;
}

/// The text's last group, which may be padded: two or three characters of digits.
std::size_t Base64Stream::read_last_group(std::byte* to) noexcept {
  const std::size_t left = text_.size() - position_;
  if (left < kGroupText) return fail_at(first_bad(position_, text_.size()));
  const char* const group = text_.data() + position_;
  std::size_t digits = kGroupText;
  while (digits > 2 && group[digits - 1] == kPad) --digits;
  std::uint32_t value = 0;
  for (unsigned place = 0; place < digits; ++place) value |= digit(group[place], place);
  if ((value & kNoDigit) != 0) return fail_at(first_bad(position_, text_.size()));
  const std::size_t bytes = digits - 1;
  if ((value & ((std::uint32_t{1} << (8 * (kGroupBytes - bytes))) - 1)) != 0) return fail_at(position_ + digits - 1);
  std::byte decoded[kGroupBytes];
  store_group(decoded, value);
  std::copy_n(decoded, bytes, to);
  position_ = text_.size();
  return bytes;
}

std::size_t Base64Stream::read(MutableBytes to) noexcept {
  if (bad_ || position_ == text_.size()) return 0;
  const std::size_t left = text_.size() - position_;
  const std::size_t groups = std::min((left - 1) / kGroupText, to.size() / kGroupBytes);  // without the last one
  const char* from = text_.data() + position_;
  std::byte* out = to.data();
  for (std::size_t i = 0; i < groups; ++i, from += kGroupText, out += kGroupBytes) {
    const std::uint32_t value = group_value(from);
    if ((value & kNoDigit) != 0) [[unlikely]] {
      const std::size_t begin = position_ + i * kGroupText;
      fail_at(first_bad(begin, begin + kGroupText));
      return i * kGroupBytes;
    }
    store_group(out, value);
  }
  position_ += groups * kGroupText;
  const std::size_t done = groups * kGroupBytes;
  const bool last = text_.size() - position_ <= kGroupText && to.size() - done >= kGroupBytes;
  return done + (last ? read_last_group(out) : 0);
}

std::optional<Error> Base64Stream::fault() const {
  if (!bad_) return std::nullopt;
  const bool cut = position_ == text_.size();
  return Error(Code::malformed, Kind::bad_base64, cut ? "a base64 text ends within a group" : "not base64")
      .at(Where{.file = {},
                .section = {},
                .offset = position_,
                .expected = cut ? "a multiple of 4 characters" : "A-Z a-z 0-9 + /, then = as padding",
                .found = cut ? std::to_string(text_.size())
                             : "byte " + std::to_string(static_cast<unsigned char>(text_[position_]))});
}

Result<std::vector<std::byte>> decode_base64(std::string_view text) {
  Base64Stream stream(text);
  std::vector<std::byte> bytes(text.size() / kGroupText * kGroupBytes +
                               kGroupBytes);  // whole groups, whatever is padded
  std::size_t size = 0;
  while (const std::size_t taken = stream.read(MutableBytes(bytes).subspan(size))) size += taken;
  if (auto fault = stream.fault()) return fail(std::move(*fault));
  bytes.resize(size);
  return bytes;
}

std::string encode_base64(Bytes bytes) {
  std::string text;
  text.reserve((bytes.size() + kGroupBytes - 1) / kGroupBytes * kGroupText);
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), kGroupBytes);
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < taken; ++i) value |= std::to_integer<std::uint32_t>(bytes[i]) << (16 - 8 * i);
    for (std::size_t place = 0; place < kGroupText; ++place)
      text += place <= taken ? kAlphabet[value >> (18 - 6 * place) & 63] : kPad;
    bytes = bytes.subspan(taken);
  }
  return text;
}

}  // namespace cuzk::filecoin
