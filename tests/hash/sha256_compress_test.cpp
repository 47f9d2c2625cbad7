#include "hash/sha256_compress.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/hex.h"
#include "support/sha256.h"
#include "tests/gen/seed.h"

namespace cuzk::hash {
namespace {

using Compress = void (*)(Sha256State&, Bytes);

Sha256::Digest digest(const Sha256State& state) {
  Sha256::Digest bytes;
  for (std::size_t i = 0; i < 8; ++i) store_be(bytes.data() + 4 * i, state[i]);
  return bytes;
}

/// SHA-256 of a message by a compression function: padding by hand.
Sha256::Digest hash_with(Compress compress, std::vector<std::byte> message) {
  const std::uint64_t bits = 8 * message.size();
  message.push_back(std::byte{0x80});
  while (message.size() % 64 != 56) message.push_back(std::byte{0});
  message.resize(message.size() + 8);
  store_be(message.data() + message.size() - 8, bits);
  Sha256State state = kSha256Initial;
  compress(state, message);
  return digest(state);
}

std::vector<std::byte> random_bytes(std::size_t size, std::mt19937_64& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

class Sha256CompressTest : public testing::TestWithParam<Compress> {};
INSTANTIATE_TEST_SUITE_P(Paths, Sha256CompressTest, testing::Values(&sha256_compress, &sha256_compress_portable));

TEST_P(Sha256CompressTest, MakesTheHashOfTheLibrary) {
  std::mt19937_64 random(test::run_seed());
  for (const std::size_t size : {0u, 1u, 55u, 56u, 63u, 64u, 65u, 128u, 1248u, 5000u}) {
    const auto message = random_bytes(size, random);
    EXPECT_EQ(hash_with(GetParam(), message), sha256(message)) << size;
  }
}

TEST_P(Sha256CompressTest, PaddedBlocksMakeTheHashOfTheLibrary) {
  std::mt19937_64 random(test::run_seed());
  for (const std::size_t size : {0u, 1u, 48u, 55u, 56u, 64u, 119u, 120u}) {
    const auto message = random_bytes(size, random);
    std::vector<std::byte> blocks = message;
    blocks.resize((size + 9 + 63) / 64 * 64);
    sha256_pad(blocks, size);
    Sha256State state = kSha256Initial;
    GetParam()(state, blocks);
    EXPECT_EQ(digest(state), sha256(message)) << size;
  }
}

TEST_P(Sha256CompressTest, NoBlocksChangeNothing) {
  Sha256State state = kSha256Initial;
  GetParam()(state, {});
  EXPECT_EQ(state, kSha256Initial);
}

TEST(Sha256Pair, IsTheTrimmedHashOfBothNodes) {
  std::mt19937_64 random(test::run_seed());
  for (int i = 0; i < 10; ++i) {
    const auto message = random_bytes(64, random);
    auto expected = sha256(message);
    expected[31] &= std::byte{0x3f};
    const U256 node = sha256_pair(U256::from_le_bytes(message.data()), U256::from_le_bytes(message.data() + 32));
    EXPECT_EQ(node, U256::from_le_bytes(expected.data()));
  }
}

// The commitment to a sector of 64 bytes of zeros: a level that every zero piece begins with.
TEST(Sha256Pair, OfZeros) {
  const U256 node = sha256_pair(U256::zero(), U256::zero());
  EXPECT_EQ(encode_hex(object_bytes(node)), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb0b");
}

}  // namespace
}  // namespace cuzk::hash
