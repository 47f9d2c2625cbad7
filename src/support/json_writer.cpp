#include "support/json_writer.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "support/result.h"
#include "support/utf8.h"

namespace cuzk {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

std::string_view short_escape(char c) noexcept {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return {};
  }
}

template <class Number> std::string number_text(Number value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, end.ptr);
}

}  // namespace

JsonWriter& JsonWriter::begin_object() { return begin(true, '{'); }
JsonWriter& JsonWriter::end_object() { return end(true, '}'); }
JsonWriter& JsonWriter::begin_array() { return begin(false, '['); }
JsonWriter& JsonWriter::end_array() { return end(false, ']'); }

JsonWriter& JsonWriter::begin(bool object, char bracket) {
  before_value();
  levels_.push_back(Level{object});
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::end(bool object, char bracket) {
  CUZK_ASSERT(!levels_.empty() && levels_.back().object == object && !after_key_);
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) new_line();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  CUZK_ASSERT(!levels_.empty() && levels_.back().object && !after_key_);
  separate(levels_.back());
  quote(name);
  text_ += style_ == Style::compact ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  before_value();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::real(double value) { return std::isfinite(value) ? scalar(number_text(value)) : null(); }
JsonWriter& JsonWriter::boolean(bool value) { return scalar(value ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return scalar("null"); }
JsonWriter& JsonWriter::signed_integer(std::int64_t value) { return scalar(number_text(value)); }
JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) { return scalar(number_text(value)); }

JsonWriter& JsonWriter::scalar(std::string_view text) {
  before_value();
  text_ += text;
  return *this;
}

std::string JsonWriter::take() {
  CUZK_ASSERT(levels_.empty() && !text_.empty());
  return std::exchange(text_, {});
}

void JsonWriter::before_value() {
  if (levels_.empty()) {
    CUZK_ASSERT(text_.empty());
  } else if (levels_.back().object) {
    CUZK_ASSERT(after_key_);
    after_key_ = false;
  } else {
    separate(levels_.back());
  }
}

void JsonWriter::separate(Level& level) {
  if (!level.empty) text_ += ',';
  level.empty = false;
  new_line();
}

void JsonWriter::new_line() {
  if (style_ == Style::compact) return;
  text_ += '\n';
  text_.append(levels_.size(), ' ');
}

void JsonWriter::quote(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text_ += '"';
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (const std::string_view escape = short_escape(c); !escape.empty()) {
      text_ += escape;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += "\\u00";
      text_ += kDigits[static_cast<unsigned char>(c) >> 4];
      text_ += kDigits[static_cast<unsigned char>(c) & 15];
    } else {
      text_ += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace cuzk
