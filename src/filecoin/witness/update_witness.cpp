#include "filecoin/witness/update_witness.h"

namespace cuzk::filecoin::witness {

namespace {

/// All nodes of a binary tree, leaves first, row by row.
std::vector<Node> tree_nodes(std::span<const Node> leaves) {
  std::vector<Node> nodes(leaves.begin(), leaves.end());
  nodes.reserve(2 * leaves.size() - 1);
  for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) nodes.push_back(hash::sha256_pair(nodes[i], nodes[i + 1]));
  return nodes;
}

constexpr u64 low_bits(u64 word, std::size_t count) noexcept { return word & ((u64{1} << count) - 1); }

}  // namespace

UpdateWitness::UpdateWitness(const SectorShape& sector, const UpdateInstance& instance)
    : sector_(sector),
      shape_(sector),
      instance_(instance),
      partition_and_h_(update_partition_and_h(sector, instance.partition)),
      partition_(low_bits(partition_and_h_, shape_.partition_bits())),
      h_bits_(low_bits(partition_and_h_ >> shape_.partition_bits(), UpdateShape::kHighBitChoices)),
      phi_(update_phi(instance.comm_d_new, instance.comm_r_old)),
      apex_nodes_(tree_nodes(instance.proof->apex_leaves)),
      challenges_(update_challenges(sector, instance.comm_r_new, instance.partition)),
      partition_path_piece_(kFirstApexPortion + (num_apex_hashes() + kApexPortion - 1) / kApexPortion),
      first_digest_(partition_path_piece_ + 1),
      first_challenge_(first_digest_ + shape_.digests()) {}

u64 UpdateWitness::selected_high_bits(u64 challenge) const noexcept {
  u64 sum = 0;
  for (std::size_t i = 0; i < UpdateShape::kHighBitChoices; ++i)
    if ((h_bits_ >> i & 1) != 0) sum += challenge >> (sector_.log2_nodes() - shape_.high_bits(i));
  return sum;
}

WitnessExtent UpdateWitness::extent(std::size_t piece) const noexcept {
  if (piece == 0) return commitments_extent();
  if (piece < partition_path_piece_) return apex_hashes_of(piece - kFirstApexPortion) * kPairExtent;
  if (piece < first_digest_) return shape_.partition_bits() * step_extent(TreeHash::sha256, 2);
  if (piece < first_challenge_)
    return r1cs::values_extent(1) + poseidon_extent(PoseidonKind::randomness) + kNodeBitsExtent;
  return challenge_extent((piece - first_challenge_) % kPiecesOfChallenge);
}

WitnessExtent UpdateWitness::commitments_extent() const noexcept {
  constexpr u64 kNodes = 8;  // partition and h, partition, three commitments, comm_c, two roots
  return r1cs::bits_extent(shape_.partition_bits() + UpdateShape::kHighBitChoices) +
         r1cs::values_extent(kNodes + proof().apex_leaves.size() + shape_.partition_bits()) +
         poseidon_extent(PoseidonKind::randomness) + 2 * poseidon_extent(PoseidonKind::arity_2);
}

WitnessExtent UpdateWitness::challenge_extent(std::size_t piece) const noexcept {
  using update_detail::bitless_path_extent;
  const WitnessExtent replica_path = bitless_path_extent(TreeHash::poseidon, shape_.replica_levels());
  if (piece == 0) {
    constexpr u64 kNodes = 2 * UpdateShape::kHighBitChoices + 1 + 4;  // high bits, their sum; leaves, product, sum
    return r1cs::values_extent(kNodes) + poseidon_extent(PoseidonKind::randomness) + replica_path;
  }
  if (piece == 1) return replica_path;
  return r1cs::values_extent(num_apex_hashes()) +
         bitless_path_extent(TreeHash::sha256, UpdateShape::binary_levels(shape_.apex_height()));
}

}  // namespace cuzk::filecoin::witness
