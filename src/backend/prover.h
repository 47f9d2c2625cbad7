// Proving with the check before delivery: no proof leaves that does not verify.
//
// An unsatisfying witness of the right length gives a well-formed proof that does not verify: only this check tells.
// Errors: those of the backend; unsatisfied / unsatisfied_constraint, naming the first constraint that fails (when
// `compiled` is given), unsatisfied / invalid_proof "key and witness do not match" otherwise; malformed /
// not_in_subgroup when the proof holds a point of small order, which only a damaged or hostile key can bring.
// Thread-safety: as the backend's.
#pragma once

#include "backend/backend.h"
#include "groth16/verifier.h"

namespace cuzk::backend {

/// What a proof is made with and checked against. `circuit` may be null when the key carries its matrices; `compiled`
/// may be null and serves the error message alone.
template <class C> struct ProvingContext {
  std::shared_ptr<const Key<C>> key;
  std::shared_ptr<const Circuit<C>> circuit;
  const groth16::PreparedVerifyingKey<C>& verifying_key;
  const r1cs::CompiledCircuit<typename C::Fr>* compiled = nullptr;
};

template <class C>
Result<groth16::Proof<C>> prove_verified(Arena& arena, Backend<C>& backend, const ProvingContext<C>& context,
                                         ProvingInput<C> input);

}  // namespace cuzk::backend
