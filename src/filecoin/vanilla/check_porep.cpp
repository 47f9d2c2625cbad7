#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/vanilla/check.h"
#include "filecoin/vanilla/check_parts.h"

namespace cuzk::filecoin {
namespace {

/// What all challenges of a seal have in common.
struct Seal {
  const PorepVanillaProof& proof;
  unsigned layers;
  Graph graph;
  Node comm_c;
  Node comm_r_last;
};

/// The labels that the label of `layer` hashes, out of the parents' columns.
std::vector<Node> parent_labels(const PorepChallengeProof& proof, unsigned layer) {
  std::vector<Node> labels;
  for (const ColumnProof& parent : proof.drg_parents) labels.push_back(parent.column.rows[layer - 1]);
  if (layer > 1)
    for (const ColumnProof& parent : proof.exp_parents) labels.push_back(parent.column.rows[layer - 2]);
  for (std::size_t i = 0; labels.size() < kLabelParents; ++i) labels.push_back(Node(labels[i]));
  return labels;
}

/// A column at `node` in the tree of columns. `other_node`: what it is when it is elsewhere.
void check_column(const FindingsBelow& findings, const Seal& seal, const ColumnProof& proof, std::uint64_t node,
                  Kind other_node) {
  const FindingsBelow inclusion = findings.at("inclusion_proof");
  findings.at("column").at("index").expect_equal(other_node, node, proof.column.index);
  check_position(inclusion, proof.inclusion, node, other_node);
  findings.at("column").expect_equal(Kind::column_mismatch, proof.inclusion.leaf, column_hash(proof.column.rows));
  check_path(inclusion, proof.inclusion, TreeHash::poseidon, seal.comm_c, Kind::comm_c_mismatch);
}

template <class Parents>
void check_parents(const FindingsBelow& findings, std::string_view name, const Seal& seal,
                   std::span<const ColumnProof> proofs, const Parents& parents) {
  for (std::size_t i = 0; i < proofs.size(); ++i)
    check_column(findings.at(name, i), seal, proofs[i], parents[i], Kind::parent_mismatch);
}

/// What the proof says a label hashes: not used by the circuit, which takes the columns.
void check_labeling(const FindingsBelow& findings, const LabelingProof& label, unsigned layer, std::uint64_t node,
                    std::span<const Node> parents) {
  findings.at("node").expect_equal(Kind::challenge_mismatch, node, label.node);
  findings.at("layer_index").expect_equal(Kind::label_mismatch, layer, label.layer_index);
  for (std::size_t i = 0; i < parents.size(); ++i)
    findings.at("parents", i).expect_equal(Kind::label_mismatch, parents[i], label.parents[i]);
}

void check_labels(const FindingsBelow& findings, const Seal& seal, const PorepChallengeProof& proof,
                  std::uint64_t node) {
  const FindingsBelow rows = findings.at("replica_column_proofs").at("c_x").at("column");
  std::vector<Node> parents;
  for (unsigned layer = 1; layer <= seal.layers; ++layer) {
    parents = parent_labels(proof, layer);
    check_labeling(findings.at("labeling_proofs", layer - 1), proof.labeling_proofs[layer - 1], layer, node, parents);
    rows.at("rows", layer - 1)
        .expect_equal(Kind::label_mismatch, node_label(seal.proof.replica_id, layer, node, parents),
                      proof.c_x.column.rows[layer - 1]);
  }
  check_labeling(findings.at("encoding_proof"), proof.encoding_proof, seal.layers, node, parents);
}

void check_challenge(const FindingsBelow& findings, const Seal& seal, const PorepChallengeProof& proof,
                     std::uint64_t challenge) {
  // A proof of another challenge has one fault; all else is judged by the challenge that it is of.
  const std::uint64_t node = proof.challenge();
  findings.expect_equal(Kind::challenge_mismatch, challenge, node);
  if (node >= seal.graph.nodes()) return;

  const FindingsBelow data = findings.at("comm_d_proofs"), replica = findings.at("comm_r_last_proof");
  check_position(data, proof.comm_d_proof, node, Kind::challenge_mismatch);
  check_path(data, proof.comm_d_proof, TreeHash::sha256, seal.proof.comm_d, Kind::comm_d_mismatch);
  check_position(replica, proof.comm_r_last_proof, node, Kind::challenge_mismatch);
  check_path(replica, proof.comm_r_last_proof, TreeHash::poseidon, seal.comm_r_last, Kind::comm_r_last_mismatch);

  const FindingsBelow columns = findings.at("replica_column_proofs");
  const auto parent_of = static_cast<std::uint32_t>(node);
  check_column(columns.at("c_x"), seal, proof.c_x, node, Kind::challenge_mismatch);
  check_parents(columns, "drg_parents", seal, proof.drg_parents, seal.graph.drg_parents(parent_of));
  check_parents(columns, "exp_parents", seal, proof.exp_parents, seal.graph.expander_parents(parent_of));
  check_labels(findings, seal, proof, node);
  replica.at("leaf").expect_equal(Kind::encoding_mismatch,
                                  encode_node(proof.c_x.column.rows.back(), proof.comm_d_proof.leaf),
                                  proof.comm_r_last_proof.leaf);
}

/// The roots of all columns.
std::vector<Node> column_roots(const PorepVanillaProof& proof) {
  std::vector<Node> roots;
  for (const auto& partition : proof.partitions) {
    for (const PorepChallengeProof& challenge : partition) {
      roots.push_back(challenge.c_x.inclusion.root);
      for (const ColumnProof& parent : challenge.drg_parents) roots.push_back(parent.inclusion.root);
      for (const ColumnProof& parent : challenge.exp_parents) roots.push_back(parent.inclusion.root);
    }
  }
  return roots;
}

std::vector<Node> replica_roots(const PorepVanillaProof& proof) {
  std::vector<Node> roots;
  for (const auto& partition : proof.partitions)
    for (const PorepChallengeProof& challenge : partition) roots.push_back(challenge.comm_r_last_proof.root);
  return roots;
}

Seal common_parts(const PorepVanillaProof& proof, const SealProof& seal, const Bytes32& porep_id) {
  const Node comm_c = common_node(column_roots(proof), [](const Node&) { return true; });
  const Node comm_r_last =
      common_node(replica_roots(proof), [&](const Node& root) { return comm_r_of(comm_c, root) == proof.comm_r; });
  return {proof, seal.sector->layers, Graph(seal.sector->nodes(), porep_id, seal.api()), comm_c, comm_r_last};
}

void check_statement(const FindingsBelow& findings, const PorepVanillaProof& proof, const SealProof& seal,
                     const PorepCheck& check, const Bytes32& porep_id) {
  findings.at("comm_r").expect_not_zero(proof.comm_r);
  findings.at("comm_d").expect_not_zero(proof.comm_d);
  const bool seeded = seal.feature != PorepFeature::non_interactive;
  if (seeded && proof.seed == Bytes32{}) findings.at("seed").add(Kind::zero_seed, "not all zero", "zeros");
  if (!check.identity) return;
  const Node id =
      replica_id(check.identity->prover_id, check.identity->sector_number, proof.ticket, proof.comm_d, porep_id);
  findings.at("replica_id").expect_equal(Kind::replica_id_mismatch, id, proof.replica_id);
}

void check_commitments(const FindingsBelow& findings, const Seal& seal) {
  findings.at("comm_c").expect_not_zero(seal.comm_c);
  findings.at("comm_r_last").expect_not_zero(seal.comm_r_last);
  findings.at("comm_r").expect_equal(Kind::comm_r_mismatch, comm_r_of(seal.comm_c, seal.comm_r_last),
                                     seal.proof.comm_r);
}

struct Opening {
  std::size_t partition;
  std::size_t index;
  std::uint64_t challenge;
};

std::vector<Opening> openings(const PorepVanillaProof& proof, const SealProof& seal) {
  std::vector<Opening> all;
  for (std::size_t k = 0; k < proof.partitions.size(); ++k) {
    const Challenges challenges =
        porep_challenges(seal, {proof.replica_id, proof.comm_r, proof.seed}, static_cast<unsigned>(k));
    for (std::size_t i = 0; i < proof.partitions[k].size(); ++i) all.push_back({k, i, challenges[i]});
  }
  return all;
}

}  // namespace

Findings check_porep(Arena& arena, const PorepVanillaProof& proof, const PorepCheck& check, ProgressRef progress) {
  const auto registered = seal_proof(proof.seal_proof);
  CUZK_REQUIRE(registered && !proof.partitions.empty() && !proof.partitions.front().empty());
  const Bytes32 porep_id = check.porep_id.value_or(registered->porep_id());
  const Seal seal = common_parts(proof, *registered, porep_id);
  const std::vector<Opening> all = openings(proof, *registered);

  Findings findings;
  check_statement(FindingsBelow(findings, {}), proof, *registered, check, porep_id);
  check_commitments(FindingsBelow(findings, {}), seal);
  progress.begin("checking vanilla proofs", all.size());
  gather_findings(arena, all.size(), progress, findings, [&](std::size_t i, Findings& found) {
    const auto& [partition, index, challenge] = all[i];
    const std::string place = "vanilla_proofs[" + std::to_string(partition) + "][" + std::to_string(index) + "]";
    check_challenge(FindingsBelow(found, place), seal, proof.partitions[partition][index], challenge);
  });
  progress.end();
  return findings;
}

}  // namespace cuzk::filecoin
