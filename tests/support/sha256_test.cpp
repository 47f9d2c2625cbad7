#include "support/sha256.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/hex.h"

namespace cuzk {
namespace {

std::string sha256_hex(std::string_view text) { return encode_hex(sha256(text_bytes(text))); }

// FIPS 180-4 examples (NIST, "SHA256.pdf"), and the empty message.
TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, StartsAfreshAfterFinish) {
  Sha256 hash;
  hash.update(text_bytes("something else"));
  hash.finish();
  EXPECT_EQ(encode_hex(hash.update(text_bytes("abc")).finish()), sha256_hex("abc"));
}

RC_GTEST_PROP(Sha256, PiecesAreTheWhole, (const std::string& text, std::size_t cut)) {
  cut %= text.size() + 1;
  const auto pieces = Sha256().update(text_bytes(text).first(cut)).update(text_bytes(text).subspan(cut)).finish();
  RC_ASSERT(pieces == sha256(text_bytes(text)));
}

}  // namespace
}  // namespace cuzk
