// JsonWriter: JSON text (RFC 8259), written front to back.
//
// Members appear in the order in which they are written. Integers are written exactly; where readers hold numbers as
// doubles, one above 2^53 (every field element) belongs into a string. Doubles are the shortest text that reads back to
// the same double; infinities and NaN are null. Strings are UTF-8: a byte that is no part of a valid sequence becomes
// U+FFFD. Style::indented is that of JSON.stringify(value, null, 1), as snarkjs writes its files: one space per depth,
// "[]" and "{}" for what is empty, no newline at the end. Order is a contract (asserted): in an object key, value, key,
// value; one value at the top; take() when all is closed. Thread-safety: external.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cuzk {

class JsonWriter {
 public:
  enum class Style : std::uint8_t { compact, indented };

  explicit JsonWriter(Style style = Style::compact) noexcept : style_(style) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  /// The name of the member whose value comes next.
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view text);
  template <std::integral T>
    requires(!std::same_as<T, bool> && sizeof(T) <= 8)
  JsonWriter& integer(T value) {
    if constexpr (std::is_signed_v<T>) {
      return signed_integer(value);
    } else {
      return unsigned_integer(value);
    }
  }
  JsonWriter& real(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  /// The text; the writer is empty afterwards.
  std::string take();

 private:
  struct Level {
    bool object;
    bool empty = true;
  };

  JsonWriter& signed_integer(std::int64_t value);
  JsonWriter& unsigned_integer(std::uint64_t value);
  JsonWriter& begin(bool object, char bracket);
  JsonWriter& end(bool object, char bracket);
  JsonWriter& scalar(std::string_view text);
  void before_value();
  void separate(Level& level);
  void new_line();
  void quote(std::string_view text);

  Style style_;
  bool after_key_ = false;
  std::vector<Level> levels_;
  std::string text_;
};

}  // namespace cuzk
