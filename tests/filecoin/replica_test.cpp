// Labels, ids and commitments against the worked example of docs/circuits.md.
#include "filecoin/primitives/replica.h"

#include <vector>

#include <gtest/gtest.h>

#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/prover_id.h"
#include "tests/filecoin/samples.h"

namespace cuzk::filecoin {
namespace {

using test::hex_of;

TEST(ProverId, IsTheActorInLeb128) {
  EXPECT_EQ(encode_hex(prover_id(0)), std::string(64, '0'));
  EXPECT_EQ(encode_hex(prover_id(1000)).substr(0, 6), "e80700");
  EXPECT_EQ(encode_hex(prover_id(127)).substr(0, 4), "7f00");
  EXPECT_EQ(encode_hex(prover_id(128)).substr(0, 6), "800100");
  EXPECT_EQ(encode_hex(prover_id(~std::uint64_t{0})).substr(0, 22), "ffffffffffffffffff0100");
}

TEST(Replica, IdOfTheExample) {
  const test::ExampleSector example;
  EXPECT_EQ(replica_id(prover_id(example.actor), example.sector_number, example.ticket, example.comm_d,
                       example.proof.porep_id()),
            example.replica_id);
}

/// The labels of both layers as the definition says: parent by parent, 37 of them cycled.
std::vector<std::vector<Node>> label_layers(const test::ExampleSector& example) {
  const Graph graph(example.proof);
  std::vector<std::vector<Node>> layers;
  for (unsigned layer = 1; layer <= example.proof.sector->layers; ++layer) {
    std::vector<Node> labels;
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      std::vector<Node> of;
      for (const std::uint32_t parent : graph.drg_parents(node))
        if (node != 0) of.push_back(labels[parent]);
      if (layer > 1)
        for (const std::uint32_t parent : graph.expander_parents(node)) of.push_back(layers.back()[parent]);
      std::vector<Node> cycled;
      for (unsigned i = 0; node != 0 && i < kLabelParents; ++i) cycled.push_back(of[i % of.size()]);
      labels.push_back(node_label(example.replica_id, layer, node, cycled));
    }
    layers.push_back(std::move(labels));
  }
  return layers;
}

TEST(Replica, LabelsOfTheExample) {
  const auto layers = label_layers(test::ExampleSector());
  EXPECT_EQ(hex_of(layers[0][1]), "d14ea4fd0d4641cff5130946f5c117872dc4fb432a27e24683a7cb74533aa73b");
  EXPECT_EQ(hex_of(layers[1][63]), "42e052e9c98261f549b92bfb1a2577b9922ebd400e4b684654f4946d7003990c");
}

TEST(Replica, CommitmentsOfTheExample) {
  const test::ExampleSector example;
  EXPECT_EQ(comm_r_of(example.comm_c, example.comm_r_last), example.comm_r);
  EXPECT_EQ(comm_r_of(example.comm_c, example.root_r_new), example.comm_r_new);
  EXPECT_EQ(column_hash(std::array{example.comm_c, example.comm_r_last}), example.comm_r);
}

TEST(Replica, DecodingUndoesEncoding) {
  const test::ExampleSector example;
  const Node encoded = encode_node(example.comm_r_last, example.comm_c);
  EXPECT_EQ(decode_node(example.comm_r_last, encoded), example.comm_c);
  EXPECT_EQ(encode_node(example.comm_r, Node::zero()), example.comm_r);
}

}  // namespace
}  // namespace cuzk::filecoin
