#include "support/reader.h"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/must.h"

namespace cuzk {
namespace {

constexpr std::uint64_t kFileOffset = 100;

class ReaderTest : public ::testing::Test {
 protected:
  ReaderTest() {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i + 1);
  }
  Reader reader() const { return Reader(data, "header", kFileOffset); }

  std::array<std::byte, 32> data{};
};

void expect_where(const Error& error, std::uint64_t offset, std::string_view expected, std::string_view found) {
  EXPECT_EQ(error.code(), Code::malformed);
  ASSERT_NE(error.where(), nullptr);
  EXPECT_EQ(error.where()->section, "header");
  EXPECT_EQ(error.where()->offset, offset);
  EXPECT_EQ(error.where()->expected, expected);
  EXPECT_EQ(error.where()->found, found);
}

TEST_F(ReaderTest, TakesFieldsFrontToBack) {
  Reader in = reader();
  EXPECT_EQ(test::must(in.u8("a")), 0x01U);
  EXPECT_EQ(test::must(in.u32_le("b")), 0x05040302U);
  EXPECT_EQ(test::must(in.u32_be("c")), 0x06070809U);
  EXPECT_EQ(test::must(in.u64_le("d")), 0x11100f0e0d0c0b0aU);
  EXPECT_EQ(test::must(in.u64_be("e")), 0x1213141516171819U);
  EXPECT_EQ(in.offset(), kFileOffset + 25);
  EXPECT_EQ(in.remaining(), 7U);
  EXPECT_TRUE(in.skip(6, "padding"));
  EXPECT_EQ(test::must(in.bytes(1, "f"))[0], std::byte{32});
  EXPECT_TRUE(in.expect_end());
}

TEST_F(ReaderTest, NamesThePlaceOfATruncatedField) {
  Reader in = reader();
  ASSERT_TRUE(in.skip(30, "x"));
  const auto count = in.u32_le("point count");
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind(), Kind::truncated);
  expect_where(count.error(), kFileOffset + 30, "4 bytes", "2 bytes");
  EXPECT_EQ(in.remaining(), 2U) << "a failed read takes nothing";
  EXPECT_TRUE(in.bytes(2, "rest"));
}

TEST_F(ReaderTest, NamesTrailingBytes) {
  Reader in = reader();
  ASSERT_TRUE(in.skip(29, "x"));
  const Status end = in.expect_end();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind(), Kind::trailing_bytes);
  expect_where(end.error(), kFileOffset + 29, "the end", "3 bytes");
}

TEST_F(ReaderTest, RefusesArraysWhoseSizeWrapsAround) {
  Reader in = reader();
  const auto points = in.array(std::uint64_t{1} << 60, 32, "points");  // 2^65 bytes, 0 modulo 2^64
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().kind(), Kind::truncated);
  expect_where(points.error(), kFileOffset, "1152921504606846976 x 32 bytes", "32 bytes");
  EXPECT_FALSE(in.bytes(~std::uint64_t{0}, "all"));
  EXPECT_EQ(test::must(in.array(4, 8, "words")).size(), 32U);
  EXPECT_TRUE(test::must(in.array(0, 96, "no points")).empty());
}

TEST_F(ReaderTest, PartsKeepTheFileOffset) {
  Reader in = reader();
  ASSERT_TRUE(in.skip(3, "x"));
  auto part = in.part(4, "5");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->offset(), kFileOffset + 3);
  EXPECT_EQ(in.offset(), kFileOffset + 7);
  ASSERT_TRUE(part->u32_le("word"));
  const auto more = part->u8("flag");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().where()->section, "5");
  EXPECT_EQ(more.error().where()->offset, kFileOffset + 7);
  EXPECT_FALSE(in.part(26, "6"));
}

TEST_F(ReaderTest, MalformedCarriesPlaceAndFile) {
  Reader in = reader();
  ASSERT_TRUE(in.skip(2, "x"));
  const Error error = in.malformed(Kind::bad_count, "too many", ">= 1", "0").in_file("a.zkey");
  EXPECT_EQ(error.to_string(), "too many [a.zkey:header@102 expected >= 1 found 0]");
  EXPECT_EQ(in.malformed_at(7, Kind::bad_flags, "flags").where()->offset, 7U);
}

RC_GTEST_PROP(Reader, NeverPassesItsEnd,
              (const std::vector<std::uint8_t>& values, const std::vector<std::uint64_t>& asks)) {
  Reader in(std::as_bytes(std::span(values)), "s");
  std::uint64_t taken = 0;
  for (const std::uint64_t ask : asks) {
    const std::uint64_t count = ask % 3 == 0 ? ask : ask % 5;  // absurd and fitting sizes
    const bool fits = count <= values.size() - taken;
    const auto got = in.bytes(count, "piece");
    RC_ASSERT(got.has_value() == fits);
    if (fits) taken += count;
    RC_ASSERT(in.offset() == taken);
    RC_ASSERT(in.remaining() == values.size() - taken);
  }
}

}  // namespace
}  // namespace cuzk
