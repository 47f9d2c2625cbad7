// The variables of an update's partition (docs/circuits.md, "EmptySectorUpdate"), as pieces that are put independently
// of each other: the commitments, the apex tree in portions, the partition's path, each digest of challenges, and for
// each challenge the old replica's, the new replica's and the data's path.
//
// What a piece needs of another (rho, the challenges, the apex tree's nodes) is computed outside the circuit first.
// Thread-safety: const methods concurrently. The instance must outlive the generator.
#pragma once

#include "filecoin/instances.h"
#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/update.h"
#include "filecoin/primitives/update_shape.h"
#include "filecoin/witness/merkle_witness.h"

namespace cuzk::filecoin::witness {

class UpdateWitness {
 public:
  /// precondition: an instance of this sector size, which has an update.
  UpdateWitness(const SectorShape& sector, const UpdateInstance& instance);

  std::size_t num_pieces() const noexcept { return first_challenge_ + kPiecesOfChallenge * num_challenges(); }
  WitnessExtent extent(std::size_t piece) const noexcept;
  template <WitnessSink S> void put(std::size_t piece, S& sink) const noexcept;

 private:
  /// Hashes of the apex tree in one piece.
  static constexpr std::size_t kApexPortion = 8;
  static constexpr std::size_t kFirstApexPortion = 1;
  static constexpr std::size_t kPiecesOfChallenge = 3;

  std::size_t num_challenges() const noexcept { return proof().challenges.size(); }
  std::size_t num_apex_hashes() const noexcept { return proof().apex_leaves.size() - 1; }
  const UpdatePartitionProof& proof() const noexcept { return *instance_.proof; }

  // --- commitments
  WitnessExtent commitments_extent() const noexcept;
  template <WitnessSink S> void put_commitments(S& sink) const noexcept;

  // --- apex tree and partition path
  std::size_t apex_hashes_of(std::size_t portion) const noexcept {
    return std::min(kApexPortion, num_apex_hashes() - portion * kApexPortion);
  }
  template <WitnessSink S> void put_apex_portion(S& sink, std::size_t portion) const noexcept;
  std::span<const PathLevel> partition_path() const noexcept {
    return std::span(proof().challenges.front().d_new.path).last(shape_.partition_bits());
  }
  template <WitnessSink S> void put_partition_path(S& sink) const noexcept;

  // --- digests of challenges
  Node digest_index(std::size_t j) const noexcept { return Node::from_u64(partition_ * shape_.digests() + j); }
  template <WitnessSink S> void put_digest(S& sink, std::size_t j) const noexcept;

  // --- a challenge
  WitnessExtent challenge_extent(std::size_t piece) const noexcept;
  template <WitnessSink S> void put_challenge(S& sink, std::size_t piece, std::size_t challenge) const noexcept;
  u64 selected_high_bits(u64 challenge) const noexcept;
  template <WitnessSink S> void put_high_bits(S& sink, u64 challenge) const noexcept;
  template <WitnessSink S>
  void put_old_replica(S& sink, u64 challenge, const UpdateChallengeProof& proof) const noexcept;
  template <WitnessSink S>
  void put_new_replica(S& sink, u64 challenge, const UpdateChallengeProof& proof) const noexcept;
  template <WitnessSink S> void put_data(S& sink, u64 challenge, const UpdateChallengeProof& proof) const noexcept;

  const SectorShape& sector_;
  const UpdateShape shape_;
  const UpdateInstance& instance_;
  u64 partition_and_h_;
  u64 partition_;
  u64 h_bits_;  // which of the choices of h is taken
  Node phi_;
  std::vector<Node> apex_nodes_;  // leaves, then each row above
  Challenges challenges_;

