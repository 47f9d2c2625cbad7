// JsonCursor: JSON text (RFC 8259) taken token by token, front to back, without a document or an index in memory.
//
// The decoders of proofs need no more, and a document would cost them several times the text: simdjson's index alone is
// 8 bytes for each number of these texts, which consist of numbers of two or three digits. The text is one view, or
// comes out of base64 through a window of fixed size. Functions return false or nothing where the text is something
// else than asked for; the first such place is kept in fault(). UTF-8 is not looked into: names are compared as bytes.
// Thread-safety: external.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filecoin/wire/base64.h"

namespace cuzk::filecoin {

class JsonCursor {
 public:
  using Array32 = std::array<std::byte, 32>;

  struct Fault {
    Kind kind;
    std::string message;
    std::uint64_t offset;  // in the JSON text
    std::string expected;
    std::string found;
  };

  /// The text must outlive the cursor.
  explicit JsonCursor(std::string_view text) noexcept;
  explicit JsonCursor(Base64Stream& stream);
  JsonCursor(const JsonCursor&) = delete;
  JsonCursor& operator=(const JsonCursor&) = delete;

  /// The next character that is not blank; NUL at the end.
  char peek();
  /// Takes `wanted` where it comes next. accept() leaves no fault where something else comes.
  bool accept(char wanted);
  bool expect(char wanted);
  /// After a value in an array or object: takes a comma, or the closing bracket, which ends the loop. False: neither.
  bool next_or_close(char close, bool& closed);

  bool number(std::uint64_t& value);
  /// An array of 32 integers below 256.
  bool bytes32(Array32& value);
  /// A string of at most kMaxString bytes; \uXXXX of ASCII characters and the short escapes are decoded. The view holds
  /// until the next string.
  bool string(std::string_view& value);
  /// A string without escapes as it lies in the text, of any length. precondition: the cursor is over a view.
  bool raw_string(std::string_view& value);
  bool null();
  /// Any value; kMaxDepth bounds arrays and objects.
  bool skip_value();
  /// Only blanks are left.
  bool expect_end();

  std::uint64_t offset() const noexcept { return window_offset_ + static_cast<std::uint64_t>(at_ - begin_); }
  const std::optional<Fault>& fault() const noexcept { return fault_; }
  bool failed(Kind kind, std::string message, std::string expected = {}, std::string found = {});

  static constexpr std::size_t kMaxString = 256;
  static constexpr unsigned kMaxDepth = 64;

 private:
  bool refill();
  void want(std::size_t bytes);
  char take_raw();
  bool bytes32_fast(Array32& value) noexcept;
  bool bytes32_slow(Array32& value);
  bool escape(std::string& to);
  bool string_to(std::string* to);
  bool word(std::string_view wanted);
  bool skip_number();
  bool skip_value(unsigned depth);
  bool unexpected(std::string expected);
  bool not_a_number();

  Base64Stream* stream_ = nullptr;
  std::vector<char> window_;
  const char* begin_;
  const char* at_;
  const char* end_;
  std::uint64_t window_offset_ = 0;
  std::string string_;
  std::optional<Fault> fault_;
};

}  // namespace cuzk::filecoin
