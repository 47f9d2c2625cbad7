// Requests of the full size: a C1 of a 32 GiB sector, true and synthetic, through the text and back, checked.
#include <gtest/gtest.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/seal/synthetic.h"
#include "filecoin/vanilla/check.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "tests/gen/vanilla_proofs.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using test::must;

TEST(WireSlow, a_true_seal_of_32_gib) {
  Arena arena;
  const SealProof seal = must(seal_proof("StackedDrg32GiBV1_1"));
  Bytes32 seed{}, content{};
  seed[0] = content[1] = std::byte{1};
  const SyntheticSeal made =
      must(synthetic_seal(arena, {seal, prover_id(1000), 7, {}}, seed, seal.partitions(), content));
  const std::string text = write_c1_json(made.proof, 7);
  C1Output c1 = must(read_c1_json(text));
  EXPECT_EQ(write_c1_json(c1.proof, 7), text);
  const PorepCheck check{.identity = SealIdentity{prover_id(1000), 7}};
  must(no_findings(check_porep(arena, c1.proof, check)));

  Node& sibling = c1.proof.partitions[9][17].exp_parents[7].inclusion.path[9].siblings[6];
  sibling = sibling.is_zero() ? Node::from_u64(1) : Node::zero();
  const Findings findings = check_porep(arena, c1.proof, check);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, Kind::merkle_root_mismatch);
  EXPECT_EQ(findings[0].place, "vanilla_proofs[9][17].replica_column_proofs.exp_parents[7].inclusion_proof");
}

TEST(WireSlow, seals_with_all_trees_of_64_gib) {
  const SealProof seal = must(seal_proof("StackedDrg64GiBV1"));
  const PorepVanillaProof proof = test::RandomVanillaProofs(*seal.sector, test::run_seed()).porep(seal);
  const std::string text = write_phase1_json(proof);
  EXPECT_EQ(write_phase1_json(must(read_phase1_json(text))), text);
}

TEST(WireSlow, a_partition_of_an_update_of_32_gib) {
  Arena arena;
  const SectorShape& sector = *find_sector_shape("32GiB");
  const SyntheticUpdate made = synthetic_update(arena, sector, 2, {});
  for (const UpdatePartitionProof& partition : made.proofs) {
    const auto bytes = write_update_bincode(partition, sector);
    EXPECT_EQ(write_update_bincode(must(read_update_bincode(bytes, sector)), sector), bytes);
  }
  must(no_findings(check_update(arena, made.statement, made.proofs)));
}

}  // namespace
}  // namespace cuzk::filecoin
