#include "filecoin/proof_request.h"

#include <gtest/gtest.h>

#include "filecoin/primitives/public_inputs.h"
#include "filecoin/seal/generate.h"
#include "filecoin/witness/generate.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using PostProofs = std::vector<PostVanillaProof>;
using UpdateProofs = std::vector<UpdatePartitionProof>;

class ProofRequestTest : public testing::Test {
 protected:
  GeneratedProof generated(ProofKind kind, std::uint64_t seed = 1, std::uint64_t sectors = 1) {
    const RecipeChoice choice{
        .kind = kind, .sector = find_sector_shape("2KiB"), .registered_proof = {}, .seed = seed, .sectors = sectors};
    return test::must(generate(arena, test::must(recipe_from_seed(choice)), {}));
  }

  Result<ProofRequest> request(const GeneratedProof& proof, const Statement& statement,
                               std::optional<std::uint64_t> partition = {}) {
    switch (proof.recipe.kind) {
      case ProofKind::porep:
        return porep_request(arena, std::get<PorepVanillaProof>(proof.vanilla), &std::get<SealStatement>(statement),
                             partition);
      case ProofKind::winning:
      case ProofKind::window:
        return post_request(arena, std::get<PostProofs>(proof.vanilla), std::get<PostStatement>(statement), partition);
      case ProofKind::snap:
        break;
    }
    return update_request(arena, std::get<UpdateProofs>(proof.vanilla), std::get<UpdateStatement>(statement),
                          partition);
  }

  void expect_fault(const GeneratedProof& proof, const Statement& statement, Kind kind) {
    const auto made = request(proof, statement);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind(), kind) << made.error().to_string();
  }

  Arena arena{2};
};

TEST_F(ProofRequestTest, StatesWhatTheStatementSays) {
  for (const ProofKind kind : kProofKinds) {
    const GeneratedProof proof = generated(kind);
    const ProofRequest made = test::must(request(proof, proof.statement));
    EXPECT_EQ(made.circuit(), circuit_of(proof.statement));
    ASSERT_EQ(made.partitions(), 1u);
    EXPECT_EQ(made.number(0), 0u);
    EXPECT_EQ(made.public_inputs(0), public_inputs(proof.statement, 0)) << name_of(kind);
  }
}

TEST_F(ProofRequestTest, WitnessBeginsWithOneAndThePublicInputs) {
  const GeneratedProof proof = generated(ProofKind::window);
  const ProofRequest made = test::must(request(proof, proof.statement));
  const r1cs::Witness witness = made.witness(arena, 0);
  EXPECT_EQ(witness.size(), witness_shape(made.circuit()).size());
  EXPECT_EQ(witness.values()[0], U256::from_u64(1));
  const auto inputs = made.public_inputs(0);
  EXPECT_TRUE(std::ranges::equal(witness.public_inputs(inputs.size()), inputs));
}

TEST_F(ProofRequestTest, SealsNeedNoStatement) {
  GeneratedProof proof = generated(ProofKind::porep);
  EXPECT_TRUE(porep_request(arena, std::get<PorepVanillaProof>(proof.vanilla), nullptr));
  std::get<PorepVanillaProof>(proof.vanilla).comm_r = U256::from_u64(7);
  const auto made = porep_request(arena, std::get<PorepVanillaProof>(proof.vanilla), nullptr);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::malformed);
}

TEST_F(ProofRequestTest, StatementsOfOthersAreRefused) {
  const auto pair = [&](ProofKind kind) { return std::pair{generated(kind), generated(kind, 2).statement}; };
  const auto [seal, other_seal] = pair(ProofKind::porep);
  EXPECT_FALSE(request(seal, other_seal));
  const auto [winning, other_winning] = pair(ProofKind::winning);
  expect_fault(winning, other_winning, Kind::comm_r_mismatch);
  const auto [window, other_window] = pair(ProofKind::window);
  expect_fault(window, other_window, Kind::comm_r_mismatch);
  const auto [update, other_update] = pair(ProofKind::snap);
  EXPECT_FALSE(request(update, other_update));
}

TEST_F(ProofRequestTest, EachMemberOfASealsStatementCounts) {
  const GeneratedProof proof = generated(ProofKind::porep);
  const auto changed = [&](auto change) {
    SealStatement seal = std::get<SealStatement>(proof.statement);
    change(seal);
    return Statement(seal);
  };
  expect_fault(proof, changed([](SealStatement& s) { s.comm_d = U256::from_u64(1); }), Kind::comm_d_mismatch);
  expect_fault(proof, changed([](SealStatement& s) { s.comm_r = U256::from_u64(1); }), Kind::comm_r_mismatch);
  expect_fault(proof, changed([](SealStatement& s) { s.sector_number += 1; }), Kind::replica_id_mismatch);
  expect_fault(proof, changed([](SealStatement& s) { s.prover_id[0] ^= std::byte{1}; }), Kind::replica_id_mismatch);
  expect_fault(proof, changed([](SealStatement& s) { s.ticket[0] ^= std::byte{1}; }), Kind::replica_id_mismatch);
  expect_fault(proof, changed([](SealStatement& s) { s.seed[0] ^= std::byte{1}; }), Kind::challenge_mismatch);
  expect_fault(proof, changed([](SealStatement& s) { s.proof = test::must(seal_proof(0)); }), Kind::wrong_proof_type);
}

TEST_F(ProofRequestTest, WindowPartitionsAreThoseOfTheStatement) {
  const GeneratedProof first = generated(ProofKind::window, 1, 3);  // two sectors, then one
  const PostStatement& statement = std::get<PostStatement>(first.statement);
  EXPECT_EQ(partitions_of(first.statement), 1u);  // a generated proof states its own partition
  ASSERT_EQ(statement.sectors.size(), 2u);
  EXPECT_TRUE(request(first, first.statement, 0));
  const auto beyond = request(first, first.statement, 1);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code(), Code::invalid_argument);
  PostStatement fewer = statement;
  fewer.sectors.pop_back();
  expect_fault(first, fewer, Kind::bad_count);
  PostStatement renamed = statement;
  renamed.sectors[1].sector_number += 1;
  expect_fault(first, renamed, Kind::sector_mismatch);
}

TEST_F(ProofRequestTest, OnePartitionOfManyOrAll) {
  RecipeChoice choice{.kind = ProofKind::porep, .sector = find_sector_shape("2KiB"), .registered_proof = 15};
  const GeneratedProof proof = test::must(generate(arena, test::must(recipe_from_seed(choice)), {}));
  const ProofRequest all = test::must(request(proof, proof.statement));
  ASSERT_EQ(all.partitions(), 13u);  // non-interactive
  for (std::size_t k = 0; k < all.partitions(); ++k) {
    EXPECT_EQ(all.number(k), k);
    EXPECT_EQ(all.public_inputs(k), public_inputs(proof.statement, k));
  }
  const ProofRequest one = test::must(request(proof, proof.statement, 7));
  ASSERT_EQ(one.partitions(), 1u);
  EXPECT_EQ(one.number(0), 7u);
  EXPECT_EQ(one.public_inputs(0), public_inputs(proof.statement, 7));
  const auto beyond = request(proof, proof.statement, 13);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code(), Code::invalid_argument);
}

TEST_F(ProofRequestTest, UpdatesHaveAllTheirPartitions) {
  const GeneratedProof proof = generated(ProofKind::snap);
  auto more = std::get<UpdateProofs>(proof.vanilla);
  more.push_back(more.front());
  const auto made = update_request(arena, more, std::get<UpdateStatement>(proof.statement));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), Kind::bad_count);
}

}  // namespace
}  // namespace cuzk::filecoin
