#include "filecoin/wire/bincode_archive.h"

#include "field/fp.h"

namespace cuzk::filecoin {

Error BincodeReader::wrong(Kind kind, std::string message, std::string expected, std::string found) const {
  return Error(Code::malformed, kind, std::move(message))
      .at(Where{.file = {},
                .section = path_text(path_),
                .offset = last_,
                .expected = std::move(expected),
                .found = std::move(found)});
}

Result<Bytes> BincodeReader::take(std::size_t bytes) {
  last_ = reader_.offset();
  if (reader_.remaining() < bytes) {
    return fail(wrong(Kind::truncated, "the data ends within a value", std::to_string(bytes) + " bytes",
                      std::to_string(reader_.remaining())));
  }
  return reader_.bytes(bytes, {});
}

Status BincodeReader::node(Node& value) {
  CUZK_TRY(const Bytes raw, take(sizeof(Node)));
  value = Node::from_le_bytes(raw.data());
  if (value < bls12_381::Fr::modulus) return {};
  return fail(wrong(Kind::non_canonical, "not a field element", "below r", "0x" + value.to_hex()));
}

Status BincodeReader::bytes32(Bytes32& value) {
  CUZK_TRY(const Bytes raw, take(value.size()));
  std::copy(raw.begin(), raw.end(), value.begin());
  return {};
}

Status BincodeReader::u32(std::uint32_t& value) {
  CUZK_TRY(const Bytes raw, take(sizeof value));
  value = load_le<std::uint32_t>(raw.data());
  return {};
}

Status BincodeReader::u64(std::uint64_t& value) {
  CUZK_TRY(const Bytes raw, take(sizeof value));
  value = load_le<std::uint64_t>(raw.data());
  return {};
}

Status BincodeReader::expect_end() const {
  if (reader_.remaining() == 0) return {};
  return fail(Error(Code::malformed, Kind::trailing_bytes, "bytes follow the value")
                  .at(Where{.file = {},
                            .section = path_text(path_),
                            .offset = reader_.offset(),
                            .expected = "the end",
                            .found = std::to_string(reader_.remaining()) + " bytes"}));
}

std::byte* BincodeWriter::grow(std::size_t bytes) {
  bytes_.resize(bytes_.size() + bytes);
  return bytes_.data() + bytes_.size() - bytes;
}

Status BincodeWriter::node(const Node& value) {
  value.to_le_bytes(grow(sizeof value));
  return {};
}

Status BincodeWriter::bytes32(const Bytes32& value) {
  std::copy(value.begin(), value.end(), grow(value.size()));
  return {};
}

Status BincodeWriter::u32(std::uint32_t value) {
  store_le(grow(sizeof value), value);
  return {};
}

Status BincodeWriter::u64(std::uint64_t value) {
  store_le(grow(sizeof value), value);
  return {};
}

}  // namespace cuzk::filecoin
