#include "hash/blake2b_block.h"

#include <random>

#include <gtest/gtest.h>

#include "support/blake2b.h"
#include "support/hex.h"
#include "tests/gen/seed.h"

namespace cuzk::hash {
namespace {

TEST(Blake2bBlock, PublishedValues) {
  EXPECT_EQ(encode_hex(blake2b_512_block(text_bytes("abc"))),  // RFC 7693, appendix A
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

TEST(Blake2bBlock, EqualsTheLibraryAtEveryLength) {
  std::mt19937_64 random(test::run_seed());
  for (std::size_t length = 0; length <= 128; ++length) {
    std::vector<std::byte> message(length);
    for (std::byte& byte : message) byte = static_cast<std::byte>(random());
    ASSERT_EQ(blake2b_512_block(message), blake2b_512(message)) << length;
  }
}

}  // namespace
}  // namespace cuzk::hash
