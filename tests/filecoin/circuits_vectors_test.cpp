// The circuits filled with the reference's vanilla proofs: each model against what the reference made of them.
#include <set>

#include <gtest/gtest.h>

#include "filecoin/circuits/circuit.h"
#include "r1cs/proving_system.h"
#include "r1cs/test_system.h"
#include "r1cs/witness_system.h"
#include "support/sha256.h"
#include "tests/filecoin/circuit_checks.h"
#include "tests/filecoin/partition_vectors.h"

namespace cuzk::filecoin {
namespace {

using test::PartitionInstance;
using test::PartitionVector;
using Fr = bls12_381::Fr;

/// SHA-256 of canonical values, 32 bytes little-endian each.
template <class... Spans> std::string values_sha256(const Spans&... spans) {
  Sha256 hash;
  const auto add = [&hash](std::span<const Fr> values) {
    for (const Fr& value : values) {
      const U256 canonical = value.canonical();
      hash.update(object_bytes(canonical));
    }
  };
  (add(spans), ...);
  return encode_hex(hash.finish());
}

/// Bit i of the bitmap: whether variable first + i is among the dense ones.
std::string bitmap_sha256(const std::vector<r1cs::Wire>& dense, std::size_t first, std::size_t count) {
  std::vector<std::byte> bits((count + 7) / 8);
  for (const r1cs::Wire wire : dense) {
    if (wire < first || wire - first >= count) continue;
    bits[(wire - first) / 8] |= std::byte{1} << ((wire - first) % 8);
  }
  Sha256 hash;
  hash.update(bits);
  return encode_hex(hash.finish());
}

class CircuitsVectorsTest : public testing::TestWithParam<PartitionVector> {
 protected:
  const nlohmann::json& facts() const { return GetParam().facts; }
  const PartitionInstance partition_ = test::load_instance(GetParam());
};

/// Of one partition of each circuit: every row is kept.
class KeptCircuitsVectorsTest : public CircuitsVectorsTest {};

TEST_P(KeptCircuitsVectorsTest, TestSystem) {
  r1cs::TestSystem<Fr> cs;
  synthesize(cs, partition_.instance());
  const auto& counts = facts().at("counts");
  EXPECT_EQ(cs.num_inputs(), counts.at("num_inputs_with_one"));
  EXPECT_EQ(cs.num_aux(), counts.at("num_aux"));
  EXPECT_EQ(cs.num_constraints(), counts.at("num_constraints"));
  const auto wrong = cs.first_unsatisfied();
  EXPECT_FALSE(wrong.has_value()) << *wrong << ": " << cs.row_text(*wrong);
  EXPECT_EQ(encode_hex(cs.matrices_digest()), facts().at("matrices_sha256"));
  EXPECT_EQ(encode_hex(cs.hash()), facts().at("test_constraint_system_hash"));
  const r1cs::Densities dense = cs.densities();
  const auto& bitmaps = facts().at("density_bitmaps_sha256");
  EXPECT_EQ(bitmap_sha256(dense.a, cs.num_inputs(), cs.num_aux()), bitmaps.at("a_aux"));
  EXPECT_EQ(bitmap_sha256(dense.b, cs.num_inputs(), cs.num_aux()), bitmaps.at("b_aux"));
  EXPECT_EQ(bitmap_sha256(dense.b, 0, cs.num_inputs()), bitmaps.at("b_input"));
}

TEST_P(CircuitsVectorsTest, WitnessSystem) {
  r1cs::WitnessSystem<Fr> cs;
  synthesize(cs, partition_.instance());
  EXPECT_EQ(values_sha256(cs.inputs(), cs.aux()), facts().at("witness").at("sha256"));
  const auto& expected = facts().at("public_inputs");
  ASSERT_EQ(cs.inputs().size(), 1 + expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(cs.inputs()[1 + i].canonical(), test::node_from(expected[i])) << i;
  }
}

TEST_P(CircuitsVectorsTest, ProvingSystem) {
  const auto& counts = facts().at("counts");
  const std::size_t rows = counts.at("num_rows_with_input_rows");
  std::vector<Fr> z(GetParam().wires()), a(rows), b(rows), c(rows);
  r1cs::ProvingSystem<Fr> cs(counts.at("num_inputs_with_one"), z, r1cs::EvaluationSpans<Fr>(a, b, c));
  synthesize(cs, partition_.instance());
  cs.finish();
  EXPECT_EQ(cs.sink().rows(), rows);
  EXPECT_EQ(values_sha256(z), facts().at("witness").at("sha256"));
  for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(a[row] * b[row], c[row]) << row;
  const auto& digests = facts().at("abc_vectors_sha256");
  EXPECT_EQ(values_sha256(a), digests.at("a"));
  EXPECT_EQ(values_sha256(b), digests.at("b"));
  EXPECT_EQ(values_sha256(c), digests.at("c"));
}

/// The first of the chosen ones of each circuit.
std::vector<PartitionVector> one_of_each_circuit(std::vector<PartitionVector> vectors) {
  std::set<std::string> seen;
  std::erase_if(vectors,
                [&](const PartitionVector& vector) { return !seen.insert(vector.facts.at("circuit")).second; });
  return vectors;
}

/// All of the small ones; of circuits above 5 million variables the last partition of one sector.
std::vector<PartitionVector> chosen_vectors() {
  constexpr std::size_t kLarge = 5'000'000;
  std::vector<PartitionVector> chosen = test::partition_vectors();
  std::erase_if(chosen, [&](const PartitionVector& vector) {
    return vector.wires() > kLarge && (vector.partition != 3 || vector.name.find("/seed-1/") == std::string::npos);
  });
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Partitions, CircuitsVectorsTest, testing::ValuesIn(chosen_vectors()),
                         [](const auto& param) { return test::identifier(param.param.name); });
INSTANTIATE_TEST_SUITE_P(Partitions, KeptCircuitsVectorsTest, testing::ValuesIn(one_of_each_circuit(chosen_vectors())),
                         [](const auto& param) { return test::identifier(param.param.name); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CircuitsVectorsTest);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KeptCircuitsVectorsTest);

// --- counts.json: blank circuits of all sizes; here those that are recorded in seconds

std::vector<nlohmann::json> counted_circuits() {
  constexpr std::size_t kLargest = 11'000'000;
  std::vector<nlohmann::json> circuits;
  try {
    for (auto& facts : nlohmann::json::parse(test::read_text(test::vector_path("filecoin/counts.json")))) {
      if (facts.at("num_constraints") < kLargest) circuits.push_back(std::move(facts));
    }
  } catch (const std::runtime_error&) {  // no such vectors
  }
  return circuits;
}

std::string name_of_counted(const nlohmann::json& facts) {
  return test::identifier(facts.at("kind").get<std::string>() + "_" + facts.at("sector_size").get<std::string>());
}

class CountsVectorsTest : public testing::TestWithParam<nlohmann::json> {};

TEST_P(CountsVectorsTest, Recorded) {
  const nlohmann::json& facts = GetParam();
  const std::string kind = facts.at("kind");
  const Circuit circuit{kind == "update" ? ProofKind::snap : *proof_kind_from(kind),
                        find_sector_shape(facts.at("sector_size").get<std::string>())};
  const auto recorded = test::recorded_circuit(circuit);
  const std::size_t inputs = recorded.num_inputs(), aux = recorded.num_aux();
  EXPECT_EQ(inputs, facts.at("num_inputs_with_one"));
  EXPECT_EQ(aux, facts.at("num_aux"));
  EXPECT_EQ(recorded.num_constraints(), facts.at("num_constraints"));
  const auto& terms = facts.at("nonzeros");
  EXPECT_EQ(recorded.non_zeros(), (r1cs::NonZeros{terms.at("a"), terms.at("b"), terms.at("c")}));
  EXPECT_EQ(encode_hex(r1cs::matrices_digest<Fr>(recorded)), facts.at("matrices_sha256"));

  const r1cs::Densities dense = r1cs::densities<Fr>(recorded);
  EXPECT_EQ(dense.a.size(), facts.at("query_lengths").at("a"));
  EXPECT_EQ(dense.b.size(), facts.at("query_lengths").at("b"));
  const auto& bitmaps = facts.at("density_bitmaps_sha256");
  EXPECT_EQ(bitmap_sha256(dense.a, inputs, aux), bitmaps.at("a_aux"));
  EXPECT_EQ(bitmap_sha256(dense.b, inputs, aux), bitmaps.at("b_aux"));
  EXPECT_EQ(bitmap_sha256(dense.b, 0, inputs), bitmaps.at("b_input"));
}

INSTANTIATE_TEST_SUITE_P(Circuits, CountsVectorsTest, testing::ValuesIn(counted_circuits()),
                         [](const auto& param) { return name_of_counted(param.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CountsVectorsTest);

}  // namespace
}  // namespace cuzk::filecoin
