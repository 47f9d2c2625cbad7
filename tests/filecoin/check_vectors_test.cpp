// The reference's requests are true: no check finds a fault.
#include <gtest/gtest.h>

#include "filecoin/vanilla/check.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "tests/filecoin/request_vectors.h"

namespace cuzk::filecoin {
namespace {

using test::bytes32_from;
using test::must;
using test::node_from;
using test::request_vectors;
using test::RequestVector;

void expect_true(const Findings& findings) { must(no_findings(findings)); }

TEST(CheckVectors, SealsAreTrue) {
  Arena arena;
  for (const RequestVector& seed : request_vectors({"porep", "porep-ni"})) {
    SCOPED_TRACE(seed.folder.string());
    const nlohmann::json facts = seed.facts();
    const C1Output c1 = must(read_c1_json(seed.text("c1.json")));
    const SealIdentity identity{bytes32_from(facts.at("prover_id")), *c1.sector_number};
    expect_true(check_porep(arena, c1.proof, {.identity = identity}));
  }
}

TEST(CheckVectors, PostsAreTrue) {
  Arena arena;
  for (const RequestVector& seed : request_vectors({"winning", "window"})) {
    const nlohmann::json facts = seed.facts();
    PostCheck check{must(post_proof(facts.at("registered_proof_number").get<std::uint32_t>())),
                    node_from(facts.at("randomness"))};
    std::string name;
    for (; seed.has(name = "vanilla-" + std::to_string(check.partition) + ".json"); ++check.partition) {
      SCOPED_TRACE(seed.folder.string() + " " + name);
      expect_true(check_post(arena, check, must(read_post_proofs(seed.text(name), *seed.sector, check.proof.kind))));
    }
  }
}

TEST(CheckVectors, UpdatesAreTrue) {
  Arena arena;
  for (const RequestVector& seed : request_vectors({"update"})) {
    SCOPED_TRACE(seed.folder.string());
    const nlohmann::json facts = seed.facts();
    const UpdateStatement statement{seed.sector, node_from(facts.at("comm_r_old")), node_from(facts.at("comm_d_new")),
                                    node_from(facts.at("comm_r_new"))};
    expect_true(check_update(arena, statement, must(read_update_proofs(seed.text("vanilla.json"), *seed.sector))));
  }
}

TEST(CheckVectors, PartitionsOfAnUpdateShareCommC) {
  Arena arena;
  for (const RequestVector& seed : request_vectors({"update"})) {
    if (seed.sector->update_partitions < 2) continue;
    const nlohmann::json facts = seed.facts();
    const UpdateStatement statement{seed.sector, node_from(facts.at("comm_r_old")), node_from(facts.at("comm_d_new")),
                                    node_from(facts.at("comm_r_new"))};
    auto partitions = must(read_update_proofs(seed.text("vanilla.json"), *seed.sector));
    partitions[0].comm_c = Node::from_u64(1);
    Findings findings = check_update(arena, statement, partitions);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].kind, Kind::comm_c_mismatch);
    EXPECT_EQ(findings[0].place, "[0].comm_c");
    std::swap(partitions[0], partitions[1]);
    EXPECT_FALSE(check_update(arena, statement, partitions).empty());
  }
}

}  // namespace
}  // namespace cuzk::filecoin
