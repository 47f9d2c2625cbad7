// Body of porep_circuit.h.
#pragma once

#include "filecoin/circuits/porep_circuit.h"
#include "gadgets/merkle_path.h"

namespace cuzk::filecoin {

namespace detail {

template <class CS> class PorepCircuit {
 public:
  PorepCircuit(CS& cs, const PorepInstance& instance) : cs_(cs), instance_(instance) {}

  void run(const StopToken& stop) {
    const PorepChallengeProof& first = *instance_.challenges.front();
    const Num replica_id = alloc(instance_.replica_id);
    gadgets::inputize(cs_, replica_id);
    replica_id_bits_ = message_bits(replica_id);
    comm_d_ = alloc(instance_.comm_d);
    gadgets::inputize(cs_, comm_d_);
    const Num comm_r = alloc(instance_.comm_r);
    gadgets::inputize(cs_, comm_r);
    comm_r_last_ = alloc(first.comm_r_last_proof.root);
    comm_c_ = alloc(first.c_x.inclusion.root);
    const std::array commitments = {comm_c_, comm_r_last_};
    gadgets::enforce_equal(cs_, comm_r, gadgets::poseidon<CS>(cs_, hash::PoseidonKind::arity_2, commitments));
    for (const PorepChallengeProof* proof : instance_.challenges) {
      if (stop.stop_requested()) return;
      challenge(*proof);
    }
  }

 private:
  using Fr = typename CS::Field;
  using Num = gadgets::Num<Fr>;
  using Boolean = gadgets::Boolean;
  using TreeHash = gadgets::TreeHash;
  using Bits = std::vector<Boolean>;
  static constexpr unsigned kIndexBits = 64;     // of a node's number
  static constexpr unsigned kLayerBits = 32;     // of a layer's
  static constexpr std::size_t kHeadBits = 512;  // replica id, layer, node, zeros
  static constexpr std::size_t kNodeBits = 256;

  Num alloc(const Node& node) { return gadgets::alloc_canonical(cs_, node); }

  /// The 256 bits of a node as SHA-256 reads them.
  Bits message_bits(const Num& node) { return gadgets::reverse_bit_numbering(gadgets::to_bits_le(cs_, node)); }

  void challenge(const PorepChallengeProof& proof) {
    const Num data = alloc(proof.comm_d_proof.leaf);
    enforce_inclusion(data, proof.comm_d_proof, comm_d_, TreeHash::sha256);
    const std::vector<std::vector<Num>> drg_parents = parent_columns(proof.drg_parents);
    const std::vector<std::vector<Num>> exp_parents = parent_columns(proof.exp_parents);
    const Bits node = gadgets::alloc_bits(cs_, proof.challenge(), kIndexBits);
    gadgets::pack_into_input(cs_, std::span<const Boolean>(node));

    std::vector<Num> labels;
    const std::size_t layers = proof.c_x.column.rows.size();
    for (std::size_t layer = 1; layer <= layers; ++layer) {
      labels.push_back(label(layer, node, parent_bits(layer, drg_parents, exp_parents)));
    }
    const Num replica = gadgets::add(cs_, labels.back(), data);
    enforce_inclusion(replica, proof.comm_r_last_proof, comm_r_last_, TreeHash::poseidon);
    enforce_inclusion(column_hash(labels), proof.c_x.inclusion, comm_c_, TreeHash::poseidon);
  }

  /// Each column's rows, which lie in the columns' tree.
  std::vector<std::vector<Num>> parent_columns(std::span<const ColumnProof> proofs) {
    std::vector<std::vector<Num>> columns;
    columns.reserve(proofs.size());
    for (const ColumnProof& proof : proofs) {
      std::vector<Num>& rows = columns.emplace_back();
      rows.reserve(proof.column.rows.size());
      for (const Node& row : proof.column.rows) rows.push_back(alloc(row));
      enforce_inclusion(column_hash(rows), proof.inclusion, comm_c_, TreeHash::poseidon);
    }
    return columns;
  }

  /// The labels that a layer's label hashes: of the base graph's parents in this layer, of the expander's in the one
  /// below. Each use of a row decomposes it anew.
  std::vector<Bits> parent_bits(std::size_t layer, std::span<const std::vector<Num>> drg_parents,
                                std::span<const std::vector<Num>> exp_parents) {
    std::vector<Bits> parents;
    parents.reserve(kDrgParents + kExpanderParents);
    for (const std::vector<Num>& column : drg_parents) parents.push_back(message_bits(column[layer - 1]));
    if (layer == 1) return parents;
    for (const std::vector<Num>& column : exp_parents) parents.push_back(message_bits(column[layer - 2]));
    return parents;
  }

  /// SHA-256 of replica id, layer, node and 37 parents' labels, the given ones in turn; trimmed.
  Num label(std::size_t layer, std::span<const Boolean> node, std::span<const Bits> parents) {
    Bits message;
    message.reserve(kHeadBits + kLabelParents * kNodeBits);
    message = replica_id_bits_;
    for (unsigned i = kLayerBits; i-- > 0;) message.push_back(Boolean::constant((layer >> i & 1) != 0));
    message.insert(message.end(), node.rbegin(), node.rend());
    message.resize(kHeadBits, Boolean::constant(false));
    for (std::size_t i = 0; i < kLabelParents; ++i) {
      const Bits& parent = parents[i % parents.size()];
      message.insert(message.end(), parent.begin(), parent.end());
    }
    const Bits digest = gadgets::sha256(cs_, std::span<const Boolean>(message));
    return gadgets::pack_bits(cs_, gadgets::reverse_bit_numbering(digest));
  }

  Num column_hash(std::span<const Num> rows) {
    return gadgets::poseidon(cs_, hash::poseidon_kind_of_arity(static_cast<unsigned>(rows.size())), rows);
  }

  void enforce_inclusion(const Num& leaf, const MerkleProof& proof, const Num& root, TreeHash hash) {
    gadgets::merkle_inclusion(cs_, leaf, std::span<const PathLevel>(proof.path), root, hash);
  }

  CS& cs_;
  const PorepInstance& instance_;
  Bits replica_id_bits_;
  Num comm_d_, comm_r_last_, comm_c_;
};

}  // namespace detail

template <r1cs::ConstraintSystem CS> void porep_circuit(CS& cs, const PorepInstance& instance, const StopToken& stop) {
  detail::PorepCircuit<CS>(cs, instance).run(stop);
}

}  // namespace cuzk::filecoin
