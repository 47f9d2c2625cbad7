// Checks of vanilla proofs: a true proof of each kind, and the same with one thing wrong, which must be found by name.
#include "filecoin/vanilla/check.h"

#include <functional>

#include <gtest/gtest.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/seal/sector.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_bincode.h"
#include "tests/filecoin/samples.h"
#include "tests/gen/seed.h"

namespace cuzk::filecoin {
namespace {

using test::must;

constexpr std::uint64_t kActor = 1000;

Arena& arena() {
  static Arena shared(2);
  return shared;
}

std::vector<Node> data_of(std::uint64_t nodes, std::uint64_t first) {
  std::vector<Node> data;
  for (std::uint64_t i = 0; i < nodes; ++i) data.push_back(Node::from_u64(first + i * i));
  return data;
}

SealedSector sealed(std::string_view proof, std::uint64_t number) {
  const SealProof seal = must(seal_proof(proof));
  return must(SealedSector::seal(arena(), {seal, prover_id(kActor), number, test::arithmetic_bytes(3, 0)},
                                 data_of(seal.sector->nodes(), number)));
}

void bump(Node& node) { node = node == Node::from_u64(7) ? Node::from_u64(8) : Node::from_u64(7); }

/// The kinds found, each once, in the order of finding.
std::vector<std::string> kinds(const Findings& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) {
    const std::string name(to_string(finding.kind));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

bool has(const Findings& findings, Kind kind, const std::string& place) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding.kind == kind && finding.place == place; });
}

template <class Proof> struct Fault {
  Kind kind;
  std::string place;
  std::function<void(Proof&)> change;
  bool alone = true;  // nothing else is wrong then
};

/// check(proof) finds each fault, and none when there is none.
template <class Proof, class Check>
void expect_faults_found(const Proof& good, const std::vector<Fault<Proof>>& faults, const Check& check) {
  must(no_findings(check(good)));
  for (const Fault<Proof>& fault : faults) {
    SCOPED_TRACE(std::string(to_string(fault.kind)) + " " + fault.place);
    Proof bad = good;
    fault.change(bad);
    const Findings findings = check(bad);
    EXPECT_TRUE(has(findings, fault.kind, fault.place)) << testing::PrintToString(kinds(findings));
    if (fault.alone) {
      EXPECT_EQ(kinds(findings), std::vector{std::string(to_string(fault.kind))});
    }
    const Status status = no_findings(findings);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), Code::malformed);
    EXPECT_EQ(status.error().kind(), findings.front().kind);
  }
}

/// Flips random bits of an encoded proof; what still decodes must be found false.
template <class Read, class Check>
void expect_changes_found(const std::vector<std::byte>& good, std::size_t rounds, const Read& read,
                          const Check& check) {
  std::mt19937_64 random(test::run_seed());
  std::size_t decoded = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::byte> bad = good;
    const std::size_t at = random() % bad.size();
    bad[at] ^= static_cast<std::byte>(1U << random() % 8);
    const auto proof = read(bad);
    if (!proof) continue;
    ++decoded;
    EXPECT_FALSE(check(*proof).empty()) << "byte " << at;
  }
  EXPECT_GT(decoded, rounds / 2);
}

// --- proof of replication

class PorepCheckTest : public testing::Test {
 protected:
  static const PorepVanillaProof& proof() {
    static const PorepVanillaProof made = sealed("StackedDrg2KiBV1_1", 42).prove_seal(test::arithmetic_bytes(5, 1));
    return made;
  }
  static Findings check(const PorepVanillaProof& proof) {
    return check_porep(arena(), proof, {.identity = SealIdentity{prover_id(kActor), 42}});
  }
};

using PorepFault = Fault<PorepVanillaProof>;

PorepChallengeProof& second(PorepVanillaProof& proof) { return proof.partitions[0][1]; }

