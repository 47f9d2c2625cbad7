// What a Filecoin proof states, as the network knows it: the public data of the kinds, from which a verifier derives
// the public inputs of every partition (public_inputs.h).
//
// Nodes are canonical. Thread-safety: values.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

/// "This replica of these data was sealed by this provider."
struct SealStatement {
  SealProof proof;
  Bytes32 prover_id;
  std::uint64_t sector_number;
  Bytes32 ticket;
  Bytes32 seed;  // non-interactive: unused
  Node comm_d;
  Node comm_r;
  Bytes32 porep_id = proof.porep_id();  // tests seal under others
};

struct PostSectorStatement {
  std::uint64_t sector_number;
  Node comm_r;
};

/// "These replicas are stored now." Winning: one sector.
struct PostStatement {
  PostProof proof;
  Node randomness;
  std::vector<PostSectorStatement> sectors;  // through all partitions, in order
  std::uint64_t first_partition = 0;         // number of the partition that sectors[0] opens; versions before 1.2.0
};

/// "The new replica is the old one with these data."
struct UpdateStatement {
  const SectorShape* sector;
  Node comm_r_old;
  Node comm_d_new;
  Node comm_r_new;
};

using Statement = std::variant<SealStatement, PostStatement, UpdateStatement>;

/// Sectors of one partition; the last partition may have fewer.
std::size_t sectors_of_partition(const PostProof& proof) noexcept;

Circuit circuit_of(const Statement& statement);
/// Number of the proofs of which the whole proof consists.
std::uint64_t partitions_of(const PostStatement& statement) noexcept;
std::uint64_t partitions_of(const Statement& statement);

}  // namespace cuzk::filecoin
