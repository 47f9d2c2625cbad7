#include "filecoin/circuits/update_circuit.h"

#include <gtest/gtest.h>

#include "filecoin/circuits/update_challenges.h"
#include "r1cs/test_system.h"
#include "support/hex.h"
#include "tests/gadgets/gadget_vector.h"

namespace cuzk::filecoin {
namespace {

using gadgets::Boolean;
using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;

UpdateShape shape_of(std::string_view size) { return UpdateShape(*find_sector_shape(size)); }

TEST(UpdateShapeTest, CutsChallenges) {
  struct Facts {
    const char* size;
    std::size_t offset_bits, of_digest, digests, partition_bits, apex_bits;
  };
  const Facts facts[] = {{"2KiB", 6, 42, 1, 0, 3},    {"16KiB", 8, 31, 1, 1, 7},  {"8MiB", 16, 15, 1, 2, 7},
                         {"512MiB", 20, 12, 8, 4, 7}, {"32GiB", 26, 9, 10, 4, 7}, {"64GiB", 27, 9, 10, 4, 7}};
  for (const Facts& f : facts) {
    const UpdateShape shape = shape_of(f.size);
    EXPECT_EQ(shape.offset_bits(), f.offset_bits) << f.size;
    EXPECT_EQ(shape.challenges_of_digest(), f.of_digest) << f.size;
    EXPECT_EQ(shape.digests(), f.digests) << f.size;
    EXPECT_EQ(shape.partition_bits(), f.partition_bits) << f.size;
    EXPECT_EQ(shape.apex_bits(), f.apex_bits) << f.size;
  }
}

TEST(UpdateShapeTest, ChoicesOfHighBits) {
  const UpdateShape small = shape_of("32KiB"), large = shape_of("32GiB");
  for (std::size_t i = 0; i < UpdateShape::kHighBitChoices; ++i) {
    EXPECT_EQ(small.high_bits(i), 1u);
    EXPECT_EQ(large.high_bits(i), 7 + i);
  }
}

/// 32 nodes: a size that the network never had, but the reference's tests.
TEST(UpdateCircuitTest, OfOneKibibyte) {
  SectorShape shape = *find_sector_shape("2KiB");
  shape.bytes = 1024;
  shape.tree = {.base_levels = 1, .sub = 4, .top = 0};
  Cs cs;
  update_circuit(cs, std::get<UpdateInstance>(blank_instance({ProofKind::snap, &shape}).instance));
  EXPECT_EQ(cs.num_constraints(), 1248389u);
  EXPECT_EQ(encode_hex(cs.hash()), "9aa72227dad454f80a1ccbe181a4cae6d74c61eefde0323939b9df51d1f800b4");
  EXPECT_EQ(encode_hex(cs.matrices_digest()), "8e083067d706b67a715f61def8aab3581e296525ce05c776913a041f21069892");
}

TEST(UpdateChallengesTest, BitsOnTheLeft) {
  const auto vector = test::gadget_vector("allocated-num-to-bits-update");
  Cs cs;
  const auto x = gadgets::alloc_num(cs, vector.operand(0));
  std::vector<Boolean> bits;
  for (std::size_t i = 0; i < UpdateShape::kDigestBits; ++i) {
    bits.push_back(gadgets::alloc_bit(cs, x.value.canonical().bit(i)));
  }
  enforce_bits<Cs>(cs, bits, x);
  test::expect_matches(vector, cs);
}

TEST(UpdateChallengesTest, Offsets) {
  for (const char* size : {"2KiB", "8MiB", "32GiB"}) {
    SCOPED_TRACE(size);
    const auto vector = test::gadget_vector(std::string("update-challenge-bits-") + size);
    const UpdateShape shape = shape_of(size);
    Cs cs;
    // Only the smallest has its operands stored; the others share its comm_r_new.
    const auto comm_r_new = gadgets::alloc_num(cs, test::gadget_vector("update-challenge-bits-2KiB").operand(0));
    const u64 k = vector.facts.at("result").at("k");
    const auto partition = gadgets::alloc_num(cs, Fr::from_u64(k));
    const auto bits = challenge_offsets(cs, shape, partition, comm_r_new);
    test::expect_matches(vector, cs);
    EXPECT_TRUE(cs.is_satisfied());

    const auto& challenges = vector.facts.at("result").at("challenges");
    ASSERT_EQ(bits.size(), challenges.size() * shape.offset_bits());
    for (std::size_t c = 0; c < challenges.size(); ++c) {
      u64 challenge = k << shape.offset_bits();
      for (std::size_t i = 0; i < shape.offset_bits(); ++i) {
        challenge |= u64{bits[c * shape.offset_bits() + i].value()} << i;
      }
      EXPECT_EQ(challenge, challenges[c]);
    }
  }
}

TEST(UpdateChallengesTest, HighBits) {
  struct Operands {
    const char* size;
    u64 challenge;
    unsigned bits;
    unsigned selector;
  };
  for (const Operands& operands : {Operands{"2KiB", 0b101101, 6, 1}, Operands{"32GiB", 0x2d5a93c7, 30, 8}}) {
    SCOPED_TRACE(operands.size);
    const auto vector = test::gadget_vector(std::string("update-high-bits-") + operands.size);
    Cs cs;
    const auto challenge = gadgets::alloc_bits(cs, operands.challenge & ((u64{1} << operands.bits) - 1), operands.bits);
    const auto selector = gadgets::alloc_bits(cs, operands.selector, UpdateShape::kHighBitChoices);
    const auto high = high_bits<Cs>(cs, shape_of(operands.size), challenge, selector);
    test::expect_matches(vector, cs);
    EXPECT_EQ(test::scalar_hex(high.value), vector.facts.at("result"));
  }
}

}  // namespace
}  // namespace cuzk::filecoin
