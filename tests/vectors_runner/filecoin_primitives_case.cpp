// filecoin/primitives.json: Poseidon's constants and hashes; challenges, parents and public inputs at production
// shapes.
#include <gtest/gtest.h>

#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/public_inputs.h"
#include "hash/poseidon.h"
#include "support/hex.h"
#include "support/sha256.h"
#include "tests/filecoin/samples.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {
namespace {

using namespace filecoin;
using Json = nlohmann::json;
using hash::Fr;

Node node(const Json& hex) { return node_from_hex(hex.get<std::string>()); }

Bytes32 bytes32(const Json& hex) {
  Bytes32 bytes;
  must(decode_hex(hex.get<std::string>(), bytes));
  return bytes;
}

// --- Poseidon

std::string digest(std::span<const Fr> elements) {
  Sha256 hash;
  for (const Fr& element : elements) {
    const U256 value = element.canonical();
    hash.update(object_bytes(value));
  }
  return encode_hex(hash.finish());
}

hash::PoseidonKind kind_of(const Json& facts) {
  const auto arity = facts.at("arity").get<unsigned>();
  const bool merkle_tag = node(facts.at("domain_tag")) == Node::from_u64((std::uint64_t{1} << arity) - 1);
  return merkle_tag ? hash::poseidon_kind_of_arity(arity) : hash::PoseidonKind::randomness;
}

void expect_constants(const Json& facts, const hash::PoseidonConstants& constants) {
  EXPECT_EQ(facts.at("width"), constants.width);
  EXPECT_EQ(facts.at("partial_rounds"), constants.partial_rounds);
  EXPECT_EQ(facts.at("full_rounds"), 2 * hash::PoseidonConstants::kHalfFullRounds);
  EXPECT_EQ(node(facts.at("domain_tag")), constants.domain_tag.canonical());
  EXPECT_EQ(facts.at("round_constants").at("sha256"), digest(constants.round_constants));
  EXPECT_EQ(facts.at("compressed_round_constants").at("sha256"), digest(constants.compressed_constants));
  EXPECT_EQ(facts.at("mds").at("sha256"), digest(constants.mds));
  EXPECT_EQ(facts.at("pre_sparse_matrix").at("sha256"), digest(constants.pre_sparse));
  std::vector<Fr> sparse;
  for (const hash::SparseMatrix& matrix : constants.sparse) {
    sparse.insert(sparse.end(), matrix.w_hat.begin(), matrix.w_hat.end());
    sparse.insert(sparse.end(), matrix.v_rest.begin(), matrix.v_rest.end());
  }
  EXPECT_EQ(facts.at("sparse_matrices").at("sha256"), digest(sparse));
}

void run_poseidon(const Json& facts) {
  const hash::PoseidonKind kind = kind_of(facts);
  expect_constants(facts, hash::poseidon_constants(kind));
  for (const Json& vector : facts.at("vectors")) {
    std::vector<Node> inputs;
    for (const Json& input : vector.at("preimage")) inputs.push_back(node(input));
    EXPECT_EQ(hash::poseidon(kind, std::span<const Node>(inputs)), node(vector.at("hash"))) << vector.at("name");
  }
}

// --- proofs of replication

void expect_challenges(const Json& partitions, const SealProof& proof, const SealedReplica& replica) {
  for (const Json& partition : partitions)
    EXPECT_EQ(porep_challenges(proof, replica, partition.at("partition")), partition.at("challenges"));
}

void expect_parents(const Json& listed, const Graph& graph) {
  for (const Json& entry : listed) {
    const auto number = entry.at("node").get<std::uint32_t>();
    EXPECT_EQ(graph.drg_parents(number), entry.at("drg").get<DrgParents>()) << "node " << number;
    EXPECT_EQ(graph.expander_parents(number), entry.at("expander").get<ExpanderParents>()) << "node " << number;
  }
}

/// The replica id is given, not what it is made of: what the partition opens is compared behind it.
void expect_public_inputs(const Json& facts, const SealProof& proof, const SealedReplica& replica) {
  const Json& listed = facts.at("values");
  ASSERT_EQ(listed.size(), facts.at("count"));
  const Graph graph(proof);
  std::vector<std::uint64_t> opened;
  for (const std::uint64_t challenge : porep_challenges(proof, replica, 1)) {
    opened.push_back(challenge);
    for (const std::uint32_t parent : graph.drg_parents(static_cast<std::uint32_t>(challenge)))
      opened.push_back(parent);
    for (const std::uint32_t parent : graph.expander_parents(static_cast<std::uint32_t>(challenge)))
      opened.push_back(parent);
    opened.insert(opened.end(), 3, challenge);
  }
  ASSERT_EQ(opened.size() + 3, listed.size());
  EXPECT_EQ(node(listed[0]), replica.replica_id);
  EXPECT_EQ(node(listed[2]), replica.comm_r);
  for (std::size_t i = 0; i < opened.size(); ++i) EXPECT_EQ(node(listed[i + 3]), Node::from_u64(opened[i])) << i;
}

void run_porep(const Json& facts) {
  const auto proof_of = [](const Json& named) {
    return must(seal_proof(named.at("registered_proof").get<std::string>()));
  };
  const SealedReplica replica{node(facts.at("replica_id")), node(facts.at("comm_r")), bytes32(facts.at("seed"))};
  const SealProof proof = proof_of(facts);
  EXPECT_EQ(proof.porep_id(), bytes32(facts.at("porep_id")));
  expect_challenges(facts.at("interactive"), proof, replica);
  expect_parents(facts.at("parents"), Graph(proof));
  expect_public_inputs(facts.at("public_inputs_partition_1"), proof, replica);
  for (const char* other : {"synthetic", "non_interactive"}) {
    const Json& of = facts.at(other);
    EXPECT_EQ(proof_of(of).porep_id(), bytes32(of.at("porep_id")));
    expect_challenges(of.at("partitions"), proof_of(of), replica);
  }
}

// --- proofs of spacetime

void run_post(const Json& facts) {
  const Node randomness = node(facts.at("randomness"));
  const Bytes32 prover = bytes32(facts.at("prover_id"));
  for (const char* kind : {"winning", "window"}) {
    const Json& of = facts.at(kind);
    const PostProof proof = must(post_proof(of.at("registered_proof").get<std::string>()));
    std::uint64_t position = 0;
    for (const Json& sector : of.at("challenges")) {
      const Challenges derived = proof.kind == ProofKind::winning
                                     ? winning_challenges(*proof.sector, randomness, sector.at(0))
                                     : window_challenges(proof, randomness, sector.at(0), position++);
      EXPECT_EQ(derived, sector.at(1)) << kind << " sector " << sector.at(0);
    }
  }
  for (const Json& choice : facts.at("winning").at("sector_challenge"))
    for (std::size_t n = 0; n < choice.at(1).size(); ++n)
      EXPECT_EQ(winning_sector(prover, randomness, n, choice.at(0)), choice.at(1).at(n));
}

}  // namespace

std::vector<RegisteredCase> filecoin_primitive_cases() {
  std::vector<RegisteredCase> cases;
  for (const std::filesystem::path& root : vector_roots()) {
    const std::filesystem::path path = root / "filecoin" / "primitives.json";
    if (!std::filesystem::exists(path)) continue;
    const Json facts = read_json(path, {"poseidon", "porep_32GiB", "post_32GiB"});
    for (const Json& constants : facts.at("poseidon"))
      cases.push_back({"filecoin_primitives", "poseidon-" + constants.at("name").get<std::string>(),
                       [constants] { run_poseidon(constants); }});
    cases.push_back({"filecoin_primitives", "porep", [of = facts.at("porep_32GiB")] { run_porep(of); }});
    cases.push_back({"filecoin_primitives", "post", [of = facts.at("post_32GiB")] { run_post(of); }});
    break;
  }
  return cases;
}

}  // namespace cuzk::test
