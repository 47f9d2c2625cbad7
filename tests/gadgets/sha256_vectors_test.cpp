// The SHA-256, packing and encoding circuits of the reference implementation: matrices and witnesses.
#include <gtest/gtest.h>

#include "gadgets/multipack.h"
#include "gadgets/sha256.h"
#include "tests/gadgets/gadget_vector.h"

namespace cuzk::gadgets {
namespace {

using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;

std::string witness_digest(const Cs& cs) {
  const auto witness = cs.witness();
  return encode_hex(cuzk::sha256(std::as_bytes(witness.values())));
}

/// The bits of a text's SHA-256, most significant first.
void append_hash_bits(Cs& cs, std::string_view text, std::vector<Boolean>& bits) {
  for (const std::byte byte : cuzk::sha256(text_bytes(text))) {
    for (unsigned i = 8; i-- > 0;) bits.push_back(alloc_bit(cs, (std::to_integer<unsigned>(byte) >> i & 1) != 0));
  }
}

std::string digest_hex(std::span<const Boolean> bits) {
  std::array<std::byte, 32> digest{};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i].value()) digest[i / 8] |= std::byte{0x80} >> (i % 8);
  }
  return encode_hex(digest);
}

void expect_gadget(const test::GadgetVector& vector, const Cs& cs) {
  test::expect_matches(vector, cs);
  EXPECT_TRUE(cs.is_satisfied());
  EXPECT_EQ(witness_digest(cs), vector.facts.at("witness_sha256").get<std::string>());
}

TEST(Sha256Vectors, BitsOfOneHash) {
  const auto vector = test::gadget_vector("sha256-256-bits");
  Cs cs;
  std::vector<Boolean> bits;
  append_hash_bits(cs, "cuzk", bits);
  EXPECT_EQ(digest_hex(gadgets::sha256(cs, std::span<const Boolean>(bits))),
            vector.facts.at("result").get<std::string>());
  expect_gadget(vector, cs);
}

TEST(Sha256Vectors, BitsOfTwoHashes) {
  const auto vector = test::gadget_vector("sha256-512-bits");
  Cs cs;
  std::vector<Boolean> bits;
  append_hash_bits(cs, "cuzk-0", bits);
  append_hash_bits(cs, "cuzk-1", bits);
  EXPECT_EQ(digest_hex(gadgets::sha256(cs, std::span<const Boolean>(bits))),
            vector.facts.at("result").get<std::string>());
  expect_gadget(vector, cs);
}

TEST(Sha256Vectors, Encoding) {
  const auto vector = test::gadget_vector("encode");
  Cs cs;
  const auto key = alloc_num(cs, vector.operand(0));
  const auto value = alloc_num(cs, vector.operand(1));
  EXPECT_EQ(test::scalar_hex(add(cs, key, value).value), vector.facts.at("result").get<std::string>());
  expect_gadget(vector, cs);
}

TEST(Sha256Vectors, LabelOfAnUpdate) {
  const auto vector = test::gadget_vector("label-r-new");
  Cs cs;
  const auto r_old = alloc_num(cs, vector.operand(0));
  const auto d_new = alloc_num(cs, vector.operand(1));
  const auto rho = alloc_num(cs, vector.operand(2));
  EXPECT_EQ(test::scalar_hex(add(cs, r_old, multiply(cs, d_new, rho)).value),
            vector.facts.at("result").get<std::string>());
  expect_gadget(vector, cs);
}

TEST(Sha256Vectors, BitsOfANumber) {
  const auto vector = test::gadget_vector("to-bits-le");
  Cs cs;
  EXPECT_EQ(to_bits_le(cs, alloc_num(cs, vector.operand(0))).size(), vector.facts.at("result"));
  expect_gadget(vector, cs);
  EXPECT_EQ(encode_hex(cs.hash()), "fe8f60dff8688ec7c39a8ebb4750cc381c306c9f430d43e0fcf0ca5a23025477");
}

// Operands are not stored: matrices alone.
TEST(Sha256Vectors, MatricesOfANodeOfADataTree) {
  const auto vector = test::gadget_vector("sha256-merkle-node");
  Cs cs;
  const auto left = alloc_num(cs, Fr::zero());
  const auto right = alloc_num(cs, Fr::zero());
  sha256_pair(cs, left, right);
  test::expect_matches(vector, cs);
}

// 37 parents of 256 bits each, all of them new; layer and node are constants.
TEST(Sha256Vectors, MatricesOfALabel) {
  const auto vector = test::gadget_vector("create-label");
  Cs cs;
  const auto replica_id = reverse_bit_numbering(to_bits_le(cs, alloc_num(cs, Fr::zero())));
  std::vector<Boolean> parents;
  for (int i = 0; i < 37 * 256; ++i) parents.push_back(alloc_bit(cs, false));

  std::vector<Boolean> message(replica_id.begin(), replica_id.end());
  for (unsigned i = 32; i-- > 0;) message.push_back(Boolean::constant((u64{2} >> i & 1) != 0));
  for (unsigned i = 64; i-- > 0;) message.push_back(Boolean::constant((u64{5} >> i & 1) != 0));
  message.resize(512, Boolean::constant(false));
  message.insert(message.end(), parents.begin(), parents.end());
  pack_bits(cs, reverse_bit_numbering(gadgets::sha256(cs, std::span<const Boolean>(message))));
  test::expect_matches(vector, cs);
}

}  // namespace
}  // namespace cuzk::gadgets
