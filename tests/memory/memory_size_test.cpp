#include "memory/memory_size.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/must.h"

namespace cuzk::memory {
namespace {

using cuzk::test::must;

TEST(MemorySize, ReadsWhatPeopleWrite) {
  EXPECT_EQ(must(parse_memory_size("0")), 0U);
  EXPECT_EQ(must(parse_memory_size("1048576")), kMiB);
  EXPECT_EQ(must(parse_memory_size("17B")), 17U);
  EXPECT_EQ(must(parse_memory_size("512MiB")), 512 * kMiB);
  EXPECT_EQ(must(parse_memory_size("512 MiB")), 512 * kMiB);
  EXPECT_EQ(must(parse_memory_size("  64k ")), 64 * kKiB);
  EXPECT_EQ(must(parse_memory_size("512G")), 512 * kGiB);
  EXPECT_EQ(must(parse_memory_size("1.5GiB")), 3 * kGiB / 2);
  EXPECT_EQ(must(parse_memory_size("2tib")), 2048 * kGiB);
  EXPECT_EQ(must(parse_memory_size("10GB")), 10'000'000'000U);
  EXPECT_EQ(must(parse_memory_size("0.001kB")), 1U);
  EXPECT_EQ(must(parse_memory_size("18446744073709551615")), ~std::uint64_t{0});
}

TEST(MemorySize, RoundsDecimalsDown) {
  EXPECT_EQ(must(parse_memory_size("1.1KiB")), 1126U);
  EXPECT_EQ(must(parse_memory_size("0.9999")), 0U);
  EXPECT_EQ(must(parse_memory_size("0.333333333333333333333333333333TiB")), 366503875925U);
}

TEST(MemorySize, RefusesAnythingElse) {
  for (const char* const text : {"", " ", "GiB", "-1", "+1", "1.GiB", ".5GiB", "1,5GiB", "1e9", "5XiB", "5 GiB s",
                                 "18446744073709551616", "16777216TiB", "nan", "0x10", "1.2.3", "1 0"}) {
    const auto bytes = parse_memory_size(text);
    ASSERT_FALSE(bytes) << text << " gave " << *bytes;
    EXPECT_EQ(bytes.error().code(), Code::invalid_argument);
    EXPECT_NE(bytes.error().message().find("\"" + std::string(text) + "\""), std::string::npos);
  }
}

TEST(MemorySize, WritesOneDecimal) {
  EXPECT_EQ(format_memory_size(0), "0 B");
  EXPECT_EQ(format_memory_size(1023), "1023 B");
  EXPECT_EQ(format_memory_size(1024), "1.0 KiB");
  EXPECT_EQ(format_memory_size(kMiB - 1), "1023.9 KiB");
  EXPECT_EQ(format_memory_size(13'600 * kMiB), "13.2 GiB");
  EXPECT_EQ(format_memory_size(~std::uint64_t{0}), "15.9 EiB");
}

RC_GTEST_PROP(MemorySize, ReadsBackItsNumbers, (std::uint64_t bytes)) {
  RC_ASSERT(must(parse_memory_size(std::to_string(bytes))) == bytes);
}

}  // namespace
}  // namespace cuzk::memory
