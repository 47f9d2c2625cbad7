// The backend that proves on the host's cores.
//
// load_key keeps montgomery_le queries where they are mapped (no copy); zcash_uncompressed ones are decoded into
// memory, in parallel, with the validation of the options. load_circuit adds the densities that filtered keys need.
// prove_start does all that reads the witness: rows, quotient, and the sums of a, b and l; the input is dropped when it
// returns; a, b, c from the caller (Wants::abc) are copied out of their chunks first and given back at once, for the
// transforms need vectors in one piece. The ticket holds the quotient's scalars (32 bytes a row); prove_finish
// multiplies them by the h query and assembles the proof. Both work on the Arena and return when done. Stop tokens are
// looked at by every chunk of rows and of sums, and between transforms.
//
// A proof by other means (ProvingInput) is computed with the portable arithmetic (support/cpu_path_scope.h).
//
// Memory of a proof: three vectors of N elements while the quotient is computed, then one, and what msm() takes.
// Errors beyond those of backend.h: invalid_argument (a key or circuit of another backend, no circuit for a key without
// matrices, a, b, c of other lengths than the circuit's); malformed / bad_count (circuit and key have different
// shapes), truncated (the key's file was cut while mapped). Thread-safety: all methods concurrently; the Arena must
// outlive the backend.
#pragma once

#include "backend/backend.h"
#include "curve/encoding.h"
#include "support/parallel.h"

namespace cuzk::backend {

struct CpuOptions {
  /// Of points that load_key decodes. Mapped queries are used as they are: formats/ has checks for them.
  Validation validation = Validation::on_curve;
  /// Gives pages of a mapped key back to the system after their last use in a proof: a smaller resident size for
  /// programs that prove once, page faults for those that prove again.
  bool drop_pages = false;
  /// What wants() says; prove_start takes both. abc is for trying the way of devices that cannot hold a circuit.
  Wants wants = Wants::witness;
  /// Of urgent proofs, with the right of way where it has one (support/right_of_way.h); null: the same as of others. As
  /// many threads; it must outlive the backend.
  Arena* urgent_arena = nullptr;
};

template <class C> class CpuBackend final : public Backend<C> {
 public:
  explicit CpuBackend(Arena& arena, CpuOptions options = {}) noexcept : arena_(arena), options_(options) {}

  Result<std::shared_ptr<const Key<C>>> load_key(const groth16::ProvingKeyView<C>& view,
                                                 const std::stop_token& stop = {}) override;
  Result<std::shared_ptr<const Circuit<C>>> load_circuit(
      std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>> circuit, const std::stop_token& stop = {}) override;
  Wants wants(const Key<C>* /*key*/, const Circuit<C>* /*circuit*/) const noexcept override { return options_.wants; }
  Result<std::unique_ptr<Ticket<C>>> prove_start(std::shared_ptr<const Key<C>> key,
                                                 std::shared_ptr<const Circuit<C>> circuit,
                                                 ProvingInput<C> input) override;
  Result<groth16::Proof<C>> prove_finish(std::unique_ptr<Ticket<C>> ticket) override;

 private:
  Arena& arena_for(bool urgent) const noexcept {
    return urgent && options_.urgent_arena != nullptr ? *options_.urgent_arena : arena_;
  }

  Arena& arena_;
  CpuOptions options_;
};

}  // namespace cuzk::backend
