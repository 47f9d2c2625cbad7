#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "filecoin/circuits/porep_circuit_impl.h"
#include "hash/poseidon.h"
#include "hash/sha256_compress.h"
#include "r1cs/proving_system.h"
#include "support/sha256.h"
#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;

Node poseidon(std::span<const Node> children) {
  return hash::poseidon(hash::poseidon_kind_of_arity(static_cast<unsigned>(children.size())), children);
}

/// A sector of 8 nodes and 2 layers, by the definitions of the page alone, with a graph of its own choice: node 7 is
/// challenged, its parents are the nodes before it.
class TinySector {
 public:
  static constexpr std::size_t kNodes = 8, kLayers = 2, kChallenge = 7;

  explicit TinySector(std::mt19937_64& random) {
    const auto node = [&] { return test::random_below(U256{{0, 0, 0, u64{1} << 62}}, random); };
    replica_id_ = node();
    for (std::size_t i = 0; i < kNodes; ++i) {
      data_.push_back(node());
      replica_.push_back(node());
      columns_.push_back({node(), node()});
    }
    columns_[kChallenge] = {label(1), label(2)};
    replica_[kChallenge] =
        (Fr::from_canonical(columns_[kChallenge][1]) + Fr::from_canonical(data_[kChallenge])).canonical();
    for (const auto& column : columns_) column_hashes_.push_back(poseidon(column));
    comm_d_ = comm_d();
    const Node commitments[] = {poseidon(column_hashes_), poseidon(replica_)};
    comm_r_ = poseidon(commitments);

    proof_.comm_d_proof = data_proof();
    proof_.comm_r_last_proof = tree_proof(replica_, kChallenge);
    proof_.c_x = column_proof(kChallenge);
    for (std::size_t i = 0; i < kDrgParents; ++i) proof_.drg_parents.push_back(column_proof(drg_parent(i)));
    for (std::size_t i = 0; i < kExpanderParents; ++i) proof_.exp_parents.push_back(column_proof(exp_parent(i)));
    proof_.labeling_proofs.assign(kLayers, LabelingProof{{}, 0, kChallenge});
  }

  const Node& replica_id() const { return replica_id_; }
  const Node& comm_d_value() const { return comm_d_; }
  const Node& comm_r() const { return comm_r_; }
  const PorepChallengeProof& proof() const { return proof_; }

  static std::size_t drg_parent(std::size_t i) { return i + 1; }
  static std::size_t exp_parent(std::size_t i) { return (i * 5 + 2) % kNodes == kChallenge ? 0 : (i * 5 + 2) % kNodes; }

 private:
  static void append(std::vector<std::byte>& message, const Node& node) {
    const auto bytes = object_bytes(node);
    message.insert(message.end(), bytes.begin(), bytes.end());
  }

  Node label(unsigned layer) const {
    std::vector<std::byte> message;
    append(message, replica_id_);
    message.resize(64);
    message[35] = static_cast<std::byte>(layer);
    message[43] = static_cast<std::byte>(kChallenge);
    std::vector<Node> parents;
    parents.reserve(kDrgParents + kExpanderParents);
    for (std::size_t i = 0; i < kDrgParents; ++i) parents.push_back(columns_[drg_parent(i)][layer - 1]);
    for (std::size_t i = 0; layer > 1 && i < kExpanderParents; ++i) {
      parents.push_back(columns_[exp_parent(i)][layer - 2]);
    }
    for (std::size_t i = 0; i < kLabelParents; ++i) append(message, parents[i % parents.size()]);
    Sha256::Digest digest = sha256(message);
    digest[31] &= std::byte{0x3f};
    return Node::from_le_bytes(digest.data());
  }

  std::vector<Node> data_row(unsigned height) const {
    std::vector<Node> row = data_;
    for (; height > 0; --height) {
      for (std::size_t i = 0; i < row.size() / 2; ++i) row[i] = hash::sha256_pair(row[2 * i], row[2 * i + 1]);
      row.resize(row.size() / 2);
    }
    return row;
  }
  Node comm_d() const { return data_row(3).front(); }
  MerkleProof data_proof() const {
    MerkleProof proof{comm_d_, data_[kChallenge], {}};
    for (unsigned height = 0; height < 3; ++height) {
      const std::size_t at = kChallenge >> height;
      PathLevel level{2, static_cast<std::uint8_t>(at % 2), {}};
      level.siblings[0] = data_row(height)[at ^ 1];
      proof.path.push_back(level);
    }
    return proof;
  }
  static MerkleProof tree_proof(const std::vector<Node>& leaves, std::size_t at) {
    PathLevel level{8, static_cast<std::uint8_t>(at), {}};
    std::size_t sibling = 0;
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (i != at) level.siblings[sibling++] = leaves[i];
    }
    return {poseidon(leaves), leaves[at], {level}};
  }
  ColumnProof column_proof(std::size_t at) const {
    return {{static_cast<std::uint32_t>(at), columns_[at]}, tree_proof(column_hashes_, at)};
  }

  Node replica_id_, comm_d_, comm_r_;
  std::vector<Node> data_, replica_, column_hashes_;
  std::vector<std::vector<Node>> columns_;
  PorepChallengeProof proof_;
};

