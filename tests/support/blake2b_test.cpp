#include "support/blake2b.h"

#include <gtest/gtest.h>

#include "support/hex.h"

namespace cuzk {
namespace {

// RFC 7693, appendix A.
TEST(Blake2b, MatchesTheStandardsExample) {
  EXPECT_EQ(encode_hex(blake2b_512(text_bytes("abc"))),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

TEST(Blake2b, PiecesAreTheWhole) {
  Blake2b512 hash;
  EXPECT_EQ(hash.update(text_bytes("a")).update(text_bytes("bc")).finish(), blake2b_512(text_bytes("abc")));
}

}  // namespace
}  // namespace cuzk
