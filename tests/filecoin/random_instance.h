// Instances of the right shape with random nodes and positions: true for no circuit, but with values wherever a circuit
// has them.
#pragma once

#include <algorithm>
#include <memory>

#include "filecoin/instances.h"
#include "tests/gen/field_values.h"

namespace cuzk::test {

class RandomInstances {
 public:
  explicit RandomInstances(std::uint64_t seed) : random_(seed) {}

  filecoin::OwnedInstance make(const filecoin::Circuit& circuit) {
    const filecoin::OwnedInstance blank = filecoin::blank_instance(circuit);
    return std::visit([this](const auto& instance) { return fill(instance); }, blank.instance);
  }

 private:
  template <class T> static filecoin::OwnedInstance owned(filecoin::Instance instance, std::shared_ptr<T> owner) {
    return {std::move(instance), std::move(owner)};
  }

  void fill(filecoin::Node& node) { node = biased_element<bls12_381::Fr>(random_).canonical(); }
  template <class... Nodes> void fill_all(Nodes&... nodes) { (fill(nodes), ...); }
  void fill(std::vector<filecoin::Node>& nodes) {
    for (filecoin::Node& node : nodes) fill(node);
  }
  void fill(filecoin::MerkleProof& proof) {
    fill_all(proof.root, proof.leaf);
    for (filecoin::PathLevel& level : proof.path) {
      level.index = static_cast<std::uint8_t>(random_() % level.arity);
      for (std::size_t i = 0; i + 1 < level.arity; ++i) fill(level.siblings[i]);
    }
  }
  void fill(filecoin::ColumnProof& proof) {
    fill(proof.column.rows);
    fill(proof.inclusion);
  }
  void fill(filecoin::PorepChallengeProof& proof) {
    fill_all(proof.comm_d_proof, proof.comm_r_last_proof, proof.c_x);
    for (filecoin::ColumnProof& parent : proof.drg_parents) fill(parent);
    for (filecoin::ColumnProof& parent : proof.exp_parents) fill(parent);
    for (filecoin::LabelingProof& labeling : proof.labeling_proofs) labeling.node = random_();
  }

  filecoin::OwnedInstance fill(filecoin::PorepInstance instance) {
    using filecoin::PorepChallengeProof;
    const std::size_t count = instance.challenges.size();
    auto proofs = std::make_shared<std::vector<PorepChallengeProof>>(count, *instance.challenges.front());
    fill_all(instance.replica_id, instance.comm_d, instance.comm_r);
    for (std::size_t i = 0; i < count; ++i) {
      fill((*proofs)[i]);
      instance.challenges[i] = &(*proofs)[i];
    }
    return owned(std::move(instance), std::move(proofs));
  }

  /// One proof for each challenge of each sector.
  filecoin::OwnedInstance fill(filecoin::PostInstance instance) {
    using Proofs = std::vector<std::vector<filecoin::MerkleProof>>;
    auto proofs = std::make_shared<Proofs>();
    for (filecoin::PostSectorInstance& sector : instance.sectors) {
      auto& own = proofs->emplace_back(sector.challenges.begin(), sector.challenges.end());
      for (filecoin::MerkleProof& proof : own) fill(proof);
      fill_all(sector.comm_r, sector.comm_c, sector.comm_r_last);
      sector.challenges = own;
    }
    return owned(std::move(instance), std::move(proofs));
  }

  filecoin::OwnedInstance fill(filecoin::UpdateInstance instance) {
    auto proof = std::make_shared<filecoin::UpdatePartitionProof>(*instance.proof);
    fill_all(instance.comm_r_old, instance.comm_d_new, instance.comm_r_new, proof->comm_c, proof->apex_leaves);
    for (filecoin::UpdateChallengeProof& challenge : proof->challenges)
      fill_all(challenge.r_old, challenge.d_new, challenge.r_new);
    instance.partition = static_cast<unsigned>(random_() % instance.sector->update_partitions);
    instance.proof = proof.get();
    return owned(instance, std::move(proof));
  }

  std::mt19937_64 random_;
};

}  // namespace cuzk::test
