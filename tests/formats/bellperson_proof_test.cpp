#include "formats/bellperson_proof.h"

#include <gtest/gtest.h>

#include "tests/formats/damage.h"
#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

using C = Bls12_381;

/// Any three points do: a proof file says nothing about the equation.
groth16::Proof<C> proof(u64 k) {
  const auto g1 = C::G1::from_affine(g1_generator<C>());
  const auto g2 = C::G2::from_affine(g2_generator<C>());
  return {.a = g1.times(U256::from_u64(k)).to_affine(),
          .b = g2.times(U256::from_u64(k + 1)).to_affine(),
          .c = g1.times(U256::from_u64(k + 2)).to_affine()};
}

bool accepts(const test::FileBytes& bytes) { return read_bellperson_proof(bytes).has_value(); }

void expect_fault(const test::FileBytes& bytes, std::size_t count, Kind kind, std::string_view section,
                  std::uint64_t offset) {
  const auto proofs = read_bellperson_proofs(bytes, count);
  ASSERT_FALSE(proofs.has_value());
  EXPECT_EQ(proofs.error().kind(), kind) << proofs.error().to_string();
  EXPECT_EQ(proofs.error().where()->section, section);
  EXPECT_EQ(proofs.error().where()->offset, offset);
}

TEST(BellpersonProof, ReadsBackWhatWasWritten) {
  const groth16::Proof<C> proofs[] = {proof(5), proof(11), proof(23)};
  const auto bytes = write_bellperson_proofs(proofs);
  EXPECT_EQ(bytes.size(), 3 * kBellpersonProofBytes);
  const auto read = test::must(read_bellperson_proofs(bytes, 3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].a, proofs[i].a);
    EXPECT_EQ(read[i].b, proofs[i].b);
    EXPECT_EQ(read[i].c, proofs[i].c);
  }
  expect_fault(bytes, 2, Kind::bad_length, "", 0);
  EXPECT_FALSE(read_bellperson_proofs({}, 1).has_value());
  EXPECT_TRUE(test::must(read_bellperson_proofs({}, 0)).empty());
}

TEST(BellpersonProof, RefusesEveryPrefixAndSurvivesFlips) {
  const auto bytes = write_bellperson_proof(proof(7));
  test::expect_prefixes_refused(bytes, accepts);
  test::survive_flips(bytes, 500, accepts);
}

TEST(BellpersonProof, NamesThePointAndThePlace) {
  const groth16::Proof<C> proofs[] = {proof(5), proof(11)};
  auto identity = write_bellperson_proofs(proofs);
  std::fill_n(identity.begin() + 192 + 48, 96, std::byte{0});
  identity[192 + 48] = std::byte{0xc0};
  expect_fault(identity, 2, Kind::identity_point, "proof 1.b", 192 + 48);
  auto uncompressed = write_bellperson_proof(proof(5));
  uncompressed[144] &= std::byte{0x7f};
  expect_fault(uncompressed, 1, Kind::bad_flags, "c", 144);
}

}  // namespace
}  // namespace cuzk::formats
