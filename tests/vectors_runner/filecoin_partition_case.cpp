// filecoin/<kind>-<size>/<seed>/partition-<k>.json: the request as an instance, its circuit, its witness and its rows.
//
// The circuit is the recorded one and the witness the direct generator's, plain and packed. The other models of a
// circuit are compared with the same files in tests/filecoin.
#include <gtest/gtest.h>

#include "field/fp_batch.h"
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/witness/generate.h"
#include "groth16/evaluate.h"
#include "r1cs/satisfaction.h"
#include "support/hex.h"
#include "support/sha256.h"
#include "tests/filecoin/partition_vectors.h"
#include "tests/vectors_runner/filecoin_facts.h"

namespace cuzk::test {
namespace {

using Json = nlohmann::json;
using Fr = FilecoinField;

const std::initializer_list<std::string_view> kMembers = {"abc_vectors_sha256",
                                                          "circuit",
                                                          "counts",
                                                          "density_bitmaps_sha256",
                                                          "matrices_sha256",
                                                          "proof",
                                                          "proof_exponents",
                                                          "public_inputs",
                                                          "r",
                                                          "s",
                                                          "test_constraint_system_hash",
                                                          "witness"};

void expect_public_inputs(const Json& expected, std::span<const U256> values) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], node_from(expected[i])) << i;
}

void expect_witness(const Json& facts, const r1cs::Witness& witness) {
  const std::span<const U256> values = witness.values();
  ASSERT_EQ(facts.at("wires"), values.size());
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(values[i], node_from(facts.at("first_20").at(i))) << i;
    EXPECT_EQ(values[values.size() - 20 + i], node_from(facts.at("last_20").at(i))) << i << " of the last 20";
  }
  for (const Json& sample : facts.at("samples"))
    EXPECT_EQ(values[sample.at(0).get<std::size_t>()], node_from(sample.at(1))) << sample.at(0);
  EXPECT_EQ(encode_hex(sha256(std::as_bytes(values))), facts.at("sha256"));
}

std::string elements_sha256(std::span<const Fr> elements) {
  std::vector<U256> values(elements.size());
  to_canonical_n(std::span(values), elements);
  return encode_hex(sha256(std::as_bytes(std::span<const U256>(values))));
}

void expect_rows(const Json& facts, const RecordedCircuit& circuit, const r1cs::Witness& witness) {
  EXPECT_EQ(r1cs::first_unsatisfied<Fr>(arena(), circuit, witness.values()), std::nullopt);
  const std::size_t rows = circuit.num_constraints() + circuit.num_inputs();
  std::vector<Fr> a(rows), b(rows), c(rows);
  groth16::evaluate<Fr>(arena(), circuit, witness.values(), a, b, c);
  EXPECT_EQ(facts.at("a"), elements_sha256(a));
  EXPECT_EQ(facts.at("b"), elements_sha256(b));
  EXPECT_EQ(facts.at("c"), elements_sha256(c));
}

void run(const std::filesystem::path& folder, const std::string& name, unsigned number) {
  const PartitionVector vector{name, folder, number, read_json(folder / (name + ".json"), kMembers)};
  const PartitionInstance partition = load_instance(vector);
  expect_public_inputs(vector.facts.at("public_inputs"), filecoin::public_inputs(partition.instance()));

  const auto circuit = record_circuit(partition.circuit);
  if (number == 0)  // the circuit is the same for all
    expect_circuit_facts(*circuit, vector.facts.at("counts"), vector.facts.at("density_bitmaps_sha256"),
                         vector.facts.at("matrices_sha256"));
  const r1cs::Witness witness = filecoin::generate_witness(arena(), partition.circuit, partition.instance());
  expect_witness(vector.facts.at("witness"), witness);
  const auto packed = filecoin::generate_packed_witness(arena(), partition.circuit, partition.instance());
  EXPECT_TRUE(std::ranges::equal(r1cs::expand(arena(), packed.view()).values(), witness.values()));
  expect_rows(vector.facts.at("abc_vectors_sha256"), *circuit, witness);
}

}  // namespace

std::vector<RegisteredCase> filecoin_partition_cases() {
  std::vector<RegisteredCase> cases;
  for (const PartitionVector& vector : partition_vectors()) {
    const std::string stem = "partition-" + std::to_string(vector.partition);
    cases.push_back({"filecoin_partition", vector.name,
                     [folder = vector.folder, stem, number = vector.partition] { run(folder, stem, number); }});
  }
  return cases;
}

}  // namespace cuzk::test
