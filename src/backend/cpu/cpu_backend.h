// The backend that proves on the host's cores.
//
// load_key keeps montgomery_le queries where they are mapped (no copy); zcash_uncompressed ones are decoded into
// memory, in parallel, with the validation of the options. load_circuit adds the densities that filtered keys need.
// prove_start does all that reads the witness: rows, quotient, and the sums of a, b and l; the input is dropped when it
// returns. The ticket holds the quotient's scalars (32 bytes a row); prove_finish multiplies them by the h query and
// assembles the proof. Both work on the Arena and return when done. Stop tokens are looked at between these steps.
//
// Memory of a proof: three vectors of N elements while the quotient is computed, then one, and what msm() takes.
// Errors beyond those of backend.h: invalid_argument (a key or circuit of another backend, no circuit for a key without
// matrices); malformed / bad_count (circuit and key have different shapes), truncated (the key's file was cut while
// mapped). Thread-safety: all methods concurrently; the Arena must outlive the backend.
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
};

template <class C> class CpuBackend final : public Backend<C> {
 public:
  explicit CpuBackend(Arena& arena, CpuOptions options = {}) noexcept : arena_(arena), options_(options) {}

  Result<std::shared_ptr<const Key<C>>> load_key(const groth16::ProvingKeyView<C>& view) override;
  Result<std::shared_ptr<const Circuit<C>>> load_circuit(
      std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>> circuit) override;
  Result<std::unique_ptr<Ticket<C>>> prove_start(std::shared_ptr<const Key<C>> key,
                                                 std::shared_ptr<const Circuit<C>> circuit,
                                                 ProvingInput<C> input) override;
  Result<groth16::Proof<C>> prove_finish(std::unique_ptr<Ticket<C>> ticket) override;

 private:
  Arena& arena_;
  CpuOptions options_;
};

}  // namespace cuzk::backend
