// The trees a sector is sealed with: whole, sparse, repeating. The whole tree's hashes are compared with published
// commitments; the other two with the whole one.
#include <random>

#include <gtest/gtest.h>

#include "filecoin/seal/fr32.h"
#include "filecoin/seal/repeating_tree.h"
#include "filecoin/seal/sparse_tree.h"
#include "support/hex.h"
#include "tests/gen/field_values.h"

namespace cuzk::filecoin {
namespace {

std::string hex(const Node& node) {
  std::array<std::byte, 32> bytes;
  node.to_le_bytes(bytes.data());
  return encode_hex(bytes);
}

std::vector<Node> random_nodes(std::size_t count, std::mt19937_64& random) {
  std::vector<Node> nodes(count);
  for (Node& node : nodes) node = test::random_below(Bls12_381FrParams::modulus, random);
  return nodes;
}

/// Climbs the path by inserting the node among its siblings: written apart from prove_inclusion().
Node climb(const MerkleProof& proof, NodeHash hash) {
  Node node = proof.leaf;
  for (const PathLevel& level : proof.path) {
    std::vector<Node> children(level.siblings.begin(), level.siblings.begin() + level.arity - 1);
    children.insert(children.begin() + level.index, node);
    node = hash(children);
  }
  return node;
}

struct Shape {
  NodeHash hash;
  std::vector<unsigned> arities;
};
const Shape kShapes[] = {{&sha256_node, {2, 2, 2, 2, 2, 2}},
                         {&poseidon_node, {8, 8}},
                         {&poseidon_node, {8, 8, 2}},
                         {&poseidon_node, {8, 8, 8, 2}},
                         {&poseidon_node, {8, 4}}};

TEST(SealTree, data_trees_of_zeros_are_the_zero_commitments) {
  Arena arena(2);
  const MerkleTree small(arena, &sha256_node, binary_arities(6), std::vector<Node>(64));
  EXPECT_EQ(hex(small.root()), "fc7e928296e516faade986b28f92d44a4f24b935485223376a799027bc18f833");
  const RepeatingTree large(arena, &sha256_node, binary_arities(30), {{Node{}}});
  EXPECT_EQ(hex(root_of(large)), "077e5fde35c50a9303a55009e3498a4ebedff39c42b710b730d8ec7ac7afa63e");
}

TEST(SealTree, each_leaf_has_a_path_to_the_root) {
  Arena arena(2);
  std::mt19937_64 random(test::run_seed());
  for (const Shape& shape : kShapes) {
    const std::vector<Node> leaves = random_nodes(leaf_count(shape.arities), random);
    const MerkleTree tree(arena, shape.hash, shape.arities, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const MerkleProof proof = prove_inclusion(tree, i);
      ASSERT_EQ(proof.leaf, leaves[i]);
      ASSERT_EQ(proof.root, tree.root());
      ASSERT_EQ(proof.leaf_index(), i);
      ASSERT_EQ(climb(proof, shape.hash), tree.root());
    }
  }
}

TEST(SealTree, a_repeating_tree_is_the_tree_of_what_it_repeats) {
  Arena arena(2);
  std::mt19937_64 random(test::run_seed());
  for (const Shape& shape : kShapes) {
    const std::uint64_t count = leaf_count(shape.arities);
    for (std::uint64_t ranges = 1; ranges <= count; ranges *= 2) {
      const std::uint64_t range = count / ranges;
      const std::uint64_t period = std::uint64_t{1} << random() % static_cast<unsigned>(std::bit_width(range));
      std::vector<std::vector<Node>> patterns;
      std::vector<Node> leaves;
      for (std::uint64_t r = 0; r < ranges; ++r) {
        patterns.push_back(random_nodes(period, random));
        for (std::uint64_t i = 0; i < range; ++i) leaves.push_back(patterns.back()[i % period]);
      }
      const RepeatingTree repeating(arena, shape.hash, shape.arities, patterns);
      const MerkleTree whole(arena, shape.hash, shape.arities, leaves);
      for (unsigned level = 0; level <= shape.arities.size(); ++level)
        for (std::uint64_t i = 0; i < whole.row(level).size(); ++i)
          ASSERT_EQ(repeating.node(level, i), whole.node(level, i))
              << level << " " << i << " ranges " << ranges << " period " << period;
    }
  }
}

TEST(SealTree, a_sparse_tree_with_all_leaves_is_whole) {
  Arena arena(2);
  std::mt19937_64 random(test::run_seed());
  for (const Shape& shape : kShapes) {
    const std::vector<Node> leaves = random_nodes(leaf_count(shape.arities), random);
    std::vector<SparseTree::Leaf> opened;
    for (std::size_t i = leaves.size(); i-- > 0;) opened.push_back({i, leaves[i]});
    const SparseTree sparse(arena, shape.hash, shape.arities, NodeStream({}, 0), opened);
    EXPECT_EQ(root_of(sparse), MerkleTree(arena, shape.hash, shape.arities, leaves).root());
  }
}

TEST(SealTree, paths_of_a_sparse_tree_lead_to_one_root) {
  Arena arena(2);
  std::mt19937_64 random(test::run_seed());
  for (const Shape& shape :
       {Shape{&poseidon_node, {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 2}}, Shape{&sha256_node, binary_arities(31)}}) {
    std::vector<SparseTree::Leaf> opened;
    for (const Node& value : random_nodes(40, random)) {
      const std::uint64_t index = random() % leaf_count(shape.arities);
      opened.push_back({index, value});
      opened.push_back({index ^ 1, value});  // neighbours: each is the other's sibling
    }
    const SparseTree tree(arena, shape.hash, shape.arities, NodeStream({}, 7), opened);
    for (const SparseTree::Leaf& leaf : opened) {
      const MerkleProof proof = prove_inclusion(tree, leaf.index);
      EXPECT_EQ(proof.leaf, leaf.value);
      EXPECT_EQ(proof.leaf_index(), leaf.index);
      EXPECT_EQ(climb(proof, shape.hash), root_of(tree));
    }
  }
}

TEST(Fr32, bits_move_up_by_two_every_254) {
  std::vector<std::byte> raw(254, std::byte{0xff});
  const std::vector<Node> nodes = pad_fr32(raw);
  ASSERT_EQ(nodes.size(), 8u);
  for (const Node& node : nodes) EXPECT_EQ(hex(node), std::string(62, 'f') + "3f");
  std::ranges::fill(raw, std::byte{});
  raw[31] = std::byte{0x40};   // bit 254: the first of the second node
  raw[126] = std::byte{0x80};  // the last bit of the first four nodes
  const std::vector<Node> sparse = pad_fr32(raw);
  EXPECT_EQ(hex(sparse[0]), std::string(64, '0'));
  EXPECT_EQ(hex(sparse[1]), "01" + std::string(62, '0'));
  EXPECT_EQ(hex(sparse[3]), std::string(62, '0') + "20");
}

}  // namespace
}  // namespace cuzk::filecoin
