// Public inputs: their number for every circuit, their order, and what short partitions repeat.
#include "filecoin/primitives/public_inputs.h"

#include <gtest/gtest.h>

#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/prover_id.h"
#include "tests/filecoin/samples.h"

namespace cuzk::filecoin {
namespace {

using test::must;

TEST(PublicInputs, OfBlankInstancesAreAsManyAsTheCircuitHas) {
  for (const SectorShape& sector : sector_shapes())
    for (const ProofKind kind : kProofKinds) {
      if (kind == ProofKind::snap && sector.update_partitions == 0) continue;
      const Circuit circuit{kind, &sector};
      EXPECT_EQ(public_inputs(blank_instance(circuit).instance).size(), circuit.num_public()) << circuit.id();
    }
}

TEST(PublicInputs, OfASealInTheirOrder) {
  const test::ExampleSector example;
  const SealStatement seal{example.proof, prover_id(example.actor), example.sector_number, example.ticket,
                           example.seed,  example.comm_d,           example.comm_r};
  EXPECT_EQ(seal.porep_id, example.proof.porep_id());
  std::vector<U256> expected{example.replica_id, example.comm_d, example.comm_r};
  const Graph graph(example.proof);
  for (const std::uint32_t challenge : {12u, 47u}) {
    expected.push_back(U256::from_u64(challenge));
    for (const std::uint32_t parent : graph.drg_parents(challenge)) expected.push_back(U256::from_u64(parent));
    for (const std::uint32_t parent : graph.expander_parents(challenge)) expected.push_back(U256::from_u64(parent));
    for (int i = 0; i < 3; ++i) expected.push_back(U256::from_u64(challenge));
  }
  EXPECT_EQ(public_inputs(Statement(seal), 0), expected);
}

PostStatement post(std::uint32_t registered_proof, std::size_t sectors) {
  PostStatement statement{must(post_proof(registered_proof)), Node::from_u64(5), {}};
  for (std::size_t i = 0; i < sectors; ++i) statement.sectors.push_back({100 + i, Node::from_u64(200 + i)});
  return statement;
}

TEST(PublicInputs, AShortWindowPartitionRepeatsItsLastSector) {
  const PostStatement window = post(5, 3);  // two sectors a partition, challenges that depend on the position
  ASSERT_EQ(partitions_of(window), 2u);
  const std::vector<U256> values = public_inputs(Statement(window), 1);
  ASSERT_EQ(values.size(), 22u);
  EXPECT_EQ(values[0], Node::from_u64(202));
  const Challenges challenges = window_challenges(window.proof, window.randomness, 102, 2);
  for (std::size_t i = 0; i < challenges.size(); ++i) EXPECT_EQ(values[1 + i], U256::from_u64(challenges[i]));
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + 11, values.begin() + 11));
}

TEST(PublicInputs, APartitionAloneIsThatOfTheWhole) {
  const PostStatement window = post(5, 3);
  PostStatement alone = window;
  alone.sectors = {window.sectors[2]};
  alone.first_partition = 1;
  EXPECT_EQ(public_inputs(Statement(alone), 0), public_inputs(Statement(window), 1));
}

TEST(PublicInputs, OfAFullPartitionOf32GiB) {
  const PostStatement window = post(13, 2350);
  EXPECT_EQ(partitions_of(window), 2u);
  EXPECT_EQ(public_inputs(Statement(window), 0).size(), 25839u);
  EXPECT_EQ(public_inputs(Statement(window), 1).size(), 25839u);
}

TEST(PublicInputs, WinningHasTheSectorAgainWithEachChallenge) {
  const PostStatement winning = post(0, 1);
  EXPECT_EQ(partitions_of(winning), 1u);
  const std::vector<U256> values = public_inputs(Statement(winning), 0);
  const Challenges challenges = winning_challenges(*winning.proof.sector, winning.randomness, 100);
  ASSERT_EQ(values.size(), 132u);
  for (std::size_t i = 0; i < challenges.size(); ++i) {
    EXPECT_EQ(values[2 * i], Node::from_u64(200));
    EXPECT_EQ(values[2 * i + 1], U256::from_u64(challenges[i]));
  }
}

TEST(PublicInputs, UpdatePartitionsDifferInTheFirst) {
  const SectorShape& sector = *find_sector_shape("32GiB");
  const UpdateStatement update{&sector, Node::from_u64(1), Node::from_u64(2), Node::from_u64(3)};
  EXPECT_EQ(partitions_of(update), 16u);
  for (std::uint64_t k = 0; k < 16; ++k)
    EXPECT_EQ(public_inputs(Statement(update), k),
              (std::vector<U256>{U256::from_u64(k | 128), Node::from_u64(1), Node::from_u64(2), Node::from_u64(3)}));
}

}  // namespace
}  // namespace cuzk::filecoin
