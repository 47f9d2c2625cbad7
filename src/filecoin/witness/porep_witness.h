// The variables of a PoRep partition (docs/circuits.md, "StackedDrg PoRep"), as pieces that are put independently of
// each other: the commitments; then for each challenge its data path, each parent's column, each layer's label, the
// replica's path, the column's path. Pieces follow each other as the circuit allocates.
// Thread-safety: const methods concurrently. The instance must outlive the generator.
#pragma once

#include "filecoin/instances.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/witness/merkle_witness.h"

namespace cuzk::filecoin::witness {

class PorepWitness {
 public:
  /// precondition: an instance of this sector size.
  PorepWitness(const SectorShape& sector, const PorepInstance& instance)
      : layers_(sector.layers),
        data_levels_(sector.log2_nodes()),
        replica_levels_(sector.tree.arities()),
        column_kind_(hash::poseidon_kind_of_arity(sector.layers)),
        instance_(instance) {}

  std::size_t num_pieces() const noexcept { return 1 + instance_.challenges.size() * pieces_of_challenge(); }
  WitnessExtent extent(std::size_t piece) const noexcept {
    return piece == 0 ? commitments_extent() : challenge_extent((piece - 1) % pieces_of_challenge());
  }
  template <WitnessSink S> void put(std::size_t piece, S& sink) const noexcept {
    if (piece == 0) return put_commitments(sink);
    const PorepChallengeProof& proof = *instance_.challenges[(piece - 1) / pieces_of_challenge()];
    put_challenge(sink, (piece - 1) % pieces_of_challenge(), proof);
  }

 private:
  static constexpr std::size_t kParents = kDrgParents + kExpanderParents;
  static constexpr unsigned kNumberBits = 64;  // of a challenge

  /// Pieces of a challenge: 0, then kParents, then one a layer, then two.
  static constexpr std::size_t kFirstParent = 1;
  static constexpr std::size_t kFirstLayer = kFirstParent + kParents;
  std::size_t replica_piece() const noexcept { return kFirstLayer + layers_; }
  std::size_t pieces_of_challenge() const noexcept { return replica_piece() + 2; }

  WitnessExtent challenge_extent(std::size_t piece) const noexcept {
    const WitnessExtent replica_path = path_extent(TreeHash::poseidon, replica_levels_);
    if (piece == 0) return r1cs::values_extent(1) + u64{data_levels_} * level_extent(TreeHash::sha256, 2);
    if (piece < kFirstLayer) return r1cs::values_extent(layers_) + poseidon_extent(column_kind_) + replica_path;
    if (piece < replica_piece()) return layer_extent(piece - kFirstLayer);
    return replica_path + (piece == replica_piece() ? r1cs::values_extent(1) : poseidon_extent(column_kind_));
  }
  template <WitnessSink S>
  void put_challenge(S& sink, std::size_t piece, const PorepChallengeProof& proof) const noexcept {
    if (piece == 0) return put_data_path(sink, proof.comm_d_proof);
    if (piece < kFirstLayer) return put_parent(sink, parent(proof, piece - kFirstParent));
    if (piece < replica_piece()) return put_layer(sink, proof, piece - kFirstLayer);
    if (piece == replica_piece()) return put_replica_path(sink, proof);
    put_column_path(sink, proof);
  }

  // --- commitments

  static WitnessExtent commitments_extent() noexcept {
    return kNodeBitsExtent + r1cs::values_extent(5) + poseidon_extent(PoseidonKind::arity_2);
  }
  template <WitnessSink S> void put_commitments(S& sink) const noexcept {
    const PorepChallengeProof& first = *instance_.challenges.front();
    const Node& comm_r_last = first.comm_r_last_proof.root;
    const Node& comm_c = first.c_x.inclusion.root;
    sink.value(instance_.replica_id);
    put_node_bits(sink, instance_.replica_id);
    for (const Node& node : {instance_.comm_d, instance_.comm_r, comm_r_last, comm_c}) sink.value(node);
    put_poseidon_pair(sink, PoseidonKind::arity_2, comm_c, comm_r_last);
  }

