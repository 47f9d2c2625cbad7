#include "formats/iden3_container.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::formats {
namespace {

constexpr std::array<std::uint32_t, 2> kRequired = {1, 2};
constexpr std::array<std::uint32_t, 1> kOptional = {7};
constexpr Iden3Format kFormat = {.magic = "test", .version = 3, .required = kRequired, .optional = kOptional};

class FileBuilder {
 public:
  explicit FileBuilder(std::string_view magic = "test", std::uint32_t version = 3, std::uint32_t sections = 2) {
    for (const char c : magic) bytes_.push_back(static_cast<std::byte>(c));
    put(version);
    put(sections);
  }
  FileBuilder& section(std::uint32_t type, std::uint64_t length, std::size_t content) {
    put(type);
    put(length);
    bytes_.resize(bytes_.size() + content, static_cast<std::byte>(type));
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <class T> void put(T value) {
    bytes_.resize(bytes_.size() + sizeof value);
    store_le(bytes_.data() + bytes_.size() - sizeof value, value);
  }
  std::vector<std::byte> bytes_;
};

void expect_refused(const FileBuilder& file, Kind kind, std::string_view section, std::uint64_t offset) {
  const auto parsed = Iden3Container::parse(file.bytes(), kFormat);
  ASSERT_FALSE(parsed.has_value());
  const Error& error = parsed.error();
  EXPECT_EQ(error.code(), Code::malformed);
  EXPECT_EQ(error.kind(), kind) << error.to_string();
  ASSERT_NE(error.where(), nullptr);
  EXPECT_EQ(error.where()->section, section);
  EXPECT_EQ(error.where()->offset, offset) << error.to_string();
}

TEST(Iden3Container, TakesSectionsInAnyOrder) {
  FileBuilder file("test", 3, 3);
  file.section(2, 5, 5).section(7, 0, 0).section(1, 3, 3);
  const auto container = test::must(Iden3Container::parse(file.bytes(), kFormat));
  ASSERT_EQ(container.sections().size(), 3u);
  EXPECT_EQ(container.sections()[0].type, 2u);
  EXPECT_EQ(container.find(1)->offset, 12u + 12 + 5 + 12 + 12);
  EXPECT_EQ(container.find(9), nullptr);
  Reader one = container.section(1);
  EXPECT_EQ(one.offset(), container.find(1)->offset);
  EXPECT_EQ(one.remaining(), 3u);
  EXPECT_EQ(test::must(one.u8("byte")), 1u);
}

TEST(Iden3Container, RefusesOtherMagicAndVersion) {
  expect_refused(FileBuilder("Test"), Kind::bad_magic, "", 0);
  expect_refused(FileBuilder("test", 2), Kind::bad_version, "", 4);
  expect_refused(FileBuilder("tes", 3), Kind::truncated, "", 11);
}

TEST(Iden3Container, BoundsTheNumberOfSections) {
  expect_refused(FileBuilder("test", 3, 65), Kind::bad_count, "", 8);
  expect_refused(FileBuilder("test", 3, 0xffffffff), Kind::bad_count, "", 8);
  expect_refused(FileBuilder("test", 3, 64), Kind::truncated, "", 8);
}

TEST(Iden3Container, RefusesLengthsThatWrapAround) {
  for (const std::uint64_t length : {~std::uint64_t{0}, ~std::uint64_t{0} - 11, std::uint64_t{1} << 63}) {
    FileBuilder file;
    file.section(1, 3, 3).section(2, length, 4);
    expect_refused(file, Kind::truncated, "2", 12 + 12 + 3 + 4);
  }
}

TEST(Iden3Container, TellsACutFileFromALength) {
  FileBuilder file;
  file.section(1, 3, 3).section(2, 5, 4);
  expect_refused(file, Kind::truncated, "2", file.bytes().size());
}

TEST(Iden3Container, RefusesDuplicatesUnknownMissingAndTrailing) {
  FileBuilder twice("test", 3, 3);
  twice.section(1, 1, 1).section(2, 1, 1).section(1, 1, 1);
  expect_refused(twice, Kind::duplicate_section, "1", 12 + 13 + 13);
  FileBuilder unknown("test", 3, 3);
  unknown.section(1, 1, 1).section(8, 1, 1).section(2, 1, 1);
  expect_refused(unknown, Kind::unsupported_section, "8", 12 + 13);
  FileBuilder missing("test", 3, 1);
  missing.section(1, 1, 1);
  expect_refused(missing, Kind::missing_section, "2", 8);
  FileBuilder trailing("test", 3, 2);
  trailing.section(1, 1, 1).section(2, 1, 3);
  expect_refused(trailing, Kind::trailing_bytes, "", 12 + 13 + 13);
  FileBuilder unannounced("test", 3, 2);
  unannounced.section(1, 1, 1).section(2, 1, 1).section(7, 1, 1);
  expect_refused(unannounced, Kind::trailing_bytes, "", 8);
}

}  // namespace
}  // namespace cuzk::formats
