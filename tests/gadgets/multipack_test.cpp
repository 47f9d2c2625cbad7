#include "gadgets/multipack.h"

#include <gtest/gtest.h>

#include "r1cs/test_system.h"
#include "tests/gen/field_values.h"

namespace cuzk::gadgets {
namespace {

using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;

class MultipackTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
};

TEST_F(MultipackTest, BitsOfANumberAreThoseOfItsCanonicalValue) {
  auto values = test::edge_elements<Fr>();
  for (int i = 0; i < 20; ++i) values.push_back(test::uniform_element<Fr>(random));
  for (const Fr& value : values) {
    Cs cs;
    const auto bits = to_bits_le(cs, alloc_num(cs, value));
    ASSERT_EQ(bits.size(), 255u);
    for (std::size_t i = 0; i < bits.size(); ++i) EXPECT_EQ(bits[i].value(), value.canonical().bit(i));
    EXPECT_EQ(cs.num_aux(), 256u);
    EXPECT_EQ(cs.num_constraints(), 256u);
    EXPECT_EQ(cs.num_blocks(), 1u);
    EXPECT_TRUE(cs.is_satisfied());
  }
}

TEST_F(MultipackTest, PackingUndoesTheBits) {
  const Fr value = Fr::from_canonical(test::random_below(U256{{0, 0, 0, u64{1} << 62}}, random));
  Cs cs;
  const auto packed = pack_bits(cs, to_bits_le(cs, alloc_num(cs, value)));
  EXPECT_EQ(packed.value, value);
  EXPECT_TRUE(cs.is_satisfied());
  cs.set(packed.variable, value + Fr::one());
  EXPECT_EQ(cs.first_unsatisfied(), 256u);
}

TEST_F(MultipackTest, PackingTakes254Bits) {
  Cs cs;
  std::vector<Boolean> bits(300, Boolean::constant(true));
  const auto packed = pack_bits(cs, bits);
  U256 expected{{~u64{0}, ~u64{0}, ~u64{0}, ~u64{0} >> 2}};
  EXPECT_EQ(packed.value.canonical(), expected);
  EXPECT_TRUE(cs.is_satisfied());
}

TEST_F(MultipackTest, PackingNoBitsIsZero) {
  Cs cs;
  EXPECT_TRUE(pack_bits(cs, std::span<const Boolean>()).value.is_zero());
  EXPECT_EQ(cs.row_text(0), "() * (1 I0) = (1 A0)");
  pack_into_input(cs, std::span<const Boolean>());
  EXPECT_EQ(cs.num_inputs(), 1u);
}

TEST_F(MultipackTest, InputsTakeTheirBitsInChunks) {
  Cs cs;
  std::vector<Boolean> bits(254, Boolean::constant(false));
  bits.push_back(alloc_bit(cs, true));
  bits.push_back(!alloc_bit(cs, true));
  pack_into_input(cs, bits);
  ASSERT_EQ(cs.num_inputs(), 3u);
  EXPECT_TRUE(cs.inputs()[1].is_zero());
  EXPECT_TRUE(cs.inputs()[2].is_one());
  EXPECT_EQ(cs.row_text(3), "(2 I0 + 1 A0 - 2 A1) * (1 I0) = (1 I2)");
  EXPECT_TRUE(cs.is_satisfied());
}

TEST_F(MultipackTest, AllocatedBitsAreThoseOfTheValue) {
  const u64 value = random();
  for (const unsigned count : {0u, 1u, 37u, 64u}) {
    Cs cs;
    const auto bits = alloc_bits(cs, value, count);
    ASSERT_EQ(bits.size(), count);
    for (unsigned i = 0; i < count; ++i) EXPECT_EQ(bits[i].value(), (value >> i & 1) != 0);
    EXPECT_EQ(cs.num_constraints(), count);
  }
}

TEST_F(MultipackTest, NumberingIsReversedByteByByte) {
  Cs cs;
  std::vector<Boolean> bits;
  for (int i = 0; i < 255; ++i) bits.push_back(alloc_bit(cs, random() % 2 == 0));
  const auto reversed = reverse_bit_numbering(bits);
  ASSERT_EQ(reversed.size(), 256u);
  EXPECT_EQ(reversed[0].variable(), bits[7].variable());
  EXPECT_EQ(reversed[15].variable(), bits[8].variable());
  EXPECT_TRUE(reversed[248].is_constant(false));  // the bit that was missing
  const auto back = reverse_bit_numbering(reversed);
  for (std::size_t i = 0; i < bits.size(); ++i) EXPECT_EQ(back[i].variable(), bits[i].variable());
}

}  // namespace
}  // namespace cuzk::gadgets