  // Pieces, in order.
  std::size_t partition_path_piece_;
  std::size_t first_digest_;
  std::size_t first_challenge_;
};

// --- bodies

namespace update_detail {

/// Siblings of all levels, then the steps: the position's bits stand elsewhere.
inline WitnessExtent bitless_path_extent(TreeHash tree_hash, std::span<const unsigned> arities) noexcept {
  WitnessExtent extent;
  for (const unsigned arity : arities) extent += r1cs::values_extent(arity - 1) + step_extent(tree_hash, arity);
  return extent;
}

template <WitnessSink S> void put_siblings(S& sink, std::span<const PathLevel> path) noexcept {
  for (const PathLevel& level : path)
    for (const Node& sibling : siblings_of(level)) sink.value(sibling);
}

/// Steps along a path whose node stands at `position`.
template <TreeHash kHash, WitnessSink S>
void put_steps(S& sink, Node x, u64 position, std::span<const PathLevel> path) noexcept {
  for (const PathLevel& level : path) {
    const unsigned bits = index_bits(level.arity);
    x = put_step<kHash>(sink, x, static_cast<unsigned>(position & (level.arity - u64{1})), siblings_of(level));
    position >>= bits;
  }
}

}  // namespace update_detail

template <WitnessSink S> void UpdateWitness::put(std::size_t piece, S& sink) const noexcept {
  if (piece == 0) return put_commitments(sink);
  if (piece < partition_path_piece_) return put_apex_portion(sink, piece - kFirstApexPortion);
  if (piece < first_digest_) return put_partition_path(sink);
  if (piece < first_challenge_) return put_digest(sink, piece - first_digest_);
  const std::size_t of_challenges = piece - first_challenge_;
  put_challenge(sink, of_challenges % kPiecesOfChallenge, of_challenges / kPiecesOfChallenge);
}

template <WitnessSink S> void UpdateWitness::put_commitments(S& sink) const noexcept {
  const UpdateChallengeProof& first = proof().challenges.front();
  const Node &root_r_old = first.r_old.root, &root_r_new = first.r_new.root;
  sink.value(Node::from_u64(partition_and_h_));
  sink.bits(partition_, static_cast<unsigned>(shape_.partition_bits()));
  sink.bits(h_bits_, UpdateShape::kHighBitChoices);
  sink.value(Node::from_u64(partition_));
  for (const Node& node : {instance_.comm_r_old, instance_.comm_d_new, instance_.comm_r_new}) sink.value(node);
  put_poseidon_pair(sink, PoseidonKind::randomness, instance_.comm_d_new, instance_.comm_r_old);
  for (const Node& node : {proof().comm_c, root_r_old, root_r_new}) sink.value(node);
  for (const Node& leaf : proof().apex_leaves) sink.value(leaf);
  update_detail::put_siblings(sink, partition_path());
  put_poseidon_pair(sink, PoseidonKind::arity_2, proof().comm_c, root_r_old);
  put_poseidon_pair(sink, PoseidonKind::arity_2, proof().comm_c, root_r_new);
}

template <WitnessSink S> void UpdateWitness::put_apex_portion(S& sink, std::size_t portion) const noexcept {
  const std::size_t begin = portion * kApexPortion;
  for (std::size_t i = begin; i < begin + apex_hashes_of(portion); ++i)
    put_pair(sink, apex_nodes_[2 * i], apex_nodes_[2 * i + 1]);
}

template <WitnessSink S> void UpdateWitness::put_partition_path(S& sink) const noexcept {
  update_detail::put_steps<TreeHash::sha256>(sink, apex_nodes_.back(), partition_, partition_path());
}

template <WitnessSink S> void UpdateWitness::put_digest(S& sink, std::size_t j) const noexcept {
  const Node index = digest_index(j);
  sink.value(index);
  put_node_bits(sink, put_poseidon_pair(sink, PoseidonKind::randomness, instance_.comm_r_new, index));
}

template <WitnessSink S>
void UpdateWitness::put_challenge(S& sink, std::size_t piece, std::size_t challenge) const noexcept {
  const UpdateChallengeProof& opened = proof().challenges[challenge];
  if (piece == 0) return put_old_replica(sink, challenges_[challenge], opened);
  if (piece == 1) return put_new_replica(sink, challenges_[challenge], opened);
  put_data(sink, challenges_[challenge], opened);
}

template <WitnessSink S> void UpdateWitness::put_high_bits(S& sink, u64 challenge) const noexcept {
  for (std::size_t i = 0; i < UpdateShape::kHighBitChoices; ++i) {
    const u64 high = challenge >> (sector_.log2_nodes() - shape_.high_bits(i));
    sink.value(Node::from_u64(high));
    sink.value(Node::from_u64((h_bits_ >> i & 1) != 0 ? high : 0));
  }
  sink.value(Node::from_u64(selected_high_bits(challenge)));
}

template <WitnessSink S>
void UpdateWitness::put_old_replica(S& sink, u64 challenge, const UpdateChallengeProof& opened) const noexcept {
  const Node &leaf_r_old = opened.r_old.leaf, &leaf_d_new = opened.d_new.leaf;
  put_high_bits(sink, challenge);
  const Node high = Node::from_u64(selected_high_bits(challenge));
  const Node rho = put_poseidon_pair(sink, PoseidonKind::randomness, phi_, high);
  sink.value(leaf_r_old);
  sink.value(leaf_d_new);
  sink.value(encode_update(Node::zero(), leaf_d_new, rho));
  sink.value(encode_update(leaf_r_old, leaf_d_new, rho));
  update_detail::put_siblings(sink, opened.r_old.path);
  update_detail::put_steps<TreeHash::poseidon>(sink, leaf_r_old, challenge, opened.r_old.path);
}

template <WitnessSink S>
void UpdateWitness::put_new_replica(S& sink, u64 challenge, const UpdateChallengeProof& opened) const noexcept {
  const Node rho = update_rho(phi_, selected_high_bits(challenge));
  const Node leaf_r_new = encode_update(opened.r_old.leaf, opened.d_new.leaf, rho);
  update_detail::put_siblings(sink, opened.r_new.path);
  update_detail::put_steps<TreeHash::poseidon>(sink, leaf_r_new, challenge, opened.r_new.path);
}

/// The selection of the apex leaf halves the row from the highest bit down.
template <WitnessSink S>
void UpdateWitness::put_data(S& sink, u64 challenge, const UpdateChallengeProof& opened) const noexcept {
  const std::span<const Node> leaves(proof().apex_leaves);
  const u64 chosen = challenge >> shape_.apex_height();
  std::size_t first = 0;
  for (std::size_t half = leaves.size() / 2; half > 0; half /= 2) {
    if ((chosen & half) != 0) first += half;
    for (const Node& leaf : leaves.subspan(first, half)) sink.value(leaf);
  }
  const std::span<const PathLevel> path = std::span(opened.d_new.path).first(shape_.apex_height());
  update_detail::put_siblings(sink, path);
  update_detail::put_steps<TreeHash::sha256>(sink, opened.d_new.leaf, challenge, path);
}

}  // namespace cuzk::filecoin::witness
