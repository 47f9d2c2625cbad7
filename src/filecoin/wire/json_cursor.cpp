#include "filecoin/wire/json_cursor.h"

#include <algorithm>
#include <bit>

namespace cuzk::filecoin {
namespace {

constexpr std::size_t kWindow = std::size_t{256} << 10;  // stays in the second cache
/// Bytes that the fast reading of an array may look at: five a number where it is no array of bytes, and a word behind.
constexpr std::size_t kArrayText = 2 + 32 * 5 + 4;

bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string shown(char c) {
  if (c == '\0') return "the end or NUL";
  if (c > ' ' && c <= '~') return std::string("'") + c + "'";
  return "byte " + std::to_string(static_cast<unsigned char>(c));
}

struct ShortNumber {
  unsigned value;
  unsigned digits;  // 1 to 3; other values: no number of a byte
};

/// A number of one to three digits, without branches: their count by the first byte that is no digit, then the sum of
/// the digits moved to the top of the word.
ShortNumber short_number(const char* text) noexcept {
  const std::uint32_t word = load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(text)) ^ 0x30303030;
  const std::uint32_t other = ((word & 0x7f7f7f7f) + 0x76767676) | word;  // top bit of each byte that is no digit
  const unsigned digits = static_cast<unsigned>(std::countr_zero(other & 0x80808080)) / 8;
  const std::uint32_t top = digits == 0 || digits > 3 ? 0 : word << (32 - 8 * digits);
  const unsigned value = (top >> 24) + (top >> 16 & 0xff) * 10 + (top >> 8 & 0xff) * 100;
  const bool leading_zero = digits > 1 && (word & 0xff) == 0;
  return {value, leading_zero ? 0 : digits};
}

}  // namespace

JsonCursor::JsonCursor(std::string_view text) noexcept
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

JsonCursor::JsonCursor(Base64Stream& stream) : stream_(&stream), window_(kWindow) {
  begin_ = at_ = end_ = window_.data();
}

/// Moves what is left to the front of the window and fills the rest; false when nothing came.
bool JsonCursor::refill() {
  if (stream_ == nullptr) return false;
  const auto left = static_cast<std::size_t>(end_ - at_);
  window_offset_ = offset();
  std::copy(at_, end_, window_.begin());
  const auto room = std::as_writable_bytes(std::span(window_)).subspan(left);
  const std::size_t got = room.size() < 3 ? 0 : stream_->read(room);
  begin_ = at_ = window_.data();
  end_ = begin_ + left + got;
  return got > 0;
}

/// Tries to have this many bytes before the end of the window.
void JsonCursor::want(std::size_t bytes) {
  while (static_cast<std::size_t>(end_ - at_) < bytes && refill()) {
  }
}

bool JsonCursor::failed(Kind kind, std::string message, std::string expected, std::string found) {
  if (fault_) return false;
  const bool at_end = at_ == end_;
  fault_ = Fault{at_end && kind == Kind::bad_json ? Kind::truncated : kind, std::move(message), offset(),
                 std::move(expected), std::move(found)};
  return false;
}

bool JsonCursor::unexpected(std::string expected) {
  return failed(Kind::bad_json, "not the JSON that is due here", std::move(expected), shown(at_ == end_ ? '\0' : *at_));
}

bool JsonCursor::not_a_number() {
  if (at_ == end_) return unexpected("a digit");
  return failed(Kind::bad_number, "not a number", "a digit", shown(*at_));
}

char JsonCursor::peek() {
  for (;;) {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    if (at_ != end_) return *at_;
    if (!refill()) return '\0';
  }
}

bool JsonCursor::accept(char wanted) {
  if (peek() != wanted || at_ == end_) return false;
  ++at_;
  return true;
}

bool JsonCursor::expect(char wanted) { return accept(wanted) || unexpected(shown(wanted)); }

bool JsonCursor::next_or_close(char close, bool& closed) {
  closed = accept(close);
  return closed || accept(',') || unexpected(std::string("',' or '") + close + "'");
}

bool JsonCursor::number(std::uint64_t& value) {
  if (!is_digit(peek())) return not_a_number();
  want(24);
  const bool zero = *at_ == '0';
  std::uint64_t sum = 0;
  const char* const begin = at_;
  for (; at_ != end_ && is_digit(*at_); ++at_) {
    if (__builtin_mul_overflow(sum, std::uint64_t{10}, &sum) ||
        __builtin_add_overflow(sum, static_cast<std::uint64_t>(*at_ - '0'), &sum))
      return failed(Kind::bad_number, "a number of more than 64 bits", "below 2^64");
  }
  if (zero && at_ - begin > 1) return failed(Kind::bad_number, "a number with a leading 0");
  if (at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E'))
    return failed(Kind::bad_number, "not a whole number", "digits", shown(*at_));
  value = sum;
  return true;
}

bool JsonCursor::bytes32_fast(Array32& value) noexcept {
  if (static_cast<std::size_t>(end_ - at_) < kArrayText || *at_ != '[') return false;
  const char* at = at_ + 1;
  bool good = true;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const ShortNumber number = short_number(at);
    at += number.digits;
    good &= number.digits - 1 < 3 && number.value < 256 && *at == (i + 1 < value.size() ? ',' : ']');
    ++at;
    value[i] = static_cast<std::byte>(number.value);
  }
  if (good) at_ = at;
  return good;
}

