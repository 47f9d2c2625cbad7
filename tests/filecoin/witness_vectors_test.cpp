// Direct witnesses of the reference's partitions, plain and packed: their digests.
#include <gtest/gtest.h>

#include "filecoin/witness/generate.h"
#include "support/sha256.h"
#include "tests/filecoin/partition_vectors.h"

namespace cuzk::filecoin {
namespace {

using test::PartitionVector;

std::string values_sha256(std::span<const U256> values) { return encode_hex(sha256(std::as_bytes(values))); }

class WitnessVectorsTest : public testing::TestWithParam<PartitionVector> {};

TEST_P(WitnessVectorsTest, HasTheReferencesDigest) {
  const test::PartitionInstance partition = test::load_instance(GetParam());
  const std::string expected = GetParam().facts.at("witness").at("sha256");
  Arena arena(2);
  {
    const r1cs::Witness plain = generate_witness(arena, partition.circuit, partition.instance());
    EXPECT_EQ(plain.size(), GetParam().wires());
    EXPECT_EQ(values_sha256(plain.values()), expected);
  }
  const r1cs::PackedWitness packed = generate_packed_witness(arena, partition.circuit, partition.instance());
  EXPECT_EQ(values_sha256(expand(arena, packed.view()).values()), expected);
}

INSTANTIATE_TEST_SUITE_P(Partitions, WitnessVectorsTest, testing::ValuesIn(test::partition_vectors()),
                         [](const auto& param) { return test::identifier(param.param.name); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WitnessVectorsTest);

}  // namespace
}  // namespace cuzk::filecoin
