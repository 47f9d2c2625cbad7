#include "support/bytes.h"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cuzk {
namespace {

constexpr std::array<unsigned char, 9> kRaw = {0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};

// One byte in: the address is unaligned for every width.
const std::byte* unaligned() { return reinterpret_cast<const std::byte*>(kRaw.data()) + 1; }

TEST(Bytes, LoadsLittleAndBigEndian) {
  EXPECT_EQ(load_le<std::uint8_t>(unaligned()), 0x01U);
  EXPECT_EQ(load_le<std::uint16_t>(unaligned()), 0x0201U);
  EXPECT_EQ(load_le<std::uint32_t>(unaligned()), 0x04030201U);
  EXPECT_EQ(load_le<std::uint64_t>(unaligned()), 0x0807060504030201U);
  EXPECT_EQ(load_be<std::uint16_t>(unaligned()), 0x0102U);
  EXPECT_EQ(load_be<std::uint32_t>(unaligned()), 0x01020304U);
  EXPECT_EQ(load_be<std::uint64_t>(unaligned()), 0x0102030405060708U);
}

RC_GTEST_PROP(Bytes, StoresWhatItLoads, (std::uint64_t wide, std::uint32_t narrow)) {
  std::array<std::byte, 9> buffer{};
  std::byte* const to = buffer.data() + 1;
  store_le(to, wide);
  RC_ASSERT(load_le<std::uint64_t>(to) == wide);
  RC_ASSERT(std::to_integer<std::uint64_t>(to[0]) == (wide & 0xff));
  store_be(to, wide);
  RC_ASSERT(load_be<std::uint64_t>(to) == wide);
  RC_ASSERT(std::to_integer<std::uint64_t>(to[7]) == (wide & 0xff));
  store_be(to, narrow);
  RC_ASSERT(load_be<std::uint32_t>(to) == narrow);
  RC_ASSERT(byte_swap(byte_swap(narrow)) == narrow);
}

TEST(Bytes, ViewsObjectsAndText) {
  std::uint32_t value = 0x04030201;
  EXPECT_EQ(object_bytes(value).size(), 4U);
  EXPECT_EQ(object_bytes(value)[3], std::byte{4});
  mutable_object_bytes(value)[0] = std::byte{9};
  EXPECT_EQ(value, 0x04030209U);
  EXPECT_EQ(bytes_text(text_bytes("zkey")), "zkey");
  EXPECT_TRUE(text_bytes("").empty());
}

TEST(Bytes, RefusesViewsOfViewsAndPadding) {
  struct Padded {
    std::uint8_t a;
    std::uint32_t b;
  };
  static_assert(!PlainObject<Padded>);
  static_assert(!PlainObject<const char*>);
  static_assert(!PlainObject<char[4]>);
  static_assert(PlainObject<std::array<std::uint64_t, 4>>);
}

TEST(Bytes, KnowsAlignment) {
  alignas(8) const std::array<std::byte, 16> buffer{};
  EXPECT_TRUE(is_aligned<std::uint64_t>(buffer.data()));
  EXPECT_FALSE(is_aligned<std::uint64_t>(buffer.data() + 4));
  EXPECT_TRUE(is_aligned<std::uint32_t>(buffer.data() + 4));
}

}  // namespace
}  // namespace cuzk