  // --- the data, the parents

  template <WitnessSink S> static void put_data_path(S& sink, const MerkleProof& proof) noexcept {
    sink.value(proof.leaf);
    put_path<TreeHash::sha256>(sink, proof.leaf, proof.path);
  }

  static const ColumnProof& parent(const PorepChallengeProof& proof, std::size_t i) noexcept {
    return i < kDrgParents ? proof.drg_parents[i] : proof.exp_parents[i - kDrgParents];
  }
  template <WitnessSink S> void put_parent(S& sink, const ColumnProof& proof) const noexcept {
    for (const Node& row : proof.column.rows) sink.value(row);
    const Node column = put_poseidon(sink, column_kind_, proof.column.rows);
    put_path<TreeHash::poseidon>(sink, column, proof.inclusion.path);
  }

  // --- labels; layers are counted from 0 here

  /// What a layer's label hashes: the base graph's parents in the layer, the expander's in the one below.
  struct ParentLabels {
    std::array<Node, kParents> nodes;
    std::size_t count;

    ParentLabels(const PorepChallengeProof& proof, std::size_t layer) noexcept
        : count(layer == 0 ? std::size_t{kDrgParents} : kParents) {
      for (std::size_t i = 0; i < count; ++i)
        nodes[i] = parent(proof, i).column.rows[i < kDrgParents ? layer : layer - 1];
    }
    std::span<const Node> labels() const noexcept { return std::span(nodes).first(count); }
  };

  WitnessExtent layer_extent(std::size_t layer) const noexcept {
    if (layer == 0) return r1cs::bits_extent(kNumberBits) + kDrgParents * kNodeBitsExtent + kLabelExtent;
    return kParents * kNodeBitsExtent + kLabelExtent;
  }
  /// The challenge's bits stand before the first layer.
  template <WitnessSink S> void put_layer(S& sink, const PorepChallengeProof& proof, std::size_t layer) const noexcept {
    if (layer == 0) sink.bits(proof.challenge(), kNumberBits);
    const ParentLabels parents(proof, layer);
    for (const Node& node : parents.labels()) put_node_bits(sink, node);
    put_label(sink, instance_.replica_id, static_cast<uint32_t>(layer + 1), proof.challenge(), parents.labels());
  }

  Node label(const PorepChallengeProof& proof, std::size_t layer) const noexcept {
    const ParentLabels parents(proof, layer);
    std::array<Node, kLabelNodes> repeated;
    for (std::size_t i = 0; i < kLabelNodes; ++i) repeated[i] = parents.nodes[i % parents.count];
    return node_label(instance_.replica_id, static_cast<uint32_t>(layer + 1), proof.challenge(), repeated);
  }

  // --- what the labels make

  template <WitnessSink S> void put_replica_path(S& sink, const PorepChallengeProof& proof) const noexcept {
    const Node replica = encode_node(label(proof, layers_ - 1), proof.comm_d_proof.leaf);
    sink.value(replica);
    put_path<TreeHash::poseidon>(sink, replica, proof.comm_r_last_proof.path);
  }
  template <WitnessSink S> void put_column_path(S& sink, const PorepChallengeProof& proof) const noexcept {
    std::vector<Node> labels(layers_);
    for (std::size_t layer = 0; layer < layers_; ++layer) labels[layer] = label(proof, layer);
    const Node column = put_poseidon(sink, column_kind_, labels);
    put_path<TreeHash::poseidon>(sink, column, proof.c_x.inclusion.path);
  }

  unsigned layers_;
  unsigned data_levels_;
  std::vector<unsigned> replica_levels_;
  PoseidonKind column_kind_;
  const PorepInstance& instance_;
};

}  // namespace cuzk::filecoin::witness
