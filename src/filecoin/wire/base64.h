// Base64 (RFC 4648, section 4): the standard alphabet with padding, without line breaks; the unused bits of the last
// character must be zero.
//
// Base64Stream decodes piece by piece, so that a text of any length needs a small buffer only. Errors: malformed /
// bad_base64, with the offset of the first bad character in the base64 text. Thread-safety: external.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::filecoin {

class Base64Stream {
 public:
  /// The text must outlive the stream.
  explicit Base64Stream(std::string_view text) noexcept : text_(text) {}

  /// Bytes that the text holds when it is well-formed.
  std::uint64_t decoded_size() const noexcept;

  /// Decodes as many whole groups of three bytes as fit; 0 at the end of the text or of what is well-formed.
  /// precondition: room for three bytes.
  std::size_t read(MutableBytes to) noexcept;

  /// The fault that ended reading early; none while all is well.
  std::optional<Error> fault() const;

 private:
  std::size_t read_last_group(std::byte* to) noexcept;
  std::size_t fail_at(std::size_t offset) noexcept;
  std::size_t first_bad(std::size_t begin, std::size_t end) const noexcept;

  std::string_view text_;
  std::size_t position_ = 0;
  bool bad_ = false;
};

Result<std::vector<std::byte>> decode_base64(std::string_view text);

std::string encode_base64(Bytes bytes);

}  // namespace cuzk::filecoin
