#include "filecoin/instances.h"

namespace cuzk::filecoin {
namespace {

/// A path of zeros whose node is the first child everywhere.
MerkleProof blank_path(std::span<const unsigned> arities) {
  MerkleProof proof{};
  for (const unsigned arity : arities) {
    PathLevel level{};
    level.arity = static_cast<std::uint8_t>(arity);
    proof.path.push_back(level);
  }
  return proof;
}

MerkleProof blank_replica_path(const SectorShape& sector) { return blank_path(sector.tree.arities()); }
MerkleProof blank_data_path(const SectorShape& sector) {
  return blank_path(std::vector<unsigned>(sector.log2_nodes(), 2));
}

ColumnProof blank_column(const SectorShape& sector) {
  return {.column = {.index = 0, .rows = std::vector<Node>(sector.layers)}, .inclusion = blank_replica_path(sector)};
}

LabelingProof blank_labeling(std::uint32_t layer) {
  return {.parents = std::vector<Node>(kLabelParents), .layer_index = layer, .node = 0};
}

PorepChallengeProof blank_challenge(const SectorShape& sector) {
  PorepChallengeProof proof{.comm_d_proof = blank_data_path(sector),
                            .comm_r_last_proof = blank_replica_path(sector),
                            .c_x = blank_column(sector),
                            .drg_parents = std::vector(kDrgParents, blank_column(sector)),
                            .exp_parents = std::vector(kExpanderParents, blank_column(sector)),
                            .labeling_proofs = {},
                            .encoding_proof = blank_labeling(sector.layers)};
  for (unsigned layer = 1; layer <= sector.layers; ++layer) proof.labeling_proofs.push_back(blank_labeling(layer));
  return proof;
}

OwnedInstance blank_porep(const SectorShape& sector) {
  auto challenge = std::make_shared<const PorepChallengeProof>(blank_challenge(sector));
  PorepInstance instance{};
  instance.challenges.assign(sector.porep_challenges, challenge.get());
  return {std::move(instance), std::move(challenge)};
}

OwnedInstance blank_post(const SectorShape& sector, unsigned sectors, unsigned challenges) {
  auto paths = std::make_shared<const std::vector<MerkleProof>>(challenges, blank_replica_path(sector));
  PostInstance instance;
  instance.sectors.assign(sectors,
                          PostSectorInstance{.comm_r = {}, .comm_c = {}, .comm_r_last = {}, .challenges = *paths});
  return {std::move(instance), std::move(paths)};
}

OwnedInstance blank_update(const SectorShape& sector) {
  const UpdateChallengeProof challenge{
      .r_old = blank_replica_path(sector), .d_new = blank_data_path(sector), .r_new = blank_replica_path(sector)};
  auto proof = std::make_shared<const UpdatePartitionProof>(
      UpdatePartitionProof{.comm_c = {},
                           .apex_leaves = std::vector<Node>(sector.update_apex_leaves),
                           .challenges = std::vector(sector.update_challenges, challenge)});
  UpdateInstance instance{};
  instance.sector = &sector;
  instance.proof = proof.get();
  return {instance, std::move(proof)};
}

/// The sectors of a vanilla proof, one after another. Winning makes a sector of each challenge.
void append_sectors(const PostVanillaProof& proof, bool unroll, std::vector<PostSectorInstance>& sectors) {
  for (const PostSector& sector : proof.sectors) {
    const std::span<const MerkleProof> challenges(sector.inclusion_proofs);
    const std::size_t step = unroll ? 1 : challenges.size();
    for (std::size_t at = 0; at < challenges.size(); at += step) {
      sectors.push_back({.comm_r = proof.comm_r,
                         .comm_c = sector.comm_c,
                         .comm_r_last = sector.comm_r_last,
                         .challenges = challenges.subspan(at, step)});
    }
  }
}

}  // namespace

PorepInstance porep_instance(const PorepVanillaProof& proof, std::size_t partition) {
  PorepInstance instance{
      .replica_id = proof.replica_id, .comm_d = proof.comm_d, .comm_r = proof.comm_r, .challenges = {}};
  for (const PorepChallengeProof& challenge : proof.partitions[partition]) instance.challenges.push_back(&challenge);
  return instance;
}

PostInstance post_instance(const Circuit& circuit, std::span<const PostVanillaProof> proofs) {
  const bool winning = circuit.kind == ProofKind::winning;
  PostInstance instance;
  for (const PostVanillaProof& proof : proofs) append_sectors(proof, winning, instance.sectors);
  const PostSectorInstance last = instance.sectors.back();
  instance.sectors.resize(winning ? kWinningSectors : circuit.sector->window_sectors, last);
  return instance;
}

UpdateInstance update_instance(const SectorShape& sector, unsigned partition, const Node& comm_r_old,
                               const Node& comm_d_new, const Node& comm_r_new, const UpdatePartitionProof& proof) {
  return {.sector = &sector,
          .partition = partition,
          .comm_r_old = comm_r_old,
          .comm_d_new = comm_d_new,
          .comm_r_new = comm_r_new,
          .proof = &proof};
}

OwnedInstance blank_instance(const Circuit& circuit) {
  const SectorShape& sector = *circuit.sector;
  switch (circuit.kind) {
    case ProofKind::porep:
      return blank_porep(sector);
    case ProofKind::winning:
      return blank_post(sector, kWinningSectors, 1);
    case ProofKind::window:
      return blank_post(sector, sector.window_sectors, kWindowChallenges);
    case ProofKind::snap:
      break;
  }
  return blank_update(sector);
}

}  // namespace cuzk::filecoin
