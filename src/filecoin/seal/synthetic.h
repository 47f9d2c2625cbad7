// Vanilla proofs of sectors that nobody sealed: true statements for every circuit at every size, in seconds, where a
// real 32 GiB sector takes hours and a terabyte of memory traffic.
//
// Only what is opened exists. A seal's data repeat 64 random nodes, so that comm_d is known before the challenges; the
// challenged nodes' labels follow from their parents', whose columns are random values, as is every subtree without an
// opened leaf. A stored replica is random values, opened at the challenges. Of an update, old replica and data repeat,
// which makes all of the new replica's tree known before the challenges that depend on it. All paths of one tree agree,
// all commitments and challenges are derived as of a real sector: whoever checks the proof finds nothing wrong.
// Deterministic: everything follows from the arguments; `content` chooses the random values. Thread-safety: pure
// functions. Memory: that of the result, mostly.
#pragma once

#include "filecoin/primitives/statements.h"
#include "filecoin/seal/sector.h"

namespace cuzk::filecoin {

struct SyntheticSeal {
  PorepVanillaProof proof;
  SealStatement statement;
};
/// Of partitions 0 to partitions - 1 (all of them: inputs.proof.partitions()). Error: unsupported for synthetic and
/// non-interactive proofs, whose challenges depend on comm_r, which would have to depend on them.
Result<SyntheticSeal> synthetic_seal(Arena& arena, const SealInputs& inputs, const Bytes32& seed, unsigned partitions,
                                     const Bytes32& content, ProgressRef progress = {});

struct SyntheticPost {
  std::vector<PostVanillaProof> proofs;  // one a sector
  PostStatement statement;
};
/// Sector number i stores replica i mod `replicas` (at least 1): as many replicas as sectors make the whole input vary,
/// fewer are made faster.
SyntheticPost synthetic_post(Arena& arena, const PostProof& proof, const Node& randomness,
                             std::span<const std::uint64_t> sector_numbers, std::uint64_t first_partition,
                             std::size_t replicas, const Bytes32& content, ProgressRef progress = {});

struct SyntheticUpdate {
  std::vector<UpdatePartitionProof> proofs;  // one a partition
  UpdateStatement statement;
};
/// Of partitions 0 to partitions - 1. precondition: the size has updates.
SyntheticUpdate synthetic_update(Arena& arena, const SectorShape& sector, unsigned partitions, const Bytes32& content,
                                 ProgressRef progress = {});

}  // namespace cuzk::filecoin
