// Sealing a sector in memory, as small ones are for tests and demonstrations: labels of all layers, columns, trees,
// replica; updating it with new data; and the vanilla proofs of both.
//
// Deterministic: the same inputs give the same bytes for any number of threads. Time: 20 SHA-256 blocks a node and
// layer on one thread (a label needs its predecessor's), 2 Poseidon hashes a node on all. Memory: 32 bytes times about
// 6 + layers a node. Page: docs/circuits.md, "Labels, columns, commitments". Thread-safety: const methods concurrently.
#pragma once

#include "filecoin/primitives/statements.h"
#include "filecoin/seal/merkle_tree.h"

namespace cuzk::filecoin {

struct SealInputs {
  SealProof proof;
  Bytes32 prover_id;
  std::uint64_t sector_number;
  Bytes32 ticket;
};

SealStatement seal_statement(const SealInputs& inputs, const Bytes32& seed, const Node& comm_d, const Node& comm_r);

/// Largest sector that is sealed in memory.
inline constexpr std::uint64_t kMaxSealedBytes = std::uint64_t{512} << 20;

class SealedSector {
 public:
  /// `data`: the sector's nodes, canonical (fr32.h). Errors: unsupported (a size above kMaxSealedBytes),
  /// invalid_argument (not as many nodes as the sector has).
  static Result<SealedSector> seal(Arena& arena, const SealInputs& inputs, std::vector<Node> data,
                                   ProgressRef progress = {});

  const SealInputs& inputs() const noexcept { return inputs_; }
  const SectorShape& shape() const noexcept { return *inputs_.proof.sector; }
  const Node& replica_id() const noexcept { return replica_id_; }
  const Node& comm_d() const noexcept { return tree_d_.root(); }
  const Node& comm_c() const noexcept { return tree_c_.root(); }
  const Node& comm_r_last() const noexcept { return tree_r_last_.root(); }
  const Node& comm_r() const noexcept { return comm_r_; }

  /// Labels of a layer, from 1.
  std::span<const Node> layer(unsigned number) const noexcept { return layers_[number - 1]; }
  /// Leaves: data; hashes of columns; the replica.
  const MerkleTree& tree_d() const noexcept { return tree_d_; }
  const MerkleTree& tree_c() const noexcept { return tree_c_; }
  const MerkleTree& tree_r_last() const noexcept { return tree_r_last_; }

  /// All partitions of the kind of proof it was sealed for.
  PorepVanillaProof prove_seal(const Bytes32& seed) const;
  SealStatement statement(const Bytes32& seed) const;

 private:
  SealedSector(const SealInputs& inputs, const Node& replica_id, std::vector<std::vector<Node>> layers,
               MerkleTree tree_d, MerkleTree tree_c, MerkleTree tree_r_last);

  SealInputs inputs_;
  Node replica_id_;
  std::vector<std::vector<Node>> layers_;
  MerkleTree tree_d_;
  MerkleTree tree_c_;
  MerkleTree tree_r_last_;
  Node comm_r_;
};

/// A sealed sector of zeros (or of anything: the proof does not tell) after an update to new data.
class UpdatedSector {
 public:
  /// Errors: unsupported (the size has no updates), invalid_argument (number of nodes).
  static Result<UpdatedSector> encode(Arena& arena, const SealedSector& old, std::vector<Node> data,
                                      ProgressRef progress = {});

  const SectorShape& shape() const noexcept { return *statement_.sector; }
  const UpdateStatement& statement() const noexcept { return statement_; }
  const Node& phi() const noexcept { return phi_; }
  const Node& comm_c() const noexcept { return comm_c_; }
  const MerkleTree& tree_d() const noexcept { return tree_d_; }
  const MerkleTree& tree_r_last() const noexcept { return tree_r_last_; }

  /// One for each partition. precondition: the sector that was updated.
  std::vector<UpdatePartitionProof> prove_update(const SealedSector& old) const;

 private:
  UpdatedSector(const UpdateStatement& statement, const Node& phi, const Node& comm_c, MerkleTree tree_d,
                MerkleTree tree_r_last);

  UpdateStatement statement_;
  Node phi_;
  Node comm_c_;
  MerkleTree tree_d_;
  MerkleTree tree_r_last_;
};

/// The answer of one stored sector to a PoSt, winning or window. `position`: see window_challenges.
PostVanillaProof prove_storage(const PostProof& proof, const Node& randomness, const SealedSector& sector,
                               std::uint64_t position);

}  // namespace cuzk::filecoin
