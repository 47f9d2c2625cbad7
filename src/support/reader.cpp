#include "support/reader.h"

#include "support/checked.h"

namespace cuzk {

namespace {

std::string bytes_count(std::uint64_t count) { return std::to_string(count) + " bytes"; }

}  // namespace

Reader::Reader(Bytes data, std::string section, std::uint64_t file_offset)
    : data_(data), file_offset_(file_offset), section_(std::move(section)) {}

template <class T> Result<T> Reader::field(std::string_view what) {
  CUZK_TRY(const Bytes raw, bytes(sizeof(T), what));
  return load_le<T>(raw.data());
}

Result<std::uint8_t> Reader::u8(std::string_view what) { return field<std::uint8_t>(what); }
Result<std::uint32_t> Reader::u32_le(std::string_view what) { return field<std::uint32_t>(what); }
Result<std::uint64_t> Reader::u64_le(std::string_view what) { return field<std::uint64_t>(what); }

Result<std::uint32_t> Reader::u32_be(std::string_view what) {
  CUZK_TRY(const std::uint32_t reversed, field<std::uint32_t>(what));
  return byte_swap(reversed);
}

Result<std::uint64_t> Reader::u64_be(std::string_view what) {
  CUZK_TRY(const std::uint64_t reversed, field<std::uint64_t>(what));
  return byte_swap(reversed);
}

Result<Bytes> Reader::bytes(std::uint64_t count, std::string_view what) {
  if (count > remaining()) {
    return fail(malformed(Kind::truncated, std::string(what) + " runs past the end", bytes_count(count),
                          bytes_count(remaining())));
  }
  const Bytes taken = data_.subspan(position_, count);
  position_ += count;
  return taken;
}

Result<Bytes> Reader::array(std::uint64_t count, std::uint64_t element_bytes, std::string_view what) {
  CUZK_REQUIRE(element_bytes > 0);
  const auto size = checked_mul(count, element_bytes);
  if (!size || *size > remaining()) {
    return fail(malformed(Kind::truncated, std::string(what) + " run past the end",
                          std::to_string(count) + " x " + bytes_count(element_bytes), bytes_count(remaining())));
  }
  return bytes(*size, what);
}

Status Reader::skip(std::uint64_t count, std::string_view what) {
  CUZK_CHECK_OK(bytes(count, what));
  return {};
}

Result<Reader> Reader::part(std::uint64_t count, std::string section) {
  const std::uint64_t begin = offset();
  CUZK_TRY(const Bytes taken, bytes(count, "section " + section));
  return Reader(taken, std::move(section), begin);
}

Status Reader::expect_end() const {
  if (remaining() == 0) return {};
  return fail(malformed(Kind::trailing_bytes, "bytes are left over", "the end", bytes_count(remaining())));
}

Error Reader::malformed(Kind kind, std::string message, std::string expected, std::string found) const {
  return malformed_at(offset(), kind, std::move(message), std::move(expected), std::move(found));
}

Error Reader::malformed_at(std::uint64_t offset, Kind kind, std::string message, std::string expected,
                           std::string found) const {
  return Error(Code::malformed, kind, std::move(message))
      .at(Where{.file = {},
                .section = section_,
                .offset = offset,
                .expected = std::move(expected),
                .found = std::move(found)});
}

}  // namespace cuzk
