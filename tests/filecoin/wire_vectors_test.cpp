// The decoders on every request of the reference vectors: what is read is written again and must be the same bytes.
#include <gtest/gtest.h>

#include "filecoin/wire/base64.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_bincode.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "tests/filecoin/request_vectors.h"

namespace cuzk::filecoin {
namespace {

using test::must;
using test::request_vectors;
using test::RequestVector;

TEST(WireVectors, C1TextsReadAndWriteAgain) {
  const auto cases = request_vectors({"porep", "porep-ni"});
  ASSERT_FALSE(cases.empty());
  for (const RequestVector& seed : cases) {
    SCOPED_TRACE(seed.folder.string());
    const std::string text = seed.text("c1.json");
    const C1Output c1 = must(read_c1_json(text));
    const nlohmann::json facts = seed.facts();
    EXPECT_EQ(c1.sector_number, facts.at("sector_number").get<std::uint64_t>());
    EXPECT_EQ(write_c1_json(c1.proof, *c1.sector_number), text);
    const SealProof seal = must(seal_proof(c1.proof.seal_proof));
    EXPECT_EQ(seal.sector, seed.sector);
    EXPECT_EQ(c1.proof.partitions.size(), seal.partitions());
    for (std::size_t k = 0; k < facts.at("challenges").size(); ++k) {
      const auto wanted = facts.at("challenges")[k].get<std::vector<std::uint64_t>>();
      for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(c1.proof.partitions.at(k).at(i).challenge(), wanted[i]);
    }
  }
}

TEST(WireVectors, InnerTextAloneAndBincodeGiveTheSameProof) {
  for (const RequestVector& seed : request_vectors({"porep", "porep-ni"})) {
    SCOPED_TRACE(seed.folder.string());
    const C1Output c1 = must(read_c1_json(seed.text("c1.json")));
    const std::string inner = write_phase1_json(c1.proof);
    EXPECT_EQ(write_phase1_json(must(read_phase1_json(inner))), inner);
    EXPECT_EQ(must(read_c1_json(inner)).sector_number, std::nullopt);
    const SealProof seal = must(seal_proof(c1.proof.seal_proof));
    const auto binary = write_phase1_bincode(c1.proof);
    EXPECT_EQ(write_phase1_json(must(read_phase1_bincode(binary, seal))), inner);
    EXPECT_EQ(write_phase1_json(must(read_api_phase1_bincode(write_api_phase1_bincode(c1.proof)))), inner);
  }
}

TEST(WireVectors, PostProofsReadAndWriteAgain) {
  const auto cases = request_vectors({"winning", "window"});
  ASSERT_FALSE(cases.empty());
  for (const RequestVector& seed : cases) {
    const ProofKind kind = *proof_kind_from(seed.kind);
    std::size_t partitions = 0;
    for (std::string name; seed.has(name = "vanilla-" + std::to_string(partitions) + ".json"); ++partitions) {
      SCOPED_TRACE(seed.folder.string() + " " + name);
      const std::string text = seed.text(name);
      const ByteStrings elements = must(read_vanilla_list(text));
      const auto proofs = must(read_post_proofs(text, *seed.sector, kind));
      ASSERT_EQ(proofs.size(), elements.size());
      for (std::size_t i = 0; i < proofs.size(); ++i)
        EXPECT_EQ(write_post_bincode(proofs[i], *seed.sector, kind), elements[i]);
      EXPECT_EQ(nlohmann::json::parse(write_vanilla_list(elements)), nlohmann::json::parse(text));
    }
    EXPECT_GT(partitions, 0U);
  }
}

TEST(WireVectors, UpdateProofsReadAndWriteAgain) {
  const auto cases = request_vectors({"update"});
  ASSERT_FALSE(cases.empty());
  for (const RequestVector& seed : cases) {
    SCOPED_TRACE(seed.folder.string());
    const std::string text = seed.text("vanilla.json");
    const ByteStrings elements = must(read_vanilla_list(text));
    const auto proofs = must(read_update_proofs(text, *seed.sector));
    ASSERT_EQ(proofs.size(), elements.size());
    for (std::size_t i = 0; i < proofs.size(); ++i)
      EXPECT_EQ(write_update_bincode(proofs[i], *seed.sector), elements[i]);
  }
}

}  // namespace
}  // namespace cuzk::filecoin
