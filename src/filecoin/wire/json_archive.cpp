#include "filecoin/wire/json_archive.h"

#include "field/fp.h"

namespace cuzk::filecoin {

Error JsonReader::wrong(Kind kind, std::string message, std::string expected, std::string found) const {
  return Error(Code::malformed, kind, std::move(message))
      .at(Where{.file = {},
                .section = path_text(path_),
                .offset = cursor_.offset(),
                .expected = std::move(expected),
                .found = std::move(found)});
}

std::string JsonReader::printable(std::string_view text) {
  constexpr std::size_t kLongest = 48;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + shown + (text.size() > kLongest ? "...\"" : "\"");
}

/// Text that ends too soon because its base64 is broken is a fault of the base64.
Error JsonReader::cursor_error() const {
  if (stream_ != nullptr) {
    if (const auto broken = stream_->fault()) {
      const Where& where = *broken->where();
      return Error(Code::malformed, broken->kind(), broken->message())
          .at(Where{.file = {},
                    .section = path_text(path_),
                    .offset = where.offset,
                    .expected = where.expected,
                    .found = where.found});
    }
  }
  const JsonCursor::Fault& fault = *cursor_.fault();
  return Error(Code::malformed, fault.kind, fault.message)
      .at(Where{.file = {},
                .section = path_text(path_),
                .offset = fault.offset,
                .expected = fault.expected,
                .found = fault.found});
}

Status JsonReader::duplicate(std::string_view) const { return fail(wrong(Kind::bad_json, "the member appears twice")); }

Status JsonReader::missing(std::string_view name) const {
  return fail(wrong(Kind::missing_field, "member '" + std::string(name) + "' is missing"));
}

Status JsonReader::node(Node& value) {
  JsonCursor::Array32 bytes;
  CUZK_CHECK_OK(check(cursor_.bytes32(bytes)));
  value = Node::from_le_bytes(bytes.data());
  if (value < bls12_381::Fr::modulus) return {};
  return fail(wrong(Kind::non_canonical, "not a field element", "below r", "0x" + value.to_hex()));
}

Status JsonReader::bytes32(Bytes32& value) { return check(cursor_.bytes32(value)); }

Status JsonReader::u64(std::uint64_t& value) { return check(cursor_.number(value)); }

Status JsonReader::u32(std::uint32_t& value) {
  std::uint64_t wide = 0;
  CUZK_CHECK_OK(u64(wide));
  value = static_cast<std::uint32_t>(wide);
  if (value == wide) return {};
  return fail(wrong(Kind::bad_number, "a number of more than 32 bits", "below 2^32", std::to_string(wide)));
}

Status JsonOut::bytes32(const Bytes32& value) {
  json_.begin_array();
  for (const std::byte byte : value) json_.integer(std::to_integer<unsigned>(byte));
  json_.end_array();
  return {};
}

Status JsonOut::node(const Node& value) {
  Bytes32 bytes;
  value.to_le_bytes(bytes.data());
  return bytes32(bytes);
}

}  // namespace cuzk::filecoin
