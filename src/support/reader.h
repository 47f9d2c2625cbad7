// Reader: takes fixed-width fields and arrays off a span of bytes, front to back, and never past its end.
//
// Every failure is malformed with its kind and Where{section, offset, expected, found}; offset counts from the start of
// the file, and the file's name is added by the caller that knows it (Error::in_file). Sizes are compared with what is
// left before anything is taken: an announced count can never make a caller allocate more than the bytes in front of
// it. A failed read takes nothing. Spans that are given out point into the span that was given in; they are as
// unaligned as the file is. Thread-safety: const methods concurrently; others external.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/bytes.h"
#include "support/result.h"

namespace cuzk {

class Reader {
 public:
  /// `section` is the format's own name for these bytes ("5", "header"); `file_offset` is where they start in the file.
  Reader(Bytes data, std::string section, std::uint64_t file_offset = 0);

  /// One field each; `what` is its name in the message of an error.
  Result<std::uint8_t> u8(std::string_view what);
  Result<std::uint32_t> u32_le(std::string_view what);
  Result<std::uint32_t> u32_be(std::string_view what);
  Result<std::uint64_t> u64_le(std::string_view what);
  Result<std::uint64_t> u64_be(std::string_view what);

  Result<Bytes> bytes(std::uint64_t count, std::string_view what);
  /// count elements of element_bytes each (element_bytes > 0).
  Result<Bytes> array(std::uint64_t count, std::uint64_t element_bytes, std::string_view what);
  Status skip(std::uint64_t count, std::string_view what);
  /// The next `count` bytes as a reader of their own, named `section`.
  Result<Reader> part(std::uint64_t count, std::string section);

  std::uint64_t remaining() const noexcept { return data_.size() - position_; }
  /// Offset in the file of the byte that comes next.
  std::uint64_t offset() const noexcept { return file_offset_ + position_; }
  const std::string& section() const noexcept { return section_; }

  /// trailing_bytes unless all is taken.
  Status expect_end() const;

  /// A malformed error at the current offset, or at the offset given (in the file), for `return
  /// fail(in.malformed(...))`.
  Error malformed(Kind kind, std::string message, std::string expected = {}, std::string found = {}) const;
  Error malformed_at(std::uint64_t offset, Kind kind, std::string message, std::string expected = {},
                     std::string found = {}) const;

 private:
  template <class T> Result<T> field(std::string_view what);

  Bytes data_;
  std::size_t position_ = 0;
  std::uint64_t file_offset_;
  std::string section_;
};

}  // namespace cuzk
