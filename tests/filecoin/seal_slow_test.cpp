// Sealing against the reference implementation: the requests of 8 MiB sectors. Synthetic sectors against the circuits.
#include "filecoin/circuits/circuit.h"
#include "filecoin/primitives/prover_id.h"
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/seal/label_stream.h"
#include "filecoin/seal/synthetic.h"
#include "filecoin/witness/generate.h"
#include "r1cs/recording_system.h"
#include "r1cs/satisfaction.h"
#include "tests/filecoin/seal_vectors.h"

namespace cuzk::filecoin {
namespace {

class LargeSealVectors : public testing::TestWithParam<SealVector> {};

TEST_P(LargeSealVectors, requests) {
  Arena arena;
  expect_payloads(arena, GetParam(), false);
}

INSTANTIATE_TEST_SUITE_P(All, LargeSealVectors, testing::ValuesIn(seal_vectors(true)), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LargeSealVectors);

using test::must;
using Fr = bls12_381::Fr;

/// Every row holds, and the public inputs are those that a verifier derives.
void expect_satisfied(Arena& arena, std::string_view id, const Instance& instance, const Statement& statement) {
  const Circuit circuit = must(find_circuit(id));
  r1cs::RecordingSystem<Fr> recorder;
  synthesize(recorder, blank_instance(circuit).instance);
  const auto recorded = std::move(recorder).finish();
  const r1cs::Witness witness = generate_witness(arena, circuit, instance);
  EXPECT_EQ(r1cs::first_unsatisfied<Fr>(arena, recorded, witness.values()), std::nullopt);
  EXPECT_TRUE(std::ranges::equal(witness.public_inputs(circuit.num_public()), public_inputs(statement, 0)));
}

TEST(SyntheticCircuits, seal) {
  Arena arena;
  const SealInputs inputs{must(seal_proof(7)), prover_id(1000), 7, label_bytes("ticket")};
  const SyntheticSeal seal = must(synthetic_seal(arena, inputs, label_bytes("seed"), 1, label_bytes("content")));
  expect_satisfied(arena, "porep-512m", porep_instance(seal.proof, 0), seal.statement);
}

TEST(SyntheticCircuits, storage) {
  Arena arena;
  const Node randomness = Node::from_le_bytes(label_element("randomness").data());
  for (const auto& [id, number] :
       {std::pair{"winning-32g", 3u}, std::pair{"winning-64g", 4u}, std::pair{"wpost-512m", 12u}}) {
    const PostProof proof = must(post_proof(number));
    const std::uint64_t sectors[] = {5};  // window: the partition is not full
    const SyntheticPost post = synthetic_post(arena, proof, randomness, sectors, 0, 1, label_bytes("content"));
    expect_satisfied(arena, id, post_instance(must(find_circuit(id)), post.proofs), post.statement);
  }
}

TEST(SyntheticCircuits, update) {
  Arena arena;
  const SyntheticUpdate update = synthetic_update(arena, *find_sector_shape("8m"), 1, label_bytes("content"));
  const UpdateStatement& statement = update.statement;
  expect_satisfied(arena, "snap-8m",
                   update_instance(*statement.sector, 0, statement.comm_r_old, statement.comm_d_new,
                                   statement.comm_r_new, update.proofs[0]),
                   statement);
}

}  // namespace
}  // namespace cuzk::filecoin