bool JsonCursor::bytes32_slow(Array32& value) {
  if (!expect('[')) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i > 0 && !accept(',')) {
      const std::string found = peek() == ']' ? std::to_string(i) : shown(peek());
      return failed(peek() == ']' ? Kind::bad_length : Kind::bad_json, "not an array of 32 bytes", "32", found);
    }
    if (i == 0 && peek() == ']') return failed(Kind::bad_length, "not an array of 32 bytes", "32", "0");
    std::uint64_t byte = 0;
    if (!number(byte)) return false;
    if (byte > 255) return failed(Kind::bad_number, "not a byte", "0 to 255", std::to_string(byte));
    value[i] = static_cast<std::byte>(byte);
  }
  if (accept(']')) return true;
  if (peek() == ',') return failed(Kind::bad_length, "not an array of 32 bytes", "32", "more");
  return unexpected("']'");
}

bool JsonCursor::bytes32(Array32& value) {
  static_cast<void>(peek());
  want(kArrayText);
  return bytes32_fast(value) || bytes32_slow(value);
}

/// The next character as it stands; a fault at the end.
char JsonCursor::take_raw() {
  if (at_ == end_ && !refill()) {
    failed(Kind::truncated, "the text ends within a string");
    return '\0';
  }
  return *at_++;
}

bool JsonCursor::escape(std::string& to) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char c = take_raw();
  if (const std::size_t i = kEscapes.find(c); i != std::string_view::npos) {
    to += kMeanings[i];
    return true;
  }
  if (c != 'u') return failed(Kind::bad_json, "an unknown escape in a string", {}, shown(c));
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const char digit = take_raw();
    const char lower = static_cast<char>(digit | 0x20);
    if (is_digit(digit)) {
      code = code * 16 + static_cast<unsigned>(digit - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code * 16 + static_cast<unsigned>(lower - 'a' + 10);
    } else {
      return failed(Kind::bad_json, "an unknown escape in a string", "four hexadecimal digits", shown(digit));
    }
  }
  to += code < 128 ? static_cast<char>(code) : '?';  // no name of ours has it
  return true;
}

/// Null: skipped, of any length.
bool JsonCursor::string_to(std::string* to) {
  if (!expect('"')) return false;
  std::string skipped;
  std::string& out = to != nullptr ? *to : skipped;
  out.clear();
  for (;;) {
    const char c = take_raw();
    if (fault_) return false;
    if (c == '"') return true;
    if (static_cast<unsigned char>(c) < 0x20) return failed(Kind::bad_json, "a control character in a string");
    if (to == nullptr) out.clear();
    if (c == '\\') {
      if (!escape(out)) return false;
    } else {
      out += c;
    }
    if (out.size() > kMaxString)
      return failed(Kind::bad_length, "a string is too long", "at most " + std::to_string(kMaxString) + " bytes");
  }
}

bool JsonCursor::string(std::string_view& value) {
  if (!string_to(&string_)) return false;
  value = string_;
  return true;
}

bool JsonCursor::raw_string(std::string_view& value) {
  CUZK_REQUIRE(stream_ == nullptr);
  if (!expect('"')) return false;
  const char* const begin = at_;
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const std::size_t size = rest.find('"');
  if (size == std::string_view::npos) {
    at_ = end_;
    return failed(Kind::truncated, "the text ends within a string");
  }
  value = {begin, size};
  at_ = begin + size + 1;
  return true;
}

bool JsonCursor::word(std::string_view wanted) {
  static_cast<void>(peek());
  want(wanted.size());
  const std::string_view next(at_, std::min(wanted.size(), static_cast<std::size_t>(end_ - at_)));
  if (next != wanted) {
    if (wanted.starts_with(next)) at_ = end_;  // the text ends within the word
    return unexpected(std::string(wanted));
  }
  at_ += wanted.size();
  return true;
}

bool JsonCursor::null() { return word("null"); }

/// -?digits[.digits][e[+-]digits]
bool JsonCursor::skip_number() {
  const auto digits = [&] {
    if (!is_digit(at_ == end_ && !refill() ? '\0' : *at_)) return not_a_number();
    while ((at_ != end_ || refill()) && is_digit(*at_)) ++at_;
    return true;
  };
  const auto next_is = [&](std::string_view any) {
    const bool is = (at_ != end_ || refill()) && any.find(*at_) != std::string_view::npos;
    if (is) ++at_;
    return is;
  };
  next_is("-");
  if (!digits()) return false;
  if (next_is(".") && !digits()) return false;
  if (!next_is("eE")) return true;
  next_is("+-");
  return digits();
}

bool JsonCursor::skip_value(unsigned depth) {
  if (depth > kMaxDepth) return failed(Kind::bad_json, "arrays and objects are nested too deep", "at most 64");
  const char first = peek();
  if (first == '"') return string_to(nullptr);
  if (first == 't') return word("true");
  if (first == 'f') return word("false");
  if (first == 'n') return word("null");
  if (first != '[' && first != '{') return skip_number();
  const bool object = first == '{';
  const char close = object ? '}' : ']';
  ++at_;
  for (bool closed = accept(close); !closed;) {
    if (object && (!string_to(nullptr) || !expect(':'))) return false;
    if (!skip_value(depth + 1) || !next_or_close(close, closed)) return false;
  }
  return true;
}

bool JsonCursor::skip_value() { return skip_value(0); }

bool JsonCursor::expect_end() {
  if (peek() == '\0' && at_ == end_) return true;
  return failed(Kind::trailing_bytes, "something follows the JSON value", "the end", shown(peek()));
}

}  // namespace cuzk::filecoin