TEST_F(PorepCheckTest, statement) {
  const std::vector<PorepFault> faults = {
      {Kind::zero_commitment, "comm_r", [](auto& p) { p.comm_r = Node::zero(); }, false},
      {Kind::zero_commitment, "comm_d", [](auto& p) { p.comm_d = Node::zero(); }, false},
      {Kind::zero_seed, "seed", [](auto& p) { p.seed = {}; }, false},
      {Kind::replica_id_mismatch, "replica_id", [](auto& p) { bump(p.replica_id); }, false},
      {Kind::replica_id_mismatch, "replica_id", [](auto& p) { p.ticket[3] ^= std::byte{1}; }},
      {Kind::comm_r_mismatch, "comm_r", [](auto& p) { bump(p.comm_r); }},
      {Kind::comm_d_mismatch, "vanilla_proofs[0][0].comm_d_proofs.root", [](auto& p) { bump(p.comm_d); }, false},
      {Kind::challenge_mismatch, "vanilla_proofs[0][1]", [](auto& p) { p.seed[0] ^= std::byte{1}; }},
      {Kind::label_mismatch, "vanilla_proofs[0][0].replica_column_proofs.c_x.column.rows[1]",
       [](auto& p) { bump(p.replica_id); }, false},
  };
  expect_faults_found(proof(), faults, check);
}

TEST_F(PorepCheckTest, merkle_paths) {
  const std::vector<PorepFault> faults = {
      {Kind::merkle_root_mismatch, "vanilla_proofs[0][1].comm_d_proofs",
       [](auto& p) { bump(second(p).comm_d_proof.path[4].siblings[0]); }},
      {Kind::merkle_root_mismatch, "vanilla_proofs[0][1].comm_r_last_proof",
       [](auto& p) { bump(second(p).comm_r_last_proof.path[1].siblings[6]); }},
      {Kind::merkle_root_mismatch, "vanilla_proofs[0][1].replica_column_proofs.c_x.inclusion_proof",
       [](auto& p) { bump(second(p).c_x.inclusion.path[0].siblings[0]); }},
      {Kind::merkle_root_mismatch, "vanilla_proofs[0][1].replica_column_proofs.exp_parents[7].inclusion_proof",
       [](auto& p) { bump(second(p).exp_parents[7].inclusion.path[1].siblings[3]); }},
      {Kind::comm_d_mismatch, "vanilla_proofs[0][1].comm_d_proofs.root",
       [](auto& p) { bump(second(p).comm_d_proof.root); }, false},
      {Kind::comm_r_last_mismatch, "vanilla_proofs[0][1].comm_r_last_proof.root",
       [](auto& p) { bump(second(p).comm_r_last_proof.root); }, false},
      {Kind::comm_c_mismatch, "vanilla_proofs[0][1].replica_column_proofs.drg_parents[0].inclusion_proof.root",
       [](auto& p) { bump(second(p).drg_parents[0].inclusion.root); }, false},
  };
  expect_faults_found(proof(), faults, check);
}

TEST_F(PorepCheckTest, columns_labels_encoding) {
  const std::vector<PorepFault> faults = {
      {Kind::parent_mismatch, "vanilla_proofs[0][1].replica_column_proofs.drg_parents[2].column.index",
       [](auto& p) { second(p).drg_parents[2].column.index ^= 1; }},
      {Kind::parent_mismatch, "vanilla_proofs[0][1].replica_column_proofs.exp_parents[3].inclusion_proof",
       [](auto& p) { second(p).exp_parents[3].inclusion.path[0].index ^= 1; }, false},
      {Kind::column_mismatch, "vanilla_proofs[0][1].replica_column_proofs.exp_parents[1].column",
       [](auto& p) { bump(second(p).exp_parents[1].column.rows[1]); }},  // row 2 enters no label of two layers
      {Kind::label_mismatch, "vanilla_proofs[0][1].labeling_proofs[0].parents[36]",
       [](auto& p) { bump(second(p).labeling_proofs[0].parents[36]); }},
      {Kind::label_mismatch, "vanilla_proofs[0][1].encoding_proof.parents[0]",
       [](auto& p) { bump(second(p).encoding_proof.parents[0]); }},
      {Kind::label_mismatch, "vanilla_proofs[0][1].labeling_proofs[1].layer_index",
       [](auto& p) { second(p).labeling_proofs[1].layer_index = 1; }},
      {Kind::label_mismatch, "vanilla_proofs[0][1].replica_column_proofs.c_x.column.rows[0]",
       [](auto& p) { bump(second(p).c_x.column.rows[0]); }, false},
      {Kind::encoding_mismatch, "vanilla_proofs[0][1].comm_r_last_proof.leaf",
       [](auto& p) { bump(second(p).comm_r_last_proof.leaf); }, false},
      {Kind::challenge_mismatch, "vanilla_proofs[0][1].labeling_proofs[1].node",
       [](auto& p) { second(p).labeling_proofs[1].node ^= 1; }},
      {Kind::challenge_mismatch, "vanilla_proofs[0][1]",
       [](auto& p) { second(p).labeling_proofs[0].node = ~std::uint64_t{0}; }},
      {Kind::challenge_mismatch, "vanilla_proofs[0][1].comm_d_proofs",
       [](auto& p) { second(p).comm_d_proof.path[0].index ^= 1; }, false},
      {Kind::challenge_mismatch, "vanilla_proofs[0][0]", [](auto& p) { std::swap(p.partitions[0][0], second(p)); }},
  };
  expect_faults_found(proof(), faults, check);
}

