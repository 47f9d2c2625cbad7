// Vanilla proofs out of trees: what a storage provider that holds a sector answers to challenges. Templates over the
// trees, since those of a real sector are whole and those of a synthetic one are not (merkle_tree.h, MerkleSource).
// Thread-safety: pure functions of const trees.
#pragma once

#include <array>
#include <vector>

#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/update_shape.h"
#include "filecoin/registry.h"
#include "filecoin/seal/merkle_tree.h"

namespace cuzk::filecoin {

/// A function of (layer, node), layers from 1, to the node's label.
template <class T>
concept LabelSource = requires(const T& label, unsigned layer, std::uint64_t node) {
  { label(layer, node) } -> std::convertible_to<Node>;
};

struct NodeParents {
  DrgParents drg;
  ExpanderParents expander;
};
inline NodeParents parents_of(const Graph& graph, std::uint32_t node) noexcept {
  return {graph.drg_parents(node), graph.expander_parents(node)};
}

using ParentLabels = std::array<Node, kLabelParents>;

/// What a label hashes: labels of 6 nodes of its layer and, above layer 1, of 8 of the layer below, cycled.
template <LabelSource L> ParentLabels parent_labels(const NodeParents& parents, const L& label, unsigned layer) {
  ParentLabels labels;
  std::size_t distinct = 0;
  for (const std::uint32_t parent : parents.drg) labels[distinct++] = label(layer, parent);
  if (layer > 1)
    for (const std::uint32_t parent : parents.expander) labels[distinct++] = label(layer - 1, parent);
  for (std::size_t i = distinct; i < labels.size(); ++i) labels[i] = labels[i - distinct];
  return labels;
}

/// What is opened of a sealed sector; the trees outlive it.
template <MerkleSource D, MerkleSource C, MerkleSource R, LabelSource L> struct SealedTrees {
  unsigned layers;
  const Graph& graph;
  const D& tree_d;
  const C& tree_c;
  const R& tree_r_last;
  const L& label;
};

template <class Trees> ColumnProof open_column(const Trees& trees, std::uint32_t node) {
  ColumnProof proof{{node, {}}, prove_inclusion(trees.tree_c, node)};
  for (unsigned layer = 1; layer <= trees.layers; ++layer) proof.column.rows.push_back(trees.label(layer, node));
  return proof;
}

template <class Trees> PorepChallengeProof open_seal(const Trees& trees, std::uint32_t node) {
  const NodeParents parents = parents_of(trees.graph, node);
  PorepChallengeProof proof{};
  proof.comm_d_proof = prove_inclusion(trees.tree_d, node);
  proof.comm_r_last_proof = prove_inclusion(trees.tree_r_last, node);
  proof.c_x = open_column(trees, node);
  for (const std::uint32_t parent : parents.drg) proof.drg_parents.push_back(open_column(trees, parent));
  for (const std::uint32_t parent : parents.expander) proof.exp_parents.push_back(open_column(trees, parent));
  for (unsigned layer = 1; layer <= trees.layers; ++layer) {
    const ParentLabels labels = parent_labels(parents, trees.label, layer);
    proof.labeling_proofs.push_back({{labels.begin(), labels.end()}, layer, node});
  }
  proof.encoding_proof = proof.labeling_proofs.back();  // the key of the encoding is the last label
  return proof;
}

/// A stored replica, sealed or updated.
template <MerkleSource R> struct StoredReplica {
  std::uint64_t sector_number;
  Node comm_c;
  Node comm_r;
  const R& tree_r_last;
};

template <class Replica> PostVanillaProof open_replica(const Replica& replica, std::span<const std::uint64_t> nodes) {
  PostSector sector{{}, replica.comm_c, root_of(replica.tree_r_last)};
  for (const std::uint64_t node : nodes) sector.inclusion_proofs.push_back(prove_inclusion(replica.tree_r_last, node));
  return {replica.sector_number, replica.comm_r, {std::move(sector)}};
}

/// An update: both replicas and the new data.
template <MerkleSource D, MerkleSource Old, MerkleSource New> struct UpdateTrees {
  const SectorShape& sector;
  Node comm_c;
  Node comm_r_new;
  const Old& tree_r_old;
  const D& tree_d_new;
  const New& tree_r_new;
};

template <class Trees> UpdatePartitionProof open_update(const Trees& trees, unsigned partition) {
  const std::uint64_t leaves = trees.sector.update_apex_leaves;
  const auto level = static_cast<unsigned>(UpdateShape(trees.sector).apex_height());
  UpdatePartitionProof proof{trees.comm_c, {}, {}};
  for (std::uint64_t i = 0; i < leaves; ++i)
    proof.apex_leaves.push_back(trees.tree_d_new.node(level, partition * leaves + i));
  for (const std::uint64_t node : update_challenges(trees.sector, trees.comm_r_new, partition))
    proof.challenges.push_back({prove_inclusion(trees.tree_r_old, node), prove_inclusion(trees.tree_d_new, node),
                                prove_inclusion(trees.tree_r_new, node)});
  return proof;
}

}  // namespace cuzk::filecoin
