#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/primitives/update.h"
#include "filecoin/primitives/update_shape.h"
#include "filecoin/vanilla/check.h"
#include "filecoin/vanilla/check_parts.h"
#include "hash/sha256_compress.h"

namespace cuzk::filecoin {
namespace {

/// What all challenges of an update have in common.
struct Update {
  const UpdateStatement& statement;
  UpdateShape shape;
  Node phi;
  Node comm_c;
  Node root_r_old;
  Node root_r_new;
};

/// The root that the challenges state of one of the replicas, whose commitment is comm_r.
template <class Root>
Node common_root(std::span<const UpdatePartitionProof> partitions, const Node& comm_c, const Node& comm_r,
                 Root root_of) {
  std::vector<Node> roots;
  for (const UpdatePartitionProof& partition : partitions)
    for (const UpdateChallengeProof& challenge : partition.challenges) roots.push_back(root_of(challenge));
  return common_node(roots, [&](const Node& root) { return comm_r_of(comm_c, root) == comm_r; });
}

Update common_parts(const UpdateStatement& statement, std::span<const UpdatePartitionProof> partitions) {
  std::vector<Node> comm_cs;
  for (const UpdatePartitionProof& partition : partitions) comm_cs.push_back(partition.comm_c);
  const Node& first_old = partitions.front().challenges.front().r_old.root;
  const Node comm_c = common_node(
      comm_cs, [&](const Node& candidate) { return comm_r_of(candidate, first_old) == statement.comm_r_old; });
  return {statement,
          UpdateShape(*statement.sector),
          update_phi(statement.comm_d_new, statement.comm_r_old),
          comm_c,
          common_root(partitions, comm_c, statement.comm_r_old,
                      [](const UpdateChallengeProof& proof) { return proof.r_old.root; }),
          common_root(partitions, comm_c, statement.comm_r_new,
                      [](const UpdateChallengeProof& proof) { return proof.r_new.root; })};
}

void check_commitments(const FindingsBelow& findings, const Update& update) {
  const UpdateStatement& statement = update.statement;
  const FindingsBelow old = findings.at("comm_r_old"), fresh = findings.at("comm_r_new");
  old.expect_not_zero(statement.comm_r_old);
  fresh.expect_not_zero(statement.comm_r_new);
  findings.at("comm_d_new").expect_not_zero(statement.comm_d_new);
  findings.at("comm_c").expect_not_zero(update.comm_c);
  old.expect_equal(Kind::comm_r_mismatch, comm_r_of(update.comm_c, update.root_r_old), statement.comm_r_old);
  fresh.expect_equal(Kind::comm_r_mismatch, comm_r_of(update.comm_c, update.root_r_new), statement.comm_r_new);
}

/// The root of the partition's apex leaves, and from there the rest of the first challenge's path.
void check_apex(const FindingsBelow& findings, const Update& update, const UpdatePartitionProof& partition) {
  std::vector<Node> row = partition.apex_leaves;
  const std::size_t height = update.shape.offset_bits();
  for (; row.size() > 1; row.resize(row.size() / 2))
    for (std::size_t i = 0; i < row.size() / 2; ++i) row[i] = hash::sha256_pair(row[2 * i], row[2 * i + 1]);
  const auto above = std::span<const PathLevel>(partition.challenges.front().d_new.path).subspan(height);
  findings.at("apex_leafs")
      .expect_equal(Kind::apex_leaf_mismatch, update.statement.comm_d_new, climb(row.front(), above, TreeHash::sha256));
}

void check_challenge(const FindingsBelow& findings, const Update& update, const UpdatePartitionProof& partition,
                     const UpdateChallengeProof& proof, std::uint64_t challenge) {
  const FindingsBelow old = findings.at("proof_r_old"), data = findings.at("proof_d_new"),
                      fresh = findings.at("proof_r_new");
  check_position(old, proof.r_old, challenge, Kind::challenge_mismatch);
  check_position(data, proof.d_new, challenge, Kind::challenge_mismatch);
  check_position(fresh, proof.r_new, challenge, Kind::challenge_mismatch);
  check_path(old, proof.r_old, TreeHash::poseidon, update.root_r_old, Kind::comm_r_last_mismatch);
  check_path(data, proof.d_new, TreeHash::sha256, update.statement.comm_d_new, Kind::comm_d_mismatch);
  check_path(fresh, proof.r_new, TreeHash::poseidon, update.root_r_new, Kind::comm_r_last_mismatch);

  const std::uint64_t node = proof.d_new.leaf_index();  // a proof of another challenge has one fault
  const Node rho = update_rho(update.phi, update_high_bits(*update.statement.sector, node));
  fresh.at("leaf").expect_equal(Kind::encoding_mismatch, encode_update(proof.r_old.leaf, proof.d_new.leaf, rho),
                                proof.r_new.leaf);
  const std::size_t height = update.shape.apex_height();
  const auto below = std::span<const PathLevel>(proof.d_new.path).first(height);
  const std::size_t apex = (node >> height) % partition.apex_leaves.size();
  data.expect_equal(Kind::apex_leaf_mismatch, partition.apex_leaves[apex],
                    climb(proof.d_new.leaf, below, TreeHash::sha256));
}

}  // namespace

Findings check_update(Arena& arena, const UpdateStatement& statement, std::span<const UpdatePartitionProof> partitions,
                      ProgressRef progress) {
  CUZK_REQUIRE(!partitions.empty() && partitions.size() <= statement.sector->update_partitions);
  const Update update = common_parts(statement, partitions);
  const std::size_t of_partition = statement.sector->update_challenges;
  std::vector<Challenges> challenges;
  for (unsigned k = 0; k < partitions.size(); ++k)
    challenges.push_back(update_challenges(*statement.sector, statement.comm_r_new, k));

  Findings findings;
  check_commitments(FindingsBelow(findings, {}), update);
  progress.begin("checking vanilla proofs", partitions.size() * of_partition);
  for (std::size_t k = 0; k < partitions.size(); ++k) {
    const std::string place = "[" + std::to_string(k) + "]";
    FindingsBelow(findings, place)
        .at("comm_c")
        .expect_equal(Kind::comm_c_mismatch, update.comm_c, partitions[k].comm_c);
    check_apex(FindingsBelow(findings, place), update, partitions[k]);
    gather_findings(arena, of_partition, progress, findings, [&](std::size_t i, Findings& found) {
      check_challenge(FindingsBelow(found, place).at("challenge_proofs", i), update, partitions[k],
                      partitions[k].challenges[i], challenges[k][i]);
    });
  }
  progress.end();
  return findings;
}

}  // namespace cuzk::filecoin
