// The witnesses of the worked example (docs/circuits.md, "End-to-end example, 2 KiB"): sealed here, put directly.
#include <gtest/gtest.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/seal/sector.h"
#include "filecoin/witness/generate.h"
#include "support/sha256.h"
#include "tests/filecoin/samples.h"

namespace cuzk::filecoin {
namespace {

using test::arithmetic_bytes;
using test::must;

template <class F> std::vector<Node> data_of(F value) {
  std::vector<Node> nodes;
  for (std::uint64_t i = 0; i < 64; ++i) nodes.push_back(Node::from_u64(value(i)));
  return nodes;
}

class WitnessExample : public testing::Test {
 protected:
  std::string digest(std::string_view id, const Instance& instance) {
    const r1cs::Witness witness = generate_witness(arena_, must(find_circuit(id)), instance);
    return encode_hex(sha256(std::as_bytes(witness.values())));
  }

  Arena arena_{1};
  const test::ExampleSector facts_;
  const SealedSector sector_ =
      must(SealedSector::seal(arena_, {facts_.proof, prover_id(facts_.actor), facts_.sector_number, facts_.ticket},
                              data_of([](auto i) { return i + 1; })));
};

TEST_F(WitnessExample, Seal) {
  const PorepVanillaProof proof = sector_.prove_seal(facts_.seed);
  EXPECT_EQ(digest("porep-2k", porep_instance(proof, 0)),
            "f52923e15637463dd82fdcdc4d9751f90778e07ebc1a8918431d4c143e940afc");
}

TEST_F(WitnessExample, Winning) {
  const Node randomness = Node::from_le_bytes(arithmetic_bytes(1, 0).data());
  const std::vector proofs = {prove_storage(must(post_proof(0)), randomness, sector_, 0)};
  EXPECT_EQ(digest("winning-2k", post_instance(must(find_circuit("winning-2k")), proofs)),
            "f9d3f5f96604a6dadba5359ebdaf89d52d7aaa62993cadfe3dcf76905db78441");
}

TEST_F(WitnessExample, Update) {
  const UpdatedSector updated =
      must(UpdatedSector::encode(arena_, sector_, data_of([](auto i) { return 1000 + i * i; })));
  const std::vector<UpdatePartitionProof> proofs = updated.prove_update(sector_);
  const UpdateInstance instance =
      update_instance(*facts_.proof.sector, 0, facts_.comm_r, facts_.comm_d_new, facts_.comm_r_new, proofs.front());
  EXPECT_EQ(digest("snap-2k", instance), "7f5ccef8b733ce6d451f5469696c3f1bc4a51684bcafab9a6b313d1f2212fb2c");
}

}  // namespace
}  // namespace cuzk::filecoin
