// The variables of a partition of a proof of spacetime (docs/circuits.md, "FallbackPoSt"): one piece a sector.
// Thread-safety: const methods concurrently. The instance must outlive the generator.
#pragma once

#include "filecoin/instances.h"
#include "filecoin/witness/merkle_witness.h"

namespace cuzk::filecoin::witness {

class PostWitness {
 public:
  /// precondition: an instance of this sector size.
  PostWitness(const SectorShape& sector, const PostInstance& instance)
      : commitments_(r1cs::values_extent(3) + poseidon_extent(PoseidonKind::arity_2)),
        challenge_(r1cs::values_extent(1) + path_extent(TreeHash::poseidon, sector.tree.arities())),
        instance_(instance) {}

  std::size_t num_pieces() const noexcept { return instance_.sectors.size(); }
  WitnessExtent extent(std::size_t piece) const noexcept {
    return commitments_ + instance_.sectors[piece].challenges.size() * challenge_;
  }
  template <WitnessSink S> void put(std::size_t piece, S& sink) const noexcept {
    const PostSectorInstance& sector = instance_.sectors[piece];
    for (const Node& node : {sector.comm_r_last, sector.comm_c, sector.comm_r}) sink.value(node);
    put_poseidon_pair(sink, PoseidonKind::arity_2, sector.comm_c, sector.comm_r_last);
    for (const MerkleProof& challenge : sector.challenges) {
      sink.value(challenge.leaf);
      put_path<TreeHash::poseidon>(sink, challenge.leaf, challenge.path);
    }
  }

 private:
  WitnessExtent commitments_;
  WitnessExtent challenge_;
  const PostInstance& instance_;
};

}  // namespace cuzk::filecoin::witness
