// Synthetic vanilla proofs of all kinds and sizes: the checks that a real one has to pass find nothing wrong.
#include <gtest/gtest.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/seal/label_stream.h"
#include "filecoin/seal/synthetic.h"
#include "filecoin/vanilla/check.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_json.h"
#include "tests/gen/seed.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using test::must;

Node element(std::string_view label) { return Node::from_le_bytes(label_element(label).data()); }

/// Number of the first registered proof of a series, for a size.
std::uint32_t number_of(std::string_view size, std::uint32_t series) {
  for (std::uint32_t i = 0; i < 5; ++i)
    if (must(update_proof(i))->id == size) return 5 * series + i;
  throw std::runtime_error("no such size");
}

SealInputs inputs_of(std::uint32_t number) {
  return {must(seal_proof(number)), prover_id(1000), 7, label_bytes("ticket")};
}

void expect_true(const SyntheticSeal& seal, Arena& arena) {
  must(no_findings(
      check_porep(arena, seal.proof,
                  {.identity = SealIdentity{seal.statement.prover_id, seal.statement.sector_number}, .porep_id = {}})));
}

class SyntheticSizes : public testing::TestWithParam<std::string> {};

TEST_P(SyntheticSizes, seal) {
  Arena arena(2);
  for (const std::uint32_t series : {0u, 1u}) {
    const SyntheticSeal seal =
        must(synthetic_seal(arena, inputs_of(number_of(GetParam(), series)), label_bytes("seed"), 1, label_bytes("c")));
    EXPECT_EQ(seal.proof.partitions.size(), 1u);
    expect_true(seal, arena);
  }
}

TEST_P(SyntheticSizes, winning) {
  Arena arena(2);
  const PostProof proof = must(post_proof(number_of(GetParam(), 0)));
  const std::uint64_t sectors[] = {11};
  const SyntheticPost post = synthetic_post(arena, proof, element("randomness"), sectors, 0, 1, label_bytes("content"));
  must(no_findings(check_post(arena, {proof, element("randomness")}, post.proofs)));
}

TEST_P(SyntheticSizes, window) {
  Arena arena(2);
  for (const std::uint32_t series : {1u, 2u}) {  // challenges depend on the sector's position, or not
    const PostProof proof = must(post_proof(number_of(GetParam(), series)));
    std::vector<std::uint64_t> sectors(std::min(proof.sector->window_sectors, 8u));
    for (std::size_t i = 0; i < sectors.size(); ++i) sectors[i] = 100 + i;
    for (const std::size_t replicas : {sectors.size(), std::size_t{1}}) {
      const SyntheticPost post =
          synthetic_post(arena, proof, element("randomness"), sectors, 3, replicas, label_bytes("content"));
      ASSERT_EQ(post.proofs.size(), sectors.size());
      must(no_findings(check_post(arena, {proof, element("randomness"), 3}, post.proofs)));
      EXPECT_EQ(post.statement.sectors.front().comm_r == post.statement.sectors.back().comm_r, replicas == 1);
    }
  }
}

TEST_P(SyntheticSizes, update) {
  Arena arena(2);
  const SectorShape& sector = *find_sector_shape(GetParam());
  const SyntheticUpdate update = synthetic_update(arena, sector, 1, label_bytes("content"));
  must(no_findings(check_update(arena, update.statement, update.proofs)));
  EXPECT_NE(update.statement.comm_r_old, update.statement.comm_r_new);
}

INSTANTIATE_TEST_SUITE_P(Registered, SyntheticSizes, testing::Values("2k", "8m", "512m", "32g", "64g"),
                         [](const auto& size) { return size.param; });

TEST(Synthetic, challenged_nodes_may_be_parents_of_each_other) {
  Arena arena(2);
  const std::string seed = std::to_string(test::run_seed());
  for (int i = 0; i < 100; ++i) {  // 28 parents among 64 nodes: about every second time
    const std::string label = seed + "/" + std::to_string(i);
    expect_true(must(synthetic_seal(arena, inputs_of(5), label_bytes(label), 1, label_bytes("content"))), arena);
  }
}

TEST(Synthetic, follows_from_its_arguments_alone) {
  Arena one(1), four(4);
  const auto seal = [](Arena& arena, std::string_view content) {
    const SyntheticSeal made = must(synthetic_seal(arena, inputs_of(6), label_bytes("seed"), 1, label_bytes(content)));
    return write_c1_json(made.proof, 7);
  };
  EXPECT_EQ(seal(one, "a"), seal(four, "a"));
  EXPECT_NE(seal(one, "a"), seal(one, "b"));
}

TEST(Synthetic, challenges_that_depend_on_comm_r_are_refused) {
  Arena arena(1);
  for (const std::uint32_t number : {10u, 15u}) {
    const auto made = synthetic_seal(arena, inputs_of(number), {}, 1, {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), Code::unsupported);
  }
}

}  // namespace
}  // namespace cuzk::filecoin
