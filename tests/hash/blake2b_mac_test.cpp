#include "hash/blake2b_mac.h"

#include <gtest/gtest.h>

#include "support/hex.h"

namespace cuzk::hash {
namespace {

// Values of Python's hashlib.blake2b(message, digest_size=32, key=key).
TEST(Blake2bMac, AgreesWithAnotherImplementation) {
  EXPECT_EQ(encode_hex(blake2b_mac("k", text_bytes(""))),
            "490b6c8300eb23464bd2f9ca37c036be5091da14ddbeafab424c4c0a1f9eaac5");
  EXPECT_EQ(encode_hex(blake2b_mac("filecoin.io|PoRep|1|Synthetic|1|Generation", text_bytes("message"))),
            "eeed063843bd84375a988b6ca3a75f6c46effa306ce6d810c38d932c4b197623");
  EXPECT_EQ(encode_hex(blake2b_mac(std::string(64, 'x'), text_bytes(std::string(300, 'y')))),
            "fa09a7d8c2e80bbc5affe095ea9d5ee3aa4ab5419081721ebdd7191c6d34fa30");
}

}  // namespace
}  // namespace cuzk::hash