TEST_F(PorepCheckTest, all_faults_are_found_and_the_first_opening_is_not_trusted) {
  PorepVanillaProof bad = proof();
  bump(bad.partitions[0][0].comm_d_proof.path[0].siblings[0]);
  bump(bad.partitions[0][1].comm_d_proof.path[0].siblings[0]);
  bump(bad.partitions[0][1].c_x.inclusion.path[0].siblings[0]);
  const Findings findings = check(bad);
  EXPECT_EQ(findings.size(), 3U);
  EXPECT_EQ(kinds(findings), std::vector<std::string>{"merkle_root_mismatch"});
}

TEST_F(PorepCheckTest, every_changed_bit_is_found) {
  const auto bytes = write_phase1_bincode(proof());
  const SealProof seal = must(seal_proof(proof().seal_proof));
  expect_changes_found(bytes, 400, [&](Bytes bad) { return read_phase1_bincode(bad, seal); }, check);
}

TEST_F(PorepCheckTest, each_feature_has_its_own_challenges) {
  for (const std::string_view name :
       {"StackedDrg2KiBV1", "StackedDrg2KiBV1_1_Feat_SyntheticPoRep", "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"}) {
    SCOPED_TRACE(name);
    PorepVanillaProof made = sealed(name, 42).prove_seal(test::arithmetic_bytes(5, 1));
    must(no_findings(check(made)));
    made.seal_proof = must(seal_proof("StackedDrg2KiBV1_1")).number;  // another graph and other challenges
    made.partitions.resize(1);
    EXPECT_FALSE(check(made).empty());
  }
}

TEST_F(PorepCheckTest, without_identity_the_replica_id_is_taken_as_it_is) {
  PorepVanillaProof bad = proof();
  bad.ticket[0] ^= std::byte{1};
  EXPECT_TRUE(check_porep(arena(), bad).empty());
}

// --- proofs of spacetime

class PostCheckTest : public testing::Test {
 protected:
  static const std::vector<SealedSector>& sectors() {
    static const std::vector<SealedSector> made = [] {
      std::vector<SealedSector> list;
      for (const std::uint64_t number : {3U, 11U}) list.push_back(sealed("StackedDrg2KiBV1_1", number));
      return list;
    }();
    return made;
  }
  static PostCheck wanted(std::uint32_t number, std::uint64_t partition = 0) {
    return {must(post_proof(number)), Node::from_u64(99), partition};
  }
  /// What the sectors answer as partition `partition` of a window, or the first one as the winner.
  static std::vector<PostVanillaProof> answers(std::uint32_t number, std::uint64_t partition = 0) {
    const PostProof post = must(post_proof(number));
    std::vector<PostVanillaProof> proofs;
    const std::size_t count = post.kind == ProofKind::winning ? 1 : sectors().size();
    for (std::size_t i = 0; i < count; ++i)
      proofs.push_back(prove_storage(post, Node::from_u64(99), sectors()[i], partition * 2 + i));
    return proofs;
  }
};

constexpr std::uint32_t kWinning = 0, kOldWindow = 5, kWindow = 10;

