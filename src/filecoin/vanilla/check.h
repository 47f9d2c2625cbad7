// Whether vanilla proofs are true: what the circuit will state, computed natively and compared, so that a fault is
// named before hours of proving end in a proof that does not verify.
//
// Checked: commitments that are zero; Merkle paths against their roots, roots against commitments; comm_r; challenges,
// parents, labels, encodings (docs/circuits.md, "Checks of a prover"). All faults are found (findings.h). Kinds:
// zero_commitment, zero_seed, replica_id_mismatch, comm_r_mismatch, comm_d_mismatch, comm_c_mismatch,
// comm_r_last_mismatch, merkle_root_mismatch, challenge_mismatch, parent_mismatch, column_mismatch, label_mismatch,
// encoding_mismatch, apex_leaf_mismatch, duplicate_sector.
// precondition: shapes of the sector size, as the decoders (filecoin/wire) see to. Parallel over challenges and
// sectors. Thread-safety: pure functions.
#pragma once

#include <optional>
#include <span>

#include "filecoin/primitives/statements.h"
#include "filecoin/vanilla/findings.h"
#include "support/parallel.h"
#include "support/progress.h"

namespace cuzk::filecoin {

/// Who sealed which sector.
struct SealIdentity {
  Bytes32 prover_id;
  std::uint64_t sector_number;
};

struct PorepCheck {
  // NOLINTBEGIN(readability-redundant-member-init): without them g++ refuses designated initializers that leave one out
  std::optional<SealIdentity> identity = {};  // none: the replica id is taken as it is
  std::optional<Bytes32> porep_id = {};       // of a seal made for a test; else the registered proof's
  // NOLINTEND(readability-redundant-member-init)
};
Findings check_porep(Arena& arena, const PorepVanillaProof& proof, const PorepCheck& check = {},
                     ProgressRef progress = {});

/// The sectors of one partition, in order (winning: the one sector). Before interface 1.2.0 challenges depend on the
/// partition's number, and callers of the old versions often give 0 for all: when the sectors do not answer to
/// `partition`, any number that they do answer to is right.
struct PostCheck {
  PostProof proof;
  Node randomness;
  std::uint64_t partition = 0;
};
Findings check_post(Arena& arena, const PostCheck& check, std::span<const PostVanillaProof> proofs,
                    ProgressRef progress = {});

/// All partitions, or the first ones, in order.
Findings check_update(Arena& arena, const UpdateStatement& statement, std::span<const UpdatePartitionProof> partitions,
                      ProgressRef progress = {});

}  // namespace cuzk::filecoin
