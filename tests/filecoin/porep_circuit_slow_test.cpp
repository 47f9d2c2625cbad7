// The PoRep circuit's matrices at the shapes that the reference's own tests have, and a whole sector through it.
#include <gtest/gtest.h>

#include "filecoin/circuits/porep_circuit.h"
#include "filecoin/circuits/porep_circuit_impl.h"
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/seal/sector.h"
#include "r1cs/proving_system.h"
#include "r1cs/test_system.h"
#include "tests/filecoin/circuit_checks.h"
#include "tests/filecoin/hashing_sink.h"
#include "tests/filecoin/samples.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;

MerkleProof blank_path(std::span<const unsigned> arities) {
  MerkleProof proof{};
  for (const unsigned arity : arities) proof.path.push_back({static_cast<std::uint8_t>(arity), 0, {}});
  return proof;
}

/// One challenge of a sector that does not exist.
PorepChallengeProof blank_challenge(std::span<const unsigned> arities, std::size_t data_levels, std::size_t layers) {
  const ColumnProof column{{0, std::vector<Node>(layers)}, blank_path(arities)};
  PorepChallengeProof proof{};
  proof.comm_d_proof = blank_path(std::vector<unsigned>(data_levels, 2));
  proof.comm_r_last_proof = blank_path(arities);
  proof.c_x = column;
  proof.drg_parents.assign(kDrgParents, column);
  proof.exp_parents.assign(kExpanderParents, column);
  proof.labeling_proofs.assign(layers, LabelingProof{});
  return proof;
}

Cs blank_circuit(std::span<const unsigned> arities, std::size_t data_levels) {
  const PorepChallengeProof proof = blank_challenge(arities, data_levels, 2);
  Cs cs;
  porep_circuit(cs, PorepInstance{{}, {}, {}, {&proof}});
  return cs;
}

struct Shape {
  std::vector<unsigned> arities;
  std::size_t data_levels;
  std::size_t constraints;
};

TEST(PorepCircuitSlow, HasTheReferencesCounts) {
  const Shape shapes[] = {{{2, 2, 2}, 3, 1206212}, {{8}, 3, 1199620}, {{8, 4}, 5, 1296576}, {{8, 4, 2}, 6, 1346982}};
  for (const Shape& shape : shapes) {
    const Cs cs = blank_circuit(shape.arities, shape.data_levels);
    EXPECT_EQ(cs.num_inputs(), 22u);
    EXPECT_EQ(cs.num_constraints(), shape.constraints);
  }
}

TEST(PorepCircuitSlow, CircuitOfEightNodes) {
  const unsigned arities[] = {8};
  const Cs cs = blank_circuit(arities, 3);
  EXPECT_EQ(encode_hex(cs.hash()), "b9e22ee377bc73c4e08f679252c4f87948f5812be8c95358a6bf87a7279a785f");
  EXPECT_EQ(encode_hex(cs.matrices_digest()), "0b4c59c6ca37a9a44abe35ade5d63242554249445a602d9860334a2e526b9adb");
}

// Counts at every size. (Digests at the smaller ones: circuits_slow_test.cpp; at 32 GiB one hashes 30 GB.)
TEST(PorepCircuitSlow, RecordedCountsOfAllSizes) {
  std::size_t checked = 0;
  for (const test::CircuitFacts& facts : test::kCircuitFacts) {
    if (!facts.id.starts_with("porep-")) continue;
    SCOPED_TRACE(facts.id);
    const auto circuit = test::recorded_circuit(test::must(find_circuit(facts.id)));
    EXPECT_EQ(circuit.num_inputs(), facts.inputs);
    EXPECT_EQ(circuit.num_aux(), facts.aux);
    EXPECT_EQ(circuit.num_constraints(), facts.constraints);
    EXPECT_EQ(circuit.non_zeros(), (r1cs::NonZeros{facts.terms[0], facts.terms[1], facts.terms[2]}));
    ++checked;
  }
  EXPECT_EQ(checked, 10u);
}

// The worked example of the page: sealed here, digests from another implementation.
TEST(PorepCircuitSlow, ExampleSector) {
  const test::ExampleSector example;
  Arena arena(1);
  std::vector<Node> data;
  for (u64 i = 0; i < 64; ++i) data.push_back(Node::from_u64(i + 1));
  Bytes32 prover_id{};
  prover_id[0] = std::byte{0xe8};
  prover_id[1] = std::byte{0x07};
  const auto sector = test::must(
      SealedSector::seal(arena, {example.proof, prover_id, example.sector_number, example.ticket}, std::move(data)));
  const PorepVanillaProof proof = sector.prove_seal(example.seed);
  const PorepInstance instance = porep_instance(proof, 0);
  ASSERT_EQ(instance.challenges.size(), 2u);
  EXPECT_EQ(instance.challenges[0]->challenge(), 12u);
  EXPECT_EQ(instance.challenges[1]->challenge(), 47u);

  std::vector<Fr> z(40 + 2685673);
  r1cs::ProvingSystem<Fr, test::HashingSink> cs(40, z, {});
  porep_circuit(cs, instance);
  cs.finish();
  EXPECT_EQ(cs.sink().unsatisfied(), 0u);
  EXPECT_EQ(cs.sink().rows(), 2687961u);

  const auto derived = public_inputs(sector.statement(example.seed), 0);
  ASSERT_EQ(derived.size(), 39u);
  for (std::size_t i = 0; i < derived.size(); ++i) EXPECT_EQ(z[1 + i].canonical(), derived[i]) << i;

  const auto hash_of = [](std::span<const Fr> elements) {
    test::ElementHash hash;
    hash.put(elements);
    return hash.finish();
  };
  EXPECT_EQ(hash_of(std::span(z).first(40)), "63ee91d538fa78b29c654b393c1e644ae83cbf534d471531256ac11489d12e0e");
  EXPECT_EQ(hash_of(std::span(z).subspan(40)), "5acd933c112a6eacc62130eb48eca43b574be6f60dd5dad21eeeb3f193710d4f");
  EXPECT_EQ(hash_of(z), "f52923e15637463dd82fdcdc4d9751f90778e07ebc1a8918431d4c143e940afc");
  EXPECT_EQ(cs.sink().a(), "2f9a7a3fbc147ae765358ee7a82013d273ed4ec41dfb89fcca54b4b0314dd089");
  EXPECT_EQ(cs.sink().b(), "1e7022f1960f99501dc4032805da039ca7f6c88da059ea3cabad74d68622635c");
  EXPECT_EQ(cs.sink().c(), "ea438bcfc3a14687949711e1b03dcaf2ed7f849a21996d2cd5151741ebff0ce1");
}

}  // namespace
}  // namespace cuzk::filecoin