TEST_F(PostCheckTest, faults_are_found) {
  using Proofs = std::vector<PostVanillaProof>;
  const std::vector<Fault<Proofs>> faults = {
      {Kind::zero_commitment, "[1].comm_r", [](auto& p) { p[1].comm_r = Node::zero(); }, false},
      {Kind::zero_commitment, "[1].vanilla_proof.sectors[0].comm_c",
       [](auto& p) { p[1].sectors[0].comm_c = Node::zero(); }, false},
      {Kind::comm_r_mismatch, "[1].comm_r", [](auto& p) { bump(p[1].comm_r); }},
      {Kind::comm_r_mismatch, "[1].comm_r", [](auto& p) { bump(p[1].sectors[0].comm_c); }},
      {Kind::comm_r_last_mismatch, "[0].vanilla_proof.sectors[0].inclusion_proofs[9].root",
       [](auto& p) { bump(p[0].sectors[0].comm_r_last); }, false},
      {Kind::merkle_root_mismatch, "[0].vanilla_proof.sectors[0].inclusion_proofs[4]",
       [](auto& p) { bump(p[0].sectors[0].inclusion_proofs[4].leaf); }},
      {Kind::challenge_mismatch, "[0].vanilla_proof.sectors[0].inclusion_proofs[4]",
       [](auto& p) { p[0].sectors[0].inclusion_proofs[4].path[1].index ^= 1; }, false},
      {Kind::challenge_mismatch, "[0].vanilla_proof.sectors[0].inclusion_proofs[0]",
       [](auto& p) { p[0].sector_id += 1; }},
      {Kind::duplicate_sector, "[1]", [](auto& p) { p[1] = p[0]; }},
  };
  expect_faults_found(answers(kWindow), faults,
                      [](const Proofs& proofs) { return check_post(arena(), wanted(kWindow), proofs); });
}

TEST_F(PostCheckTest, every_changed_bit_is_found) {
  for (const std::uint32_t number : {kWinning, kWindow}) {
    const PostProof post = must(post_proof(number));
    expect_changes_found(
        write_post_bincode(answers(number).front(), *post.sector, post.kind), 300,
        [&](Bytes bad) { return read_post_bincode(bad, *post.sector, post.kind); },
        [&](const PostVanillaProof& proof) { return check_post(arena(), wanted(number), std::span(&proof, 1)); });
  }
}

TEST_F(PostCheckTest, every_bad_sector_is_named) {
  auto proofs = answers(kWindow);
  for (PostVanillaProof& proof : proofs) bump(proof.sectors[0].inclusion_proofs[2].path[0].siblings[0]);
  const Findings findings = check_post(arena(), wanted(kWindow), proofs);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].sector, 3U);
  EXPECT_EQ(findings[1].sector, 11U);
  const std::string text = no_findings(findings).error().to_string();
  EXPECT_NE(text.find("2 faults in the vanilla proof in sectors 3 11"), std::string::npos) << text;
}

TEST_F(PostCheckTest, winning) {
  auto proofs = answers(kWinning);
  must(no_findings(check_post(arena(), wanted(kWinning), proofs)));
  bump(proofs[0].sectors[0].inclusion_proofs[65].leaf);
  EXPECT_EQ(kinds(check_post(arena(), wanted(kWinning), proofs)), std::vector<std::string>{"merkle_root_mismatch"});
}

TEST_F(PostCheckTest, old_versions_answer_for_any_consistent_partition) {
  for (const std::uint64_t partition : {0U, 1U, 2U, 37U, 4095U}) {
    SCOPED_TRACE(partition);
    const auto proofs = answers(kOldWindow, partition);
    EXPECT_TRUE(check_post(arena(), wanted(kOldWindow), proofs).empty());
    EXPECT_TRUE(check_post(arena(), wanted(kOldWindow, partition), proofs).empty());
    EXPECT_TRUE(check_post(arena(), wanted(kOldWindow, partition + 3), proofs).empty());
  }
  // Sectors of different partitions have no consistent number.
  auto mixed = answers(kOldWindow, 1);
  mixed[1] = answers(kOldWindow, 2)[1];
  const Findings findings = check_post(arena(), wanted(kOldWindow), mixed);
  EXPECT_EQ(kinds(findings), std::vector<std::string>{"challenge_mismatch"});
  EXPECT_EQ(findings.front().sector, 11U);
}

