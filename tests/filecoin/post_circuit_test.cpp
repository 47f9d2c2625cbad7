#include "filecoin/circuits/post_circuit.h"

#include <random>

#include <gtest/gtest.h>

#include "hash/poseidon.h"
#include "r1cs/test_system.h"
#include "support/hex.h"
#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;

U256 hash_pair(const U256& left, const U256& right) {
  const U256 pair[] = {left, right};
  return hash::poseidon(hash::PoseidonKind::arity_2, std::span<const U256>(pair));
}

/// A sector with a replica tree of which nothing is known but one path: true for one challenge, or for more of the
/// same.
struct Sector {
  Node comm_r, comm_c, comm_r_last;
  std::vector<MerkleProof> challenges;

  Sector(std::span<const unsigned> arities, std::size_t count, std::mt19937_64& random) {
    const auto node = [&] { return test::uniform_element<Fr>(random).canonical(); };
    MerkleProof proof{.root = {}, .leaf = node(), .path = {}};
    Node at = proof.leaf;
    for (const unsigned arity : arities) {
      PathLevel level{.arity = static_cast<std::uint8_t>(arity),
                      .index = static_cast<std::uint8_t>(random() % arity),
                      .siblings = {}};
      std::generate_n(level.siblings.begin(), arity - 1, node);
      std::vector<U256> children(level.siblings.begin(), level.siblings.begin() + arity - 1);
      children.insert(children.begin() + level.index, at);
      at = hash::poseidon(hash::poseidon_kind_of_arity(arity), std::span<const U256>(children));
      proof.path.push_back(level);
    }
    proof.root = at;
    comm_c = node();
    comm_r_last = at;
    comm_r = hash_pair(comm_c, comm_r_last);
    challenges.assign(count, proof);
  }

  PostSectorInstance instance() const {
    return {.comm_r = comm_r, .comm_c = comm_c, .comm_r_last = comm_r_last, .challenges = challenges};
  }
};

Cs run(std::span<const Sector> sectors) {
  PostInstance instance;
  for (const Sector& sector : sectors) instance.sectors.push_back(sector.instance());
  Cs cs;
  post_circuit(cs, instance);
  return cs;
}

std::vector<Sector> random_sectors(std::size_t count, std::span<const unsigned> arities, std::size_t challenges) {
  std::mt19937_64 random(test::run_seed());
  std::vector<Sector> sectors;
  while (sectors.size() < count) sectors.emplace_back(arities, challenges, random);
  return sectors;
}

constexpr unsigned kSmallTree[] = {8, 8};

struct Shape {
  std::vector<unsigned> arities;
  std::size_t sectors;
  std::size_t challenges;
  std::size_t constraints;
};

/// Counts that the reference's own tests assert.
TEST(PostCircuitTest, HasTheReferencesCounts) {
  const Shape shapes[] = {
      {{8, 8}, 3, 5, 16869},
      {{8, 8, 4}, 3, 5, 22674},
      {{8, 8, 4, 2}, 3, 5, 27384},
      {std::vector<unsigned>(10, 8), 5, 10, 266665},
  };
  for (const Shape& shape : shapes) {
    const Cs cs = run(random_sectors(shape.sectors, shape.arities, shape.challenges));
    EXPECT_EQ(cs.num_constraints(), shape.constraints);
    EXPECT_EQ(cs.num_inputs(), 1 + shape.sectors * (1 + shape.challenges));
    EXPECT_TRUE(cs.is_satisfied());
  }
}

TEST(PostCircuitTest, HasTheReferencesHash) {
  const Cs cs = run(random_sectors(3, kSmallTree, 5));
  EXPECT_EQ(encode_hex(cs.hash()), "aabc663ba989f3613ad4d3f9a623ea354ad306dc951d848e57e4bdcd9096675c");
  EXPECT_EQ(encode_hex(cs.matrices_digest()), "caa0fdb98c41dce72d8d36ecf2efb652e3e5b518dbc1d4d437d116dde04ea38e");
}

TEST(PostCircuitTest, PublishesCommitmentAndChallenges) {
  const auto sectors = random_sectors(2, kSmallTree, 3);
  const Cs cs = run(sectors);
  std::vector<Fr> expected = {Fr::one()};
  for (const Sector& sector : sectors) {
    expected.push_back(Fr::from_canonical(sector.comm_r));
    for (const MerkleProof& proof : sector.challenges) expected.push_back(Fr::from_u64(proof.leaf_index()));
  }
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), cs.inputs().begin(), cs.inputs().end()));
}

TEST(PostCircuitTest, AnythingWrongBreaksIt) {
  const auto breaks = [](auto change) {
    auto sectors = random_sectors(2, kSmallTree, 2);
    change(sectors[1]);
    return !run(sectors).is_satisfied();
  };
  const auto other = [](Node& node) { node.limb[0] ^= 1; };
  EXPECT_FALSE(breaks([](Sector&) {}));
  EXPECT_TRUE(breaks([&](Sector& s) { other(s.comm_r); }));
  EXPECT_TRUE(breaks([&](Sector& s) { other(s.comm_c); }));
  EXPECT_TRUE(breaks([&](Sector& s) { other(s.comm_r_last); }));
  EXPECT_TRUE(breaks([&](Sector& s) { other(s.challenges[1].leaf); }));
  EXPECT_TRUE(breaks([&](Sector& s) { other(s.challenges[1].path[0].siblings[6]); }));
  EXPECT_TRUE(breaks([&](Sector& s) { s.challenges[0].path[1].index ^= 4; }));
}

}  // namespace
}  // namespace cuzk::filecoin
