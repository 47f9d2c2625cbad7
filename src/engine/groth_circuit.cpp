#include "engine/groth_circuit.h"

#include "r1cs/satisfaction.h"

namespace cuzk::engine {

Status Device::health() const {
  if (bn254 != nullptr) CUZK_CHECK_OK(bn254->health());
  return bls12_381 != nullptr ? bls12_381->health() : Status();
}

std::shared_ptr<memory::DeviceBudget> Device::memory() const {
  auto budget = bls12_381 != nullptr ? bls12_381->memory() : nullptr;
  return budget == nullptr && bn254 != nullptr ? bn254->memory() : budget;
}

namespace {

template <class C> struct GrothTicket final : ProofTicket {
  std::unique_ptr<backend::Ticket<C>> ticket;
  backend::Moved moved() const noexcept override { return ticket->moved(); }
  std::string given_up() const override { return ticket->given_up(); }
  std::shared_ptr<const backend::DeviceTimes> times() const noexcept override { return ticket->times(); }
};

/// What the CPU backend takes, from its page (backend/cpu/cpu_backend.h) and that of msm(): three vectors of the domain
/// and scalars for the sums beside witness, a, b and c; then one vector and its scalars.
template <class C> CircuitSizes sizes_of(const Arena& arena, const groth16::ProvingKeyView<C>& view) {
  constexpr std::uint64_t kElement = sizeof(U256);
  constexpr std::uint64_t kMsmScalar = 36 + 8 * 4;
  constexpr std::uint64_t kMsmThread = std::uint64_t{4} << 20;
  const std::uint64_t variables = view.num_variables;
  const std::uint64_t rows = view.domain_size;
  const std::uint64_t threads = arena.concurrency() * kMsmThread;
  CircuitSizes sizes;
  sizes.key_bytes = view.a.size() + view.b_g1.size() + view.b_g2.size() + view.l.size() + view.h.size();
  if (view.coefficients) {
    sizes.key_bytes += view.coefficients->bytes().size();
  } else {
    const std::uint64_t wires = (view.a.size() + view.b_g1.size()) / sizeof(typename C::G1Affine);
    sizes.circuit_bytes = wires * sizeof(r1cs::Wire) + variables;
  }
  sizes.witness_bytes = variables * kElement;
  sizes.abc_bytes = backend::AbcBuffer<typename C::Fr>::bytes(rows);
  sizes.start_bytes = 3 * rows * kElement + variables * (kElement + kMsmScalar) + threads;
  sizes.finish_bytes = rows * (kElement + kMsmScalar) + threads;
  return sizes;
}

}  // namespace

template <class C>
GrothCircuit<C>::GrothCircuit(Arena& arena, std::string id, const groth16::ProvingKeyView<C>& view)
    : arena_(arena),
      id_(std::move(id)),
      key_digest_(groth16::digest(view.vk)),
      num_public_(view.num_public()),
      domain_size_(view.domain_size),
      records_(view.coefficients),
      sizes_(sizes_of(arena, view)) {}

template <class C> backend::Wants GrothCircuit<C>::wants(const Device& device, const ProvingSet* with) const noexcept {
  const auto& backend = *device.backend<C>();
  if (with == nullptr) return backend.wants(nullptr, nullptr);
  return backend.wants(static_cast<const GrothKey<C>&>(*with->key).key.get(),
                       static_cast<const GrothResident<C>&>(*with->circuit).circuit.get());
}

/// A .zkey's own rows are proven, those of the domain; else the circuit's.
template <class C> std::size_t GrothCircuit<C>::rows(const ProvingSet& with) const noexcept {
  if (records_) return domain_size_;
  const auto& compiled = *static_cast<const GrothResident<C>&>(*with.circuit).compiled;
  return compiled.num_constraints() + compiled.num_inputs();
}

template <class C> std::uint64_t GrothCircuit<C>::abc_bytes(const ProvingSet& with) const noexcept {
  return backend::AbcBuffer<Fr>::bytes(rows(with));
}

template <class C>
Status GrothCircuit<C>::evaluate(Arena& arena, const ProvingSet& with, const r1cs::Witness& witness,
                                 const memory::HostBuffer& abc, const StopToken& stop) const {
  const std::size_t variables = static_cast<const GrothKey<C>&>(*with.key).key->num_variables();
  if (witness.size() != variables) {
    return fail(Code::malformed, Kind::witness_length_mismatch,
                "the witness has " + std::to_string(witness.size()) + " values, the key " + std::to_string(variables) +
                    " variables");
  }
  const auto parts = backend::row_parts<Fr>(abc, rows(with));
  if (records_) {
    groth16::evaluate<Fr>(arena, *records_, witness.values(), parts, stop);
  } else {
    const auto& compiled = static_cast<const GrothResident<C>&>(*with.circuit).compiled;
    groth16::evaluate<Fr>(arena, *compiled, witness.values(), parts, stop);
  }
  return check_stop(stop, "evaluating a, b, c");
}

template <class C>
Result<bool> GrothCircuit<C>::check_witness(Arena& arena, const ResidentCircuit& circuit, const r1cs::Witness& witness,
                                            const StopToken& stop) const {
  const auto& compiled = static_cast<const GrothResident<C>&>(circuit).compiled;
  if (compiled == nullptr || compiled->num_variables() != witness.size()) return false;
  const auto row = r1cs::first_unsatisfied(arena, *compiled, witness.values(), stop);
  CUZK_CHECK_OK(check_stop(stop, "checking a witness"));
  if (!row) return true;
  return fail(Code::unsatisfied, Kind::unsatisfied_constraint,
              "the witness does not satisfy constraint " + std::to_string(*row) + " of " +
                  std::to_string(compiled->num_constraints()) + " (counted from 0)");
}

template <class C>
Result<std::unique_ptr<ProofTicket>> GrothCircuit<C>::start(const Device& device, const ProvingSet& with,
                                                            PartitionInput input, const StopToken& stop) const {
  CUZK_TRY(auto blinding, backend::Blinding<C>::random());
  backend::ProvingInput<C> to_prove{.witness = std::move(input.witness),
                                    .blinding = std::move(blinding),
                                    .stop = stop,
                                    .progress = nullptr,
                                    .abc = std::nullopt,
                                    .memory = std::move(input.witness_memory),
                                    .urgent = input.urgent,
                                    .other_means = input.other_means};
  if (input.abc.size() > 0) to_prove.abc.emplace(std::move(input.abc), rows(with));
  auto ticket = std::make_unique<GrothTicket<C>>();
  CUZK_TRY(ticket->ticket, device.backend<C>()->prove_start(static_cast<const GrothKey<C>&>(*with.key).key,
                                                            static_cast<const GrothResident<C>&>(*with.circuit).circuit,
                                                            std::move(to_prove)));
  return ticket;
}

template <class C>
Result<std::vector<std::byte>> GrothCircuit<C>::finish(const Device& device,
                                                       std::unique_ptr<ProofTicket> ticket) const {
  auto& own = static_cast<GrothTicket<C>&>(*ticket);
  CUZK_TRY(const auto proof, device.backend<C>()->prove_finish(std::move(own.ticket)));
  return encode(proof);
}

template <class C>
Status GrothCircuit<C>::verify(Arena& arena, const ResidentKey& key, std::span<const U256> public_inputs,
                               Bytes proof) const {
  CUZK_TRY(const auto decoded, decode(proof));
  return groth16::verify(arena, static_cast<const GrothKey<C>&>(key).verifying_key, public_inputs, decoded);
}

template class GrothCircuit<Bn254>;
template class GrothCircuit<Bls12_381>;

}  // namespace cuzk::engine