TEST_F(PostCheckTest, a_bad_first_sector_does_not_hide_the_partition) {
  auto proofs = answers(kOldWindow, 5);
  proofs[0].sectors[0].inclusion_proofs[0].path[0].index ^= 1;
  const Findings findings = check_post(arena(), wanted(kOldWindow), proofs);
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) EXPECT_EQ(finding.sector, 3U);
}

TEST_F(PostCheckTest, new_versions_do_not_depend_on_the_partition) {
  EXPECT_TRUE(check_post(arena(), wanted(kWindow, 9), answers(kWindow, 0)).empty());
  EXPECT_FALSE(check_post(arena(), wanted(kWindow), answers(kOldWindow, 3)).empty());
}

// --- update

class UpdateCheckTest : public testing::Test {
 protected:
  struct Made {
    UpdateStatement statement;
    std::vector<UpdatePartitionProof> partitions;
  };
  static const Made& made() {
    static const Made update = [] {
      const SealedSector old = sealed("StackedDrg2KiBV1_1", 42);
      const UpdatedSector fresh = must(UpdatedSector::encode(arena(), old, data_of(64, 1000)));
      return Made{fresh.statement(), fresh.prove_update(old)};
    }();
    return update;
  }
  static Findings check(const Made& made) { return check_update(arena(), made.statement, made.partitions); }
};

TEST_F(UpdateCheckTest, faults_are_found) {
  const auto challenge = [](Made& m) -> UpdateChallengeProof& { return m.partitions[0].challenges[3]; };
  const std::vector<Fault<Made>> faults = {
      {Kind::zero_commitment, "comm_r_old", [](auto& m) { m.statement.comm_r_old = Node::zero(); }, false},
      {Kind::zero_commitment, "comm_d_new", [](auto& m) { m.statement.comm_d_new = Node::zero(); }, false},
      {Kind::zero_commitment, "comm_c", [](auto& m) { m.partitions[0].comm_c = Node::zero(); }, false},
      {Kind::comm_r_mismatch, "comm_r_old", [](auto& m) { bump(m.statement.comm_r_old); }, false},
      {Kind::comm_r_mismatch, "comm_r_new", [](auto& m) { bump(m.statement.comm_r_new); }, false},
      {Kind::challenge_mismatch, "[0].challenge_proofs[0].proof_r_old", [](auto& m) { bump(m.statement.comm_r_new); },
       false},
      {Kind::comm_d_mismatch, "[0].challenge_proofs[3].proof_d_new.root", [](auto& m) { bump(m.statement.comm_d_new); },
       false},
      {Kind::comm_r_last_mismatch, "[0].challenge_proofs[3].proof_r_old.root",
       [&](auto& m) { bump(challenge(m).r_old.root); }, false},
      {Kind::merkle_root_mismatch, "[0].challenge_proofs[3].proof_r_old",
       [&](auto& m) { bump(challenge(m).r_old.path[0].siblings[2]); }},
      {Kind::merkle_root_mismatch, "[0].challenge_proofs[3].proof_d_new",
       [&](auto& m) { bump(challenge(m).d_new.path[4].siblings[0]); }},
      {Kind::merkle_root_mismatch, "[0].challenge_proofs[3].proof_r_new",
       [&](auto& m) { bump(challenge(m).r_new.path[1].siblings[2]); }},
      {Kind::encoding_mismatch, "[0].challenge_proofs[3].proof_r_new.leaf",
       [&](auto& m) { bump(challenge(m).r_new.leaf); }, false},
      {Kind::apex_leaf_mismatch, "[0].apex_leafs", [](auto& m) { bump(m.partitions[0].apex_leaves[5]); }, false},
      {Kind::challenge_mismatch, "[0].challenge_proofs[3].proof_r_new",
       [&](auto& m) { challenge(m).r_new.path[0].index ^= 1; }, false},
  };
  expect_faults_found(made(), faults, check);
}

TEST_F(UpdateCheckTest, every_changed_bit_is_found) {
  const UpdateStatement& statement = made().statement;
  expect_changes_found(
      write_update_bincode(made().partitions.front(), *statement.sector), 400,
      [&](Bytes bad) { return read_update_bincode(bad, *statement.sector); },
      [&](const UpdatePartitionProof& proof) { return check_update(arena(), statement, std::span(&proof, 1)); });
}

}  // namespace
}  // namespace cuzk::filecoin
