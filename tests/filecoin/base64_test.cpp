#include "filecoin/wire/base64.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

std::string decoded(std::string_view text) { return std::string(bytes_text(test::must(decode_base64(text)))); }

TEST(Base64, test_vectors_of_rfc_4648) {
  const std::pair<std::string_view, std::string_view> pairs[] = {{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(encode_base64(text_bytes(bytes)), text);
    EXPECT_EQ(decoded(text), bytes);
    EXPECT_EQ(Base64Stream(text).decoded_size(), bytes.size());
  }
}

TEST(Base64, what_is_refused_and_where) {
  const std::pair<std::string_view, std::uint64_t> bad[] = {{"Z", 1},
                                                            {"Zg", 2},
                                                            {"Zg=", 2},
                                                            {"Zm9vY", 5},
                                                            {"Zh==", 1},
                                                            {"Zm9=", 2},
                                                            {"====", 0},
                                                            {"Z===", 1},
                                                            {"Zg==Zg==", 2},
                                                            {"Zm 9v", 2},
                                                            {"Zm9v\n", 4},
                                                            {"Zm9vYmF-", 7},
                                                            {"Zm9v====", 4},
                                                            {"Z=9v", 1},
                                                            {"Zm9vYg==A", 6},
                                                            {"\xff"
                                                             "m9v",
                                                             0},
                                                            {"AAAAA*AA", 5},
                                                            {"A_AAAAAA", 1},
                                                            {"AAAAA=", 5}};
  for (const auto& [text, offset] : bad) {
    const auto result = decode_base64(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind(), Kind::bad_base64);
    EXPECT_EQ(result.error().where()->offset, offset) << text;
  }
}

TEST(Base64, any_bytes_through_any_buffer) {
  std::mt19937_64 random(test::run_seed());
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const std::string text = encode_base64(bytes);
    Base64Stream stream(text);
    std::vector<std::byte> gathered, buffer(3 + random() % 40);
    while (const std::size_t taken = stream.read(buffer))
      gathered.insert(gathered.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(taken));
    EXPECT_EQ(gathered, bytes);
    EXPECT_FALSE(stream.fault());
  }
}

}  // namespace
}  // namespace cuzk::filecoin
