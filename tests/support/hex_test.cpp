#include "support/hex.h"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cuzk {
namespace {

TEST(Hex, WritesLowerCaseInByteOrder) {
  const std::array<std::byte, 3> bytes = {std::byte{0x00}, std::byte{0xaf}, std::byte{0x90}};
  EXPECT_EQ(encode_hex(bytes), "00af90");
  EXPECT_EQ(encode_hex({}), "");
}

TEST(Hex, ReadsBothCases) {
  const auto bytes = decode_hex("aFfA");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, (std::vector<std::byte>{std::byte{0xaf}, std::byte{0xfa}}));
}

TEST(Hex, NamesWhatIsWrong) {
  const auto odd = decode_hex("abc");
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().kind(), Kind::bad_length);
  const auto letter = decode_hex("ab0g");
  ASSERT_FALSE(letter);
  EXPECT_EQ(letter.error().kind(), Kind::bad_number);
  EXPECT_NE(letter.error().message().find("character 3"), std::string::npos);
  EXPECT_FALSE(decode_hex("0x12"));
  std::array<std::byte, 2> two{};
  const Status longer = decode_hex("aabbcc", two);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().kind(), Kind::bad_length);
}

RC_GTEST_PROP(Hex, RoundTrips, (const std::vector<std::uint8_t>& values)) {
  const Bytes bytes = std::as_bytes(std::span(values));
  const auto back = decode_hex(encode_hex(bytes));
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::equal(back->begin(), back->end(), bytes.begin(), bytes.end()));
}

}  // namespace
}  // namespace cuzk
