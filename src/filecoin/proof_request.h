// What is asked to be proven, decoded and found true: a circuit, a number of partitions, and for each its public inputs
// and its witness. What proves it (the program, later the engine) knows no proof kind.
//
// A request owns its vanilla proofs. Making one checks them (vanilla/check.h) against themselves and, where it is
// given, against the public data: its errors are those of no_findings(), and malformed / bad_count when partition or
// sectors do not fit. Memory: the vanilla proofs. Thread-safety: const methods concurrently.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "filecoin/instances.h"
#include "filecoin/primitives/statements.h"
#include "filecoin/vanilla/check.h"
#include "r1cs/witness.h"
#include "support/parallel.h"
#include "support/progress.h"
#include "support/stop.h"

namespace cuzk::filecoin {

class ProofRequest {
 public:
  struct Partition {
    std::uint64_t number;  // within the whole proof
    Instance instance;     // points into what the request owns
  };

  /// precondition: the instances are true and of the circuit's shape.
  ProofRequest(const Circuit& circuit, std::shared_ptr<const void> owner, std::vector<Partition> partitions)
      : circuit_(circuit), owner_(std::move(owner)), partitions_(std::move(partitions)) {}

  const Circuit& circuit() const noexcept { return circuit_; }
  std::size_t partitions() const noexcept { return partitions_.size(); }
  /// Of the k-th partition.
  std::uint64_t number(std::size_t k) const noexcept { return partitions_[k].number; }

  /// Without ONE.
  std::vector<U256> public_inputs(std::size_t k) const;
  /// ONE, public inputs, auxiliary variables; anything when the stop was pulled meanwhile.
  r1cs::Witness witness(Arena& arena, std::size_t k, const StopToken& stop = {}) const;

 private:
  Circuit circuit_;
  std::shared_ptr<const void> owner_;
  std::vector<Partition> partitions_;
};

/// All partitions, or one. With a statement the proof must be of it.
Result<ProofRequest> porep_request(Arena& arena, PorepVanillaProof proof, const SealStatement* statement,
                                   std::optional<std::uint64_t> partition = {}, ProgressRef progress = {});
/// The sectors of one partition, 0 where none is named.
Result<ProofRequest> post_request(Arena& arena, std::vector<PostVanillaProof> proofs, const PostStatement& statement,
                                  std::optional<std::uint64_t> partition = {}, ProgressRef progress = {});
/// All partitions are given; all, or one, are proven.
Result<ProofRequest> update_request(Arena& arena, std::vector<UpdatePartitionProof> proofs,
                                    const UpdateStatement& statement, std::optional<std::uint64_t> partition = {},
                                    ProgressRef progress = {});

}  // namespace cuzk::filecoin
