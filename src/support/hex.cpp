#include "support/hex.h"

namespace cuzk {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int digit_value(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

Error no_digit(std::size_t position) {
  return Error(Code::malformed, Kind::bad_number,
               "character " + std::to_string(position) + " of a hexadecimal text is no digit");
}

}  // namespace

std::string encode_hex(Bytes bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    digits += kDigits[value >> 4];
    digits += kDigits[value & 15];
  }
  return digits;
}

Status decode_hex(std::string_view digits, MutableBytes out) {
  if (digits.size() % 2 != 0 || digits.size() / 2 != out.size()) {
    return fail(Code::malformed, Kind::bad_length,
                "a hexadecimal text has " + std::to_string(digits.size()) + " digits, expected " +
                    std::to_string(2 * out.size()));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = digit_value(digits[2 * i]);
    const int low = digit_value(digits[2 * i + 1]);
    if (high < 0) return fail(no_digit(2 * i));
    if (low < 0) return fail(no_digit(2 * i + 1));
    out[i] = static_cast<std::byte>(16 * high + low);
  }
  return {};
}

Result<std::vector<std::byte>> decode_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) {
    return fail(Code::malformed, Kind::bad_length,
                "a hexadecimal text has " + std::to_string(digits.size()) + " digits, expected an even number");
  }
  std::vector<std::byte> bytes(digits.size() / 2);
  CUZK_CHECK_OK(decode_hex(digits, bytes));
  return bytes;
}

}  // namespace cuzk
