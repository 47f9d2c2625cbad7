#include "hash/chacha.h"

#include <gtest/gtest.h>

#include "support/hex.h"

namespace cuzk::hash {
namespace {

ChachaKey counting_key() {
  ChachaKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  return key;
}

std::string keystream(unsigned rounds, const ChachaKey& key, const ChachaPosition& position, std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  chacha_keystream(rounds, key, position, out);
  return encode_hex(out);
}

// RFC 8439, 2.3.2.
TEST(Chacha, TwentyRoundsWithTheLongNonce) {
  std::array<std::byte, 12> nonce{};
  nonce[3] = std::byte{0x09};
  nonce[7] = std::byte{0x4a};
  EXPECT_EQ(keystream(20, counting_key(), ChachaPosition::ietf(nonce, 1), 64),
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
            "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

// RFC 8439, A.1, vectors 1 and 2: key, nonce and counter zero, then the next block.
TEST(Chacha, BlocksFollowEachOther) {
  EXPECT_EQ(keystream(20, {}, ChachaPosition::zero_nonce(), 128),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
}

// Strombergson, Test vectors for the stream cipher ChaCha (draft-strombergson-chacha-test-vectors), TC1, 256 bits.
TEST(Chacha, EightRounds) {
  EXPECT_EQ(keystream(8, {}, ChachaPosition::zero_nonce(), 64),
            "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
            "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42");
}

TEST(Chacha, WordsAreTheBytesInOrder) {
  ChachaStream words(8, counting_key(), ChachaPosition::zero_nonce());
  std::array<std::byte, 200> bytes;
  chacha_keystream(8, counting_key(), ChachaPosition::zero_nonce(), bytes);
  EXPECT_EQ(words.next_u32(), load_le<std::uint32_t>(bytes.data()));
  for (std::size_t at = 4; at + 8 <= bytes.size(); at += 8)  // crosses the border of blocks in the middle of a word
    EXPECT_EQ(words.next_u64(), load_le<std::uint64_t>(bytes.data() + at));
}

TEST(Chacha, AnyLength) {
  for (const std::size_t bytes : {0u, 1u, 3u, 63u, 65u})
    EXPECT_EQ(keystream(8, counting_key(), {}, bytes), keystream(8, counting_key(), {}, 128).substr(0, 2 * bytes));
}

TEST(Chacha, TheCounterOfTheOriginalFormHas64Bits) {
  ChachaPosition last_of_32_bits;
  last_of_32_bits.words[0] = 0xffffffff;
  ChachaPosition first_of_the_next;
  first_of_the_next.words[1] = 1;
  EXPECT_EQ(keystream(8, {}, last_of_32_bits, 128).substr(128), keystream(8, {}, first_of_the_next, 64));
}

}  // namespace
}  // namespace cuzk::hash
