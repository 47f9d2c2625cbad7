// Challenges against values of the reference and the worked example of docs/circuits.md. Production shapes are in the
// vectors (primitives.json).
#include "filecoin/primitives/challenges.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "filecoin/primitives/update.h"
#include "tests/filecoin/samples.h"

namespace cuzk::filecoin {
namespace {

using test::must;

TEST(Challenges, InteractiveOfTheExample) {
  const test::ExampleSector example;
  EXPECT_EQ(porep_challenges(example.proof, {example.replica_id, example.comm_r, example.seed}, 0),
            (Challenges{12, 47}));
}

TEST(Challenges, WinningOfTheExample) {
  const Bytes32 randomness = test::arithmetic_bytes(1, 0);
  const Challenges all = winning_challenges(*find_sector_shape("2KiB"), Node::from_le_bytes(randomness.data()), 42);
  EXPECT_EQ(all.size(), 66u);
  EXPECT_EQ(Challenges(all.begin(), all.begin() + 6), (Challenges{10, 0, 6, 16, 52, 40}));
}

TEST(Challenges, UpdateOfTheExample) {
  const test::ExampleSector example;
  const SectorShape& sector = *find_sector_shape("2KiB");
  EXPECT_EQ(update_challenges(sector, example.comm_r_new, 0), (Challenges{57, 51, 17, 63, 12, 25, 12, 29, 22, 54}));
  EXPECT_EQ(update_phi(example.comm_d_new, example.comm_r), example.phi);
  EXPECT_EQ(update_partition_and_h(sector, 0), 1u);
}

TEST(Challenges, UpdateOfLargeSectorsStayInTheirPartition) {
  const test::ExampleSector example;
  for (const SectorShape& sector : sector_shapes())
    for (unsigned partition = 0; partition < sector.update_partitions; ++partition) {
      const std::uint64_t nodes = sector.nodes() / sector.update_partitions;
      const Challenges challenges = update_challenges(sector, example.comm_r, partition);
      EXPECT_EQ(challenges.size(), sector.update_challenges);
      for (const std::uint64_t challenge : challenges) EXPECT_EQ(challenge / nodes, partition) << sector.name;
    }
  EXPECT_EQ(update_partition_and_h(*find_sector_shape("32GiB"), 5), 5u | 8u << 4);
  EXPECT_EQ(update_high_bits(*find_sector_shape("32GiB"), (std::uint64_t{1} << 30) - 1), 1023u);
}

TEST(Challenges, WindowDependsOnThePositionBeforeVersion12Only) {
  const Node randomness = test::node_from_hex("01" + std::string(62, '0'));
  const PostProof before = must(post_proof(8)), after = must(post_proof(13));
  EXPECT_EQ(window_challenges(before, randomness, 7, 0), window_challenges(after, randomness, 7, 0));
  EXPECT_NE(window_challenges(before, randomness, 7, 1), window_challenges(before, randomness, 7, 0));
  EXPECT_EQ(window_challenges(after, randomness, 7, 1), window_challenges(after, randomness, 7, 0));
  EXPECT_EQ(window_challenges(before, randomness, 7, 1)[2], post_challenge(before.sector->nodes(), randomness, 7, 12));
}

TEST(Challenges, SyntheticNeverChooseNodeZero) {
  const Node replica_id = Node::from_u64(55), comm_r = Node::from_u64(101);
  for (std::uint64_t i = 0; i < 1024; ++i) {
    const std::uint64_t challenge = synthetic_challenge(1024, replica_id, comm_r, i);
    EXPECT_GE(challenge, 1u);
    EXPECT_LT(challenge, 1024u);
  }
}

}  // namespace
}  // namespace cuzk::filecoin
