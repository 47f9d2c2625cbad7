// GrothCircuit: what circuits of a curve have in common: start and finish on a device's backend, check, verification.
// A subclass says where key and matrices come from and how a proof is written.
//
// Thread-safety: const methods concurrently.
#pragma once

#include <memory>
#include <string>

#include "engine/proving_circuit.h"
#include "groth16/verifier.h"

namespace cuzk::engine {

template <class C> struct GrothKey : ResidentKey {
  explicit GrothKey(std::shared_ptr<const backend::Key<C>> on_device)
      : key(std::move(on_device)), verifying_key(key->vk()) {}

  std::optional<std::uint64_t> host_bytes() const noexcept override { return key->host_bytes(); }
  std::uint64_t lacking_bytes() const noexcept override { return key->lacking_bytes(); }

  std::shared_ptr<const backend::Key<C>> key;
  groth16::PreparedVerifyingKey<C> verifying_key;
};

template <class C> struct GrothResident : ResidentCircuit {
  std::shared_ptr<const backend::Circuit<C>> circuit;                     // null: the key has the matrices
  std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>> compiled;  // null likewise
};

template <class C> class GrothCircuit : public ProvingCircuit {
 public:
  GrothCircuit(Arena& arena, std::string id, const groth16::ProvingKeyView<C>& view);

  const std::string& id() const noexcept final { return id_; }
  const store::KeyDigest& key_digest() const noexcept final { return key_digest_; }
  std::size_t num_public() const noexcept final { return num_public_; }
  CircuitSizes sizes() const noexcept final { return sizes_; }
  bool runs_on(const Device& device) const noexcept final { return device.backend<C>() != nullptr; }

  backend::Wants wants(const Device& device, const ProvingSet* with) const noexcept final;
  std::uint64_t abc_bytes(const ProvingSet& with) const noexcept final;
  Status evaluate(Arena& arena, const ProvingSet& with, const r1cs::Witness& witness, const memory::HostBuffer& abc,
                  const StopToken& stop) const final;
  Result<bool> check_witness(Arena& arena, const ResidentCircuit& circuit, const r1cs::Witness& witness,
                             const StopToken& stop) const final;
  Result<std::unique_ptr<ProofTicket>> start(const Device& device, const ProvingSet& with, PartitionInput input,
                                             const StopToken& stop) const final;
  Result<std::vector<std::byte>> finish(const Device& device, std::unique_ptr<ProofTicket> ticket) const final;
  Status verify(Arena& arena, const ResidentKey& key, std::span<const U256> public_inputs, Bytes proof) const final;

 protected:
  virtual std::vector<std::byte> encode(const groth16::Proof<C>& proof) const = 0;
  /// With all checks of points.
  virtual Result<groth16::Proof<C>> decode(Bytes proof) const = 0;

  Arena& arena() const noexcept { return arena_; }

 private:
  using Fr = typename C::Fr;

  std::size_t rows(const ProvingSet& with) const noexcept;

  Arena& arena_;
  const std::string id_;
  const store::KeyDigest key_digest_;
  const std::size_t num_public_;
  const std::size_t domain_size_;
  const std::optional<r1cs::CoefficientRecords<Fr>> records_;  // of a .zkey
  const CircuitSizes sizes_;
};

}  // namespace cuzk::engine
