// ProvingCircuit: one circuit with its key, whatever its curve and its files: how it comes onto a device, how a
// partition is proven there, and how its proofs are checked and written. A Catalogue finds one by its id.
//
// The engine calls from threads of its own; every function may block for as long as its work takes and looks at the
// stop it is given. What is loaded is immutable and shared. Thread-safety: const methods concurrently.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backend/backend.h"
#include "engine/statement.h"
#include "memory/pinned_pool.h"
#include "r1cs/witness.h"
#include "store/job.h"
#include "support/bytes.h"
#include "support/parallel.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::engine {

/// Where proofs are computed: a CPU or an accelerator, with a backend for each curve that it can do (null: it cannot).
struct Device {
  unsigned ordinal = 0;  // its place in EngineOptions::devices
  std::string name;      // "cpu", "NVIDIA H200 (GPU-...)"
  bool is_cpu = true;
  std::shared_ptr<backend::Backend<Bn254>> bn254;
  std::shared_ptr<backend::Backend<Bls12_381>> bls12_381;

  /// An error of Code::device when it is ill: of any of its backends.
  Status health() const;
  /// Its own memory; null: the host's.
  std::shared_ptr<memory::DeviceBudget> memory() const;

  template <class C> backend::Backend<C>* backend() const noexcept {
    if constexpr (std::is_same_v<C, Bn254>) {
      return bn254.get();
    } else {
      return bls12_381.get();
    }
  }
};

/// Bytes that proving with a circuit takes, known before anything is loaded.
struct CircuitSizes {
  std::uint64_t key_bytes = 0;      // the key, resident
  std::uint64_t circuit_bytes = 0;  // the compiled circuit, resident
  std::uint64_t witness_bytes = 0;  // of one partition
  std::uint64_t abc_bytes = 0;      // a, b, c of one partition at most, where the device wants them
  std::uint64_t start_bytes = 0;    // beside witness and a, b, c, until prove_start has returned
  std::uint64_t finish_bytes = 0;   // from then on, until the proof is there

  /// What is held beside the inputs, from the beginning.
  std::uint64_t working_bytes() const noexcept { return std::max(start_bytes, finish_bytes); }
  /// Without a, b, c.
  std::uint64_t partition_peak() const noexcept { return witness_bytes + working_bytes(); }
};

/// A key on a device, and what its proofs are verified with.
class ResidentKey {
 public:
  virtual ~ResidentKey() = default;
  /// As backend::Key.
  virtual std::optional<std::uint64_t> host_bytes() const noexcept { return std::nullopt; }
  virtual std::uint64_t lacking_bytes() const noexcept { return 0; }
};
/// A compiled circuit on a device.
class ResidentCircuit {
 public:
  virtual ~ResidentCircuit() = default;
  virtual std::optional<std::uint64_t> host_bytes() const noexcept { return std::nullopt; }
};
/// A proof on its way; owns what it still needs. Dropping it cancels.
class ProofTicket {
 public:
  virtual ~ProofTicket() = default;
  virtual backend::Moved moved() const noexcept { return {}; }
  virtual std::string given_up() const { return {}; }  // as backend::Ticket's
  /// As backend::Ticket's.
  virtual std::shared_ptr<const backend::DeviceTimes> times() const noexcept { return nullptr; }
};

/// What a partition's proof is made of; whoever reads a part for the last time gives it back.
struct PartitionInput {
  memory::Reservation witness_memory{};
  std::shared_ptr<const r1cs::Witness> witness{};
  memory::HostBuffer abc{};  // for backend::Wants::abc
  bool urgent = false;       // as backend::ProvingInput
  bool other_means = false;  // likewise
};

/// What a partition is proven with; each member shared with all that prove the same.
struct ProvingSet {
  std::shared_ptr<const ResidentKey> key;
  std::shared_ptr<const ResidentCircuit> circuit;
};

class ProvingCircuit {
 public:
  ProvingCircuit() = default;
  ProvingCircuit(const ProvingCircuit&) = delete;
  ProvingCircuit& operator=(const ProvingCircuit&) = delete;
  virtual ~ProvingCircuit() = default;

  virtual const std::string& id() const noexcept = 0;
  /// SHA-256 of the verifying key: proofs of another one are other proofs.
  virtual const store::KeyDigest& key_digest() const noexcept = 0;
  virtual std::size_t num_public() const noexcept = 0;  // without ONE
  virtual CircuitSizes sizes() const noexcept = 0;
  /// Whether the device has a backend for its curve.
  virtual bool runs_on(const Device& device) const noexcept = 0;

  /// What can be said of a statement before its witness is there: curve, length.
  virtual Status check_statement(const Statement&) const { return {}; }

  virtual Result<std::shared_ptr<const ResidentCircuit>> load_circuit(const Device& device,
                                                                      const StopToken& stop) const = 0;
  virtual Result<std::shared_ptr<const ResidentKey>> load_key(const Device& device, const StopToken& stop) const = 0;
  /// Whether the counts of both agree: malformed / circuit_mismatch. Costs nothing; asked before any proof.
  virtual Status check_fit(const ResidentKey& key, const ResidentCircuit& circuit) const = 0;

  /// What the device takes. Null: before anything is loaded, what it may take.
  virtual backend::Wants wants(const Device& device, const ProvingSet* with) const noexcept = 0;
  /// Bytes of a, b, c; at most sizes().abc_bytes.
  virtual std::uint64_t abc_bytes(const ProvingSet& with) const noexcept = 0;
  /// Writes a, b, c into a buffer of so many bytes, each value once, where it belongs.
  virtual Status evaluate(Arena& arena, const ProvingSet& with, const r1cs::Witness& witness,
                          const memory::HostBuffer& abc, const StopToken& stop) const = 0;

  /// unsatisfied / unsatisfied_constraint naming the first one; for a partition whose proof did not verify. False: it
  /// cannot be told, for want of constraints.
  virtual Result<bool> check_witness(Arena& arena, const ResidentCircuit& circuit, const r1cs::Witness& witness,
                                     const StopToken& stop) const = 0;
  /// Returns as soon as the input is no longer needed. Randomness is the system's.
  virtual Result<std::unique_ptr<ProofTicket>> start(const Device& device, const ProvingSet& with, PartitionInput input,
                                                     const StopToken& stop) const = 0;
  /// The proof in the encoding that the result is assembled from.
  virtual Result<std::vector<std::byte>> finish(const Device& device, std::unique_ptr<ProofTicket> ticket) const = 0;
  /// Decodes the proof as a client would and verifies it: unsatisfied / invalid_proof.
  virtual Status verify(Arena& arena, const ResidentKey& key, std::span<const U256> public_inputs,
                        Bytes proof) const = 0;

  /// What is kept of a finished partition, and what all of them become: the bytes that are delivered.
  virtual std::vector<std::byte> record(Bytes proof, std::span<const U256> public_inputs) const = 0;
  virtual Result<std::vector<std::byte>> assemble(std::span<const Bytes> records) const = 0;
};

class Catalogue {
 public:
  Catalogue() = default;
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;
  virtual ~Catalogue() = default;

  /// not_found, saying which there are or which file is missing. Cheap: headers of files at most. Circuits come and go,
  /// but what an id has stood for it stands for as long as the catalogue lives: what is resident has its name.
  virtual Result<std::shared_ptr<const ProvingCircuit>> find(std::string_view id) const = 0;
};

}  // namespace cuzk::engine
