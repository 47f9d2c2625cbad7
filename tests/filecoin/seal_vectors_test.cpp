// Sealing against the reference implementation: commitments, layers, trees and requests of 2 KiB sectors.
#include "tests/filecoin/seal_vectors.h"

#include "filecoin/seal/fr32.h"
#include "filecoin/seal/label_stream.h"
#include "support/sha256.h"

namespace cuzk::filecoin {
namespace {

using test::must;

std::string text(const nlohmann::json& value) { return value.get<std::string>(); }

std::string sha256_of(std::span<const Node> nodes) { return encode_hex(sha256(std::as_bytes(nodes))); }

std::string sha256_of(const MerkleTree& tree) {
  Sha256 hash;
  for (unsigned level = 0; level <= tree.arities().size(); ++level) hash.update(std::as_bytes(tree.row(level)));
  return encode_hex(hash.finish());
}

void expect_nodes(std::span<const Node> nodes, const nlohmann::json& facts) {
  for (const nlohmann::json& node : facts.at("nodes"))
    EXPECT_EQ(hex(nodes[node.at(0).get<std::size_t>()]), node.at(1).get<std::string>());
}

/// The nodes of a tree as its file holds them, row after row.
std::vector<Node> file_of(const MerkleTree& tree) {
  std::vector<Node> nodes;
  for (unsigned level = 0; level <= tree.arities().size(); ++level)
    nodes.insert(nodes.end(), tree.row(level).begin(), tree.row(level).end());
  return nodes;
}

class SealVectors : public testing::TestWithParam<SealVector> {};

TEST_P(SealVectors, requests) {
  Arena arena(2);
  expect_payloads(arena, GetParam(), true);
}

class SealedVectors : public testing::TestWithParam<SealVector> {};

/// Those that tell the layers and trees.
std::vector<SealVector> sealed_vectors() {
  std::vector<SealVector> vectors = seal_vectors(false);
  std::erase_if(vectors, [](const SealVector& vector) {
    return !vector.facts.contains("debug") || !vector.facts.at("debug").contains("layers");
  });
  return vectors;
}

TEST_P(SealedVectors, layers_and_trees) {
  const nlohmann::json& facts = GetParam().facts;
  const Recipe recipe = must(read_recipe(facts.dump()));
  Arena arena(2);
  std::vector<Node> data = pad_fr32(label_stream(recipe.sectors[0].data_label, raw_bytes(recipe.sector().bytes)));
  EXPECT_EQ(sha256_of(data), text(facts.at("data").at("staged_sha256")));
  const SealedSector sector = must(SealedSector::seal(
      arena, {recipe.seal, recipe.prover_id, recipe.sectors[0].number, recipe.sectors[0].ticket}, std::move(data)));
  EXPECT_EQ(hex(sector.replica_id()), text(facts.at("replica_id")));
  EXPECT_EQ(hex(sector.comm_d()), text(facts.at("comm_d")));
  EXPECT_EQ(hex(sector.comm_c()), text(facts.at("comm_c")));
  EXPECT_EQ(hex(sector.comm_r_last()), text(facts.at("comm_r_last")));
  EXPECT_EQ(hex(sector.comm_r()), text(facts.at("comm_r")));

  const nlohmann::json& debug = facts.at("debug");
  for (unsigned layer = 1; layer <= debug.at("layers").size(); ++layer) {
    EXPECT_EQ(sha256_of(sector.layer(layer)), text(debug.at("layers")[layer - 1].at("sha256")));
    expect_nodes(sector.layer(layer), debug.at("layers")[layer - 1]);
  }
  EXPECT_EQ(sha256_of(sector.tree_r_last().leaves()), text(debug.at("replica_sha256")));
  expect_nodes(sector.tree_r_last().leaves(), debug.at("replica"));
  EXPECT_EQ(sha256_of(sector.tree_c()), text(debug.at("tree_c_base").at("sha256")));
  expect_nodes(file_of(sector.tree_c()), debug.at("tree_c_base"));
  EXPECT_EQ(sha256_of(sector.tree_d()), text(debug.at("tree_d").at("sha256")));
  expect_nodes(file_of(sector.tree_d()), debug.at("tree_d"));
}

INSTANTIATE_TEST_SUITE_P(All, SealVectors, testing::ValuesIn(seal_vectors(false)), test_name);
INSTANTIATE_TEST_SUITE_P(All, SealedVectors, testing::ValuesIn(sealed_vectors()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SealVectors);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SealedVectors);

}  // namespace
}  // namespace cuzk::filecoin