/// Counts the rows that do not hold.
struct CheckingSink {
  bool takes_c() const noexcept { return true; }
  void row(const Fr& a, const Fr& b, const Fr& c) noexcept { unsatisfied += a * b != c; }
  std::size_t unsatisfied = 0;
};

/// What the circuit of 8 nodes, 2 layers, one challenge has.
constexpr std::size_t kInputs = 22, kAux = 1198525, kConstraints = 1199620;

class PorepCircuitTest : public testing::Test {
 protected:
  PorepCircuitTest()
      : proof(sector.proof()), instance{sector.replica_id(), sector.comm_d_value(), sector.comm_r(), {&proof}} {}

  /// Rows of the instance that do not hold.
  std::size_t unsatisfied() {
    r1cs::ProvingSystem<Fr, CheckingSink> cs(kInputs, z, {});
    porep_circuit(cs, instance);
    cs.finish();
    EXPECT_EQ(cs.num_constraints(), kConstraints);
    return cs.sink().unsatisfied;
  }
  /// Whether the instance holds when a node of it is another.
  bool breaks(Node& node) {
    const Node former = node;
    node.limb[1] ^= 4;
    const bool broken = unsatisfied() != 0;
    node = former;
    return broken;
  }

  std::mt19937_64 random{test::run_seed()};
  TinySector sector{random};
  PorepChallengeProof proof;
  PorepInstance instance;
  std::vector<Fr> z = std::vector<Fr>(kInputs + kAux);
};

TEST_F(PorepCircuitTest, HoldsForATrueSector) {
  EXPECT_EQ(unsatisfied(), 0u);
  std::vector<Fr> expected = {Fr::one(), Fr::from_canonical(sector.replica_id()),
                              Fr::from_canonical(sector.comm_d_value()), Fr::from_canonical(sector.comm_r())};
  const auto index = [&](std::size_t node) { expected.push_back(Fr::from_u64(node)); };
  index(TinySector::kChallenge);
  for (std::size_t i = 0; i < kDrgParents; ++i) index(TinySector::drg_parent(i));
  for (std::size_t i = 0; i < kExpanderParents; ++i) index(TinySector::exp_parent(i));
  for (int i = 0; i < 3; ++i) index(TinySector::kChallenge);
  EXPECT_TRUE(std::ranges::equal(expected, std::span(z).first(kInputs)));
}

TEST_F(PorepCircuitTest, AnythingWrongBreaksIt) {
  EXPECT_TRUE(breaks(instance.replica_id));
  EXPECT_TRUE(breaks(instance.comm_d));
  EXPECT_TRUE(breaks(instance.comm_r));
  EXPECT_TRUE(breaks(proof.comm_d_proof.leaf));
  EXPECT_TRUE(breaks(proof.comm_d_proof.path[1].siblings[0]));
  EXPECT_TRUE(breaks(proof.comm_r_last_proof.root));
  EXPECT_TRUE(breaks(proof.comm_r_last_proof.path[0].siblings[6]));
  EXPECT_TRUE(breaks(proof.c_x.inclusion.root));
  EXPECT_TRUE(breaks(proof.c_x.inclusion.path[0].siblings[0]));
  EXPECT_TRUE(breaks(proof.drg_parents[5].column.rows[0]));
  EXPECT_TRUE(breaks(proof.drg_parents[0].column.rows[1]));
  EXPECT_TRUE(breaks(proof.exp_parents[7].column.rows[0]));
  EXPECT_TRUE(breaks(proof.exp_parents[7].column.rows[1]));
  EXPECT_TRUE(breaks(proof.exp_parents[3].inclusion.path[0].siblings[2]));
  proof.labeling_proofs[0].node = 6;
  EXPECT_NE(unsatisfied(), 0u);
}

}  // namespace
}  // namespace cuzk::filecoin
