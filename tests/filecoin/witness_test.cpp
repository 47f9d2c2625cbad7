// Direct witness generators against the circuits run on WitnessSystem, and against the known counts.
#include <gtest/gtest.h>

#include "filecoin/circuits/circuit.h"
#include "filecoin/witness/generate.h"
#include "filecoin/witness/node_hashes.h"
#include "r1cs/witness_system.h"
#include "tests/filecoin/circuit_facts.h"
#include "tests/filecoin/random_instance.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;

Circuit circuit_named(std::string_view id) { return test::must(find_circuit(id)); }

/// The slow way.
r1cs::Witness witness_of_circuit(const Instance& instance) {
  r1cs::WitnessSystem<Fr> cs;
  synthesize(cs, instance);
  return cs.witness();
}

void expect_same(std::span<const U256> values, std::span<const U256> expected, std::size_t num_inputs) {
  ASSERT_EQ(values.size(), expected.size());
  const auto [at, other] = std::ranges::mismatch(values, expected);
  if (at == values.end()) return;
  const auto wire = static_cast<std::size_t>(at - values.begin());
  FAIL() << "wire " << wire << " (aux " << wire - num_inputs << "): " << at->to_hex() << ", expected "
         << other->to_hex();
}

// Numbers of the reference's circuits; the table of its blocks.
TEST(WitnessExtents, OfBlocks) {
  namespace blocks = witness::node_hashes_detail;
  using witness::sha256_block_variables;
  EXPECT_EQ(sha256_block_variables(blocks::kFirstPair), 25806u);
  EXPECT_EQ(sha256_block_variables(blocks::kPadding), 19014u);
  EXPECT_EQ(sha256_block_variables(blocks::kLabelStart), 25337u);
  EXPECT_EQ(sha256_block_variables(blocks::kLaterPair), 26158u);
  EXPECT_EQ(sha256_block_variables(blocks::kLabelEnd), 25567u);
  EXPECT_EQ(witness::kPairExtent.aux, 45331u);
  EXPECT_EQ(witness::kLabelExtent.aux, 521749u);
}

TEST(WitnessExtents, OfEveryCircuit) {
  for (const test::CircuitFacts& facts : test::kCircuitFacts) {
    const WitnessShape shape = witness_shape(circuit_named(facts.id));
    EXPECT_EQ(shape.num_inputs, facts.inputs) << facts.id;
    EXPECT_EQ(shape.extent.aux, facts.aux) << facts.id;
  }
}

class WitnessTest : public testing::TestWithParam<std::string_view> {
 protected:
  const Circuit circuit_ = circuit_named(GetParam());
  Arena arena_{1};
};
// Every kind, every arity of a level; one size of each kind has several partitions or layers' worth of everything.
INSTANTIATE_TEST_SUITE_P(Circuits, WitnessTest,
                         testing::Values("porep-2k", "winning-2k", "winning-4k", "winning-16k", "winning-32k",
                                         "winning-32g", "wpost-2k", "wpost-32k", "snap-2k", "snap-4k"),
                         [](const auto& chosen) {
                           return std::string(chosen.param.substr(0, chosen.param.find('-'))) + "_" +
                                  std::string(chosen.param.substr(chosen.param.find('-') + 1));
                         });

TEST_P(WitnessTest, HasTheValuesOfTheCircuit) {
  test::RandomInstances instances(test::run_seed());
  const OwnedInstance owned = instances.make(circuit_);
  const r1cs::Witness expected = witness_of_circuit(owned.instance);
  const std::size_t num_inputs = circuit_.num_public() + 1;

  const r1cs::Witness plain = generate_witness(arena_, circuit_, owned.instance);
  expect_same(plain.values(), expected.values(), num_inputs);
  const r1cs::PackedWitness packed = generate_packed_witness(arena_, circuit_, owned.instance);
  expect_same(expand(arena_, packed.view()).values(), expected.values(), num_inputs);
}

TEST_P(WitnessTest, IsTheSameForAnyNumberOfThreads) {
  test::RandomInstances instances(test::run_seed());
  const OwnedInstance owned = instances.make(circuit_);
  Arena three(3);
  const r1cs::PackedWitness alone = generate_packed_witness(arena_, circuit_, owned.instance);
  const r1cs::PackedWitness together = generate_packed_witness(three, circuit_, owned.instance);
  EXPECT_TRUE(std::ranges::equal(alone.view().inputs, together.view().inputs));
  EXPECT_TRUE(std::ranges::equal(alone.view().general_map, together.view().general_map));
  EXPECT_TRUE(std::ranges::equal(alone.view().bits, together.view().bits));
  EXPECT_TRUE(std::ranges::equal(alone.view().ranks, together.view().ranks));
  EXPECT_TRUE(std::ranges::equal(alone.view().general, together.view().general));
  expect_same(generate_witness(three, circuit_, owned.instance).values(),
              generate_witness(arena_, circuit_, owned.instance).values(), circuit_.num_public() + 1);
}

/// What was in the memory before does not matter; map and ranks are the circuit's.
TEST_P(WitnessTest, MapAndRanksAreTheCircuits) {
  test::RandomInstances instances(test::run_seed());
  const OwnedInstance one = instances.make(circuit_), other = instances.make(circuit_);
  r1cs::PackedWitness packed = generate_packed_witness(arena_, circuit_, one.instance);
  const r1cs::PackedDestination to = packed.destination();
  const std::vector<u64> map(to.general_map.begin(), to.general_map.end());
  const std::vector<std::uint32_t> ranks(to.ranks.begin(), to.ranks.end());
  std::ranges::fill(to.general_map, ~u64{0});
  std::ranges::fill(to.bits, ~u64{0});
  std::ranges::fill(to.ranks, 0);
  generate_packed_witness(arena_, circuit_, other.instance, to);
  EXPECT_TRUE(std::ranges::equal(to.general_map, map));
  EXPECT_TRUE(std::ranges::equal(to.ranks, ranks));
  expect_same(expand(arena_, packed.view()).values(), generate_witness(arena_, circuit_, other.instance).values(),
              circuit_.num_public() + 1);
}

TEST(WitnessStop, EndsIt) {
  Arena arena(2);
  const Circuit circuit = circuit_named("winning-2k");
  const OwnedInstance owned = test::RandomInstances(test::run_seed()).make(circuit);
  const std::vector<U256> untouched(witness_shape(circuit).size(), U256::from_u64(5));
  std::vector<U256> values = untouched;
  std::stop_source stop;
  stop.request_stop();
  generate_witness(arena, circuit, owned.instance, values, stop.get_token());
  const std::size_t inputs = circuit.num_public() + 1;
  EXPECT_TRUE(std::ranges::equal(std::span(values).subspan(inputs), std::span(untouched).subspan(inputs)));
}

}  // namespace
}  // namespace cuzk::filecoin
