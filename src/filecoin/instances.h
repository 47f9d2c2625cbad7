// The values of one partition's circuit: what a circuit (filecoin/circuits) and a witness generator (filecoin/witness)
// are called with. Views on vanilla proofs, which must outlive them; shapes agree with the sector size.
//
// blank_* make instances of the right shape with zeros everywhere, for recording a circuit: one challenge or sector
// stands for all. Thread-safety: values.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

struct PorepInstance {
  Node replica_id;
  Node comm_d;
  Node comm_r;
  std::vector<const PorepChallengeProof*> challenges;
};

/// A sector of a PoSt circuit; winning: 66 times the same sector, each with one challenge.
struct PostSectorInstance {
  Node comm_r;
  Node comm_c;
  Node comm_r_last;
  std::span<const MerkleProof> challenges;
};
/// Full: short partitions repeat their last sector.
struct PostInstance {
  std::vector<PostSectorInstance> sectors;
};

struct UpdateInstance {
  const SectorShape* sector;
  unsigned partition;
  Node comm_r_old;
  Node comm_d_new;
  Node comm_r_new;
  const UpdatePartitionProof* proof;
};

using Instance = std::variant<PorepInstance, PostInstance, UpdateInstance>;

/// From vanilla proofs of the shapes that the decoders see to; whether they are true is another question
/// (vanilla/check.h). precondition: partition below the number there is.
PorepInstance porep_instance(const PorepVanillaProof& proof, std::size_t partition);
/// Winning: one proof, of whose one sector each challenge becomes a sector; window: those of one partition in order.
/// Both repeat the last sector until the circuit is full. precondition: one proof at least, with a sector and a
/// challenge.
PostInstance post_instance(const Circuit& circuit, std::span<const PostVanillaProof> proofs);
UpdateInstance update_instance(const SectorShape& sector, unsigned partition, const Node& comm_r_old,
                               const Node& comm_d_new, const Node& comm_r_new, const UpdatePartitionProof& proof);

/// An instance with what it points into.
struct OwnedInstance {
  Instance instance;
  std::shared_ptr<const void> owner;
};
OwnedInstance blank_instance(const Circuit& circuit);

}  // namespace cuzk::filecoin
