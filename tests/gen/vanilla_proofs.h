// Vanilla proofs of the right shape with random values: for decoders and encoders, not for circuits (no root is true).
#pragma once

#include <random>

#include "field/fp.h"
#include "filecoin/wire/shapes.h"
#include "tests/gen/field_values.h"

namespace cuzk::test {

class RandomVanillaProofs {
 public:
  RandomVanillaProofs(const filecoin::SectorShape& sector, std::uint64_t seed) : sector_(sector), random_(seed) {}

  filecoin::Node node() { return random_below(bls12_381::Fr::modulus, random_); }

  filecoin::MerkleProof merkle_proof(const filecoin::MerkleShape& shape) {
    filecoin::MerkleProof proof{node(), node(), {}};
    for (unsigned level = 0; level < shape.levels(); ++level) {
      const auto arity = static_cast<std::uint8_t>(shape.arity_at(level));
      filecoin::PathLevel& step =
          proof.path.emplace_back(filecoin::PathLevel{arity, static_cast<std::uint8_t>(random_() % arity), {}});
      for (unsigned i = 0; i + 1 < arity; ++i) step.siblings[i] = node();
    }
    return proof;
  }
  filecoin::MerkleProof replica_proof() { return merkle_proof(filecoin::replica_tree(sector_)); }
  filecoin::MerkleProof data_proof() { return merkle_proof(filecoin::data_tree(sector_)); }

  filecoin::PorepChallengeProof porep_challenge() {
    filecoin::PorepChallengeProof proof{data_proof(), replica_proof(), column_proof(), {}, {}, {}, labeling_proof(1)};
    for (unsigned i = 0; i < filecoin::kDrgParents; ++i) proof.drg_parents.push_back(column_proof());
    for (unsigned i = 0; i < filecoin::kExpanderParents; ++i) proof.exp_parents.push_back(column_proof());
    for (unsigned layer = 1; layer <= sector_.layers; ++layer) proof.labeling_proofs.push_back(labeling_proof(layer));
    return proof;
  }

  filecoin::PorepVanillaProof porep(const filecoin::SealProof& seal) {
    filecoin::PorepVanillaProof proof{seal.number, {}, node(), node(), node(), bytes32(), bytes32()};
    proof.partitions.resize(seal.partitions());
    for (auto& partition : proof.partitions)
      for (unsigned i = 0; i < sector_.porep_challenges; ++i) partition.push_back(porep_challenge());
    return proof;
  }

  filecoin::PostVanillaProof post(filecoin::ProofKind kind) {
    filecoin::PostVanillaProof proof{random_(), node(), {}};
    filecoin::PostSector& sector = proof.sectors.emplace_back(filecoin::PostSector{{}, node(), node()});
    for (unsigned i = 0; i < filecoin::post_challenges(kind); ++i) sector.inclusion_proofs.push_back(replica_proof());
    return proof;
  }

  filecoin::UpdatePartitionProof update() {
    filecoin::UpdatePartitionProof proof{node(), {}, {}};
    for (unsigned i = 0; i < sector_.update_apex_leaves; ++i) proof.apex_leaves.push_back(node());
    for (unsigned i = 0; i < sector_.update_challenges; ++i)
      proof.challenges.push_back({replica_proof(), data_proof(), replica_proof()});
    return proof;
  }

 private:
  filecoin::Bytes32 bytes32() {
    filecoin::Bytes32 bytes;
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
    return bytes;
  }
  std::vector<filecoin::Node> nodes(unsigned count) {
    std::vector<filecoin::Node> values;
    while (values.size() < count) values.push_back(node());
    return values;
  }
  filecoin::ColumnProof column_proof() {
    const auto index = static_cast<std::uint32_t>(random_() % sector_.nodes());
    return {{index, nodes(sector_.layers)}, replica_proof()};
  }
  filecoin::LabelingProof labeling_proof(std::uint32_t layer) {
    return {nodes(filecoin::kLabelParents), layer, random_() % sector_.nodes()};
  }

  const filecoin::SectorShape& sector_;
  std::mt19937_64 random_;
};

}  // namespace cuzk::test
