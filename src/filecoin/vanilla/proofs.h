// Vanilla proofs of the four kinds as values: what a storage provider's sealing or challenge answering hands over, and
// what circuits and witness generators read.
//
// Decoders (filecoin/wire) make them; every Node in them is canonical and every shape is the sector size's. Whether
// they are true (roots, commitments, challenges) says filecoin/vanilla/check.h. The order of members follows the wire
// formats (docs/circuits.md, "Wire formats"). Thread-safety: values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "field/big_int.h"

namespace cuzk::filecoin {

/// 32 bytes little-endian below r: a hash, a label, a piece of data.
using Node = U256;
using Bytes32 = std::array<std::byte, 32>;

/// One level of a Merkle path: the node stands at `index` among `arity` children; siblings are the others, in order.
struct PathLevel {
  std::uint8_t arity;  // 2, 4 or 8
  std::uint8_t index;
  std::array<Node, 7> siblings;  // the first arity - 1
};

struct MerkleProof {
  Node root;
  Node leaf;
  std::vector<PathLevel> path;  // leaf level first: base, sub, top

  /// Position of the leaf: sum of index * product of the arities below.
  std::uint64_t leaf_index() const noexcept {
    std::uint64_t at = 0, stride = 1;
    for (const PathLevel& level : path) {
      at += level.index * stride;
      stride *= level.arity;
    }
    return at;
  }
};

// --- proof of replication

/// The labels of one node, layer 1 first.
struct Column {
  std::uint32_t index;
  std::vector<Node> rows;
};

struct ColumnProof {
  Column column;
  MerkleProof inclusion;  // of the column's hash, in the column tree
};

struct LabelingProof {
  std::vector<Node> parents;  // 37
  std::uint32_t layer_index;
  std::uint64_t node;
};

/// One challenge of a partition.
struct PorepChallengeProof {
  MerkleProof comm_d_proof;
  MerkleProof comm_r_last_proof;
  ColumnProof c_x;
  std::vector<ColumnProof> drg_parents;        // 6
  std::vector<ColumnProof> exp_parents;        // 8
  std::vector<LabelingProof> labeling_proofs;  // one a layer
  LabelingProof encoding_proof;

  std::uint64_t challenge() const noexcept { return labeling_proofs.front().node; }
};

/// The output of seal_commit_phase1: [partition][challenge].
struct PorepVanillaProof {
  std::uint32_t seal_proof;  // registered number
  std::vector<std::vector<PorepChallengeProof>> partitions;
  Node comm_r;
  Node comm_d;
  Node replica_id;
  Bytes32 seed;
  Bytes32 ticket;
};

// --- proofs of spacetime

struct PostSector {
  std::vector<MerkleProof> inclusion_proofs;  // one a challenge, in the replica's tree
  Node comm_c;
  Node comm_r_last;
};

struct PostVanillaProof {
  std::uint64_t sector_id;
  Node comm_r;
  std::vector<PostSector> sectors;  // one, as made today
};

// --- empty-sector update

struct UpdateChallengeProof {
  MerkleProof r_old;
  MerkleProof d_new;
  MerkleProof r_new;
};

struct UpdatePartitionProof {
  Node comm_c;
  std::vector<Node> apex_leaves;
  std::vector<UpdateChallengeProof> challenges;
};

}  // namespace cuzk::filecoin
