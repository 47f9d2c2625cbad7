#include "support/blake2s.h"

#include <gtest/gtest.h>

#include "support/hex.h"

namespace cuzk {
namespace {

// RFC 7693, appendix B.
TEST(Blake2s, MatchesTheStandardsExample) {
  EXPECT_EQ(encode_hex(blake2s_256(text_bytes("abc"))),
            "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
}

TEST(Blake2s, PiecesAreTheWhole) {
  Blake2s256 hash;
  EXPECT_EQ(hash.update(text_bytes("a")).update(text_bytes("bc")).finish(), blake2s_256(text_bytes("abc")));
}

}  // namespace
}  // namespace cuzk
