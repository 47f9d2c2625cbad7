#include "formats/r1cs_file.h"

#include <gtest/gtest.h>

#include "r1cs/digest.h"
#include "tests/formats/damage.h"
#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

template <class C> class R1csFileTest : public testing::Test {
 protected:
  static bool accepts(const test::FileBytes& bytes) { return read_r1cs<C>(bytes).has_value(); }
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(R1csFileTest, Curves);

TYPED_TEST(R1csFileTest, ReadsBackWhatWasWritten) {
  using C = TypeParam;
  const test::FileBytes bytes = test::Sample<C>::r1cs();
  const auto header = test::must(read_r1cs_header(bytes));
  EXPECT_EQ(header.curve, C::id);
  EXPECT_EQ(header.num_wires, 5u);
  EXPECT_EQ(header.num_public(), 1u);
  EXPECT_EQ(header.num_constraints, 3u);
  const auto circuit = test::must(read_r1cs<C>(bytes));
  EXPECT_EQ(circuit.num_variables(), 5u);
  EXPECT_EQ(circuit.num_public(), 1u);
  EXPECT_EQ(r1cs::matrices_digest(circuit), r1cs::matrices_digest(test::Sample<C>::circuit()));
}

TYPED_TEST(R1csFileTest, RefusesEveryPrefixAndSurvivesFlips) {
  const test::FileBytes bytes = test::Sample<TypeParam>::r1cs();
  test::expect_prefixes_refused(bytes, TestFixture::accepts);
  test::survive_flips(bytes, 2000, TestFixture::accepts);
}

TYPED_TEST(R1csFileTest, RefusesTheOtherCurve) {
  using Other = std::conditional_t<std::is_same_v<TypeParam, Bn254>, Bls12_381, Bn254>;
  const auto circuit = read_r1cs<Other>(test::Sample<TypeParam>::r1cs());
  ASSERT_FALSE(circuit.has_value());
  EXPECT_EQ(circuit.error().kind(), Kind::curve_mismatch);
}

/// Sections 2, 1, 3 as circom orders them; row: repeated and unsorted wires, a zero coefficient, an empty B.
test::FileBytes hand_written() {
  test::FileBytes bytes;
  const auto put = [&bytes](auto value) {
    bytes.resize(bytes.size() + sizeof value);
    store_le(bytes.data() + bytes.size() - sizeof value, value);
  };
  const auto put_field = [&](const U256& value) {
    bytes.resize(bytes.size() + U256::bytes);
    value.to_le_bytes(bytes.data() + bytes.size() - U256::bytes);
  };
  const auto put_term = [&](std::uint32_t wire, u64 value) {
    put(wire);
    put_field(U256::from_u64(value));
  };
  for (const char c : std::string_view("r1cs")) bytes.push_back(static_cast<std::byte>(c));
  put(std::uint32_t{1}), put(std::uint32_t{3});
  put(std::uint32_t{2}), put(std::uint64_t{3 * 4 + 5 * 36});
  put(std::uint32_t{4}), put_term(2, 3), put_term(1, 7), put_term(2, 4), put_term(0, 0);
  put(std::uint32_t{0});
  put(std::uint32_t{1}), put_term(1, 1);
  put(std::uint32_t{1}), put(std::uint64_t{64});
  put(std::uint32_t{32}), put_field(bn254::Fr::modulus);
  put(std::uint32_t{3}), put(std::uint32_t{1}), put(std::uint32_t{0});
  put(std::uint32_t{9}), put(std::uint64_t{1234}),
      put(std::uint32_t{1});  // private inputs and labels: information only
  put(std::uint32_t{3}), put(std::uint64_t{3 * 8});
  for (std::uint64_t label = 0; label < 3; ++label) put(label);
  return bytes;
}

TEST(R1csFile, SumsRepeatedWiresAndDropsZeros) {
  const auto circuit = test::must(read_r1cs<Bn254>(hand_written()));
  ASSERT_EQ(circuit.num_constraints(), 1u);
  const auto row = circuit.a().row(0);
  ASSERT_EQ(row.size(), 2u);
  EXPECT_EQ(row[0].wire, 1u);
  EXPECT_EQ(circuit.coefficients()[row[0].coefficient], bn254::Fr::from_u64(7));
  EXPECT_EQ(row[1].wire, 2u);
  EXPECT_EQ(circuit.coefficients()[row[1].coefficient], bn254::Fr::from_u64(7));
  EXPECT_TRUE(circuit.b().row(0).empty());
}

TEST(R1csFile, RefusesCustomGates) {
  test::FileBytes bytes = hand_written();
  bytes[8] = std::byte{4};
  const auto put = [&bytes](auto value) {
    bytes.resize(bytes.size() + sizeof value);
    store_le(bytes.data() + bytes.size() - sizeof value, value);
  };
  put(std::uint32_t{4}), put(std::uint64_t{4}), put(std::uint32_t{0});
  EXPECT_TRUE(read_r1cs<Bn254>(bytes).has_value());
  store_le(bytes.data() + bytes.size() - 4, std::uint32_t{1});
  const auto circuit = read_r1cs<Bn254>(bytes);
  ASSERT_FALSE(circuit.has_value());
  EXPECT_EQ(circuit.error().code(), Code::unsupported);
  EXPECT_EQ(circuit.error().kind(), Kind::unsupported_section);
}

}  // namespace
}  // namespace cuzk::formats
