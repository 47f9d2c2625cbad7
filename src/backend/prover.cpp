#include "backend/prover.h"

#include "r1cs/satisfaction.h"

namespace cuzk::backend {

namespace {

/// Why a proof of this witness does not verify.
template <class C>
Error explain(Arena& arena, const r1cs::CompiledCircuit<typename C::Fr>* compiled, const r1cs::Witness& witness) {
  if (compiled != nullptr && compiled->num_variables() == witness.size()) {
    if (const auto row = r1cs::first_unsatisfied(arena, *compiled, witness.values())) {
      return Error(Code::unsatisfied, Kind::unsatisfied_constraint,
                   "the witness does not satisfy constraint " + std::to_string(*row) + " of " +
                       std::to_string(compiled->num_constraints()) + " (counted from 0)");
    }
  }
  return Error(Code::unsatisfied, Kind::invalid_proof,
               "key and witness do not match: the proof made of them does not verify");
}

/// The pairing equation does not see points of small order (the final exponentiation takes them to 1), and a proof that
/// holds one tells the witness modulo that order. They can only come from the key, whose points are not checked at each
/// proof.
template <class C> Status check_subgroups(const groth16::Proof<C>& proof) {
  if (is_in_subgroup<C>(proof.a) && is_in_subgroup<C>(proof.b) && is_in_subgroup<C>(proof.c)) return {};
  return fail(Code::malformed, Kind::not_in_subgroup,
              "the proving key holds a point outside the subgroup: cuzk inspect --check names it");
}

}  // namespace

template <class C>
Result<groth16::Proof<C>> prove_verified(Arena& arena, Backend<C>& backend, const ProvingContext<C>& context,
                                         ProvingInput<C> input) {
  const std::shared_ptr<const r1cs::Witness> witness = input.witness;
  const ProgressRef progress = input.progress;
  CUZK_TRY(auto ticket, backend.prove_start(context.key, context.circuit, std::move(input)));
  CUZK_TRY(auto proof, backend.prove_finish(std::move(ticket)));

  progress.begin("verification");
  CUZK_CHECK_OK(check_subgroups<C>(proof));
  const auto public_inputs = witness->public_inputs(context.key->vk().num_public());
  Status verdict = groth16::verify(arena, context.verifying_key, public_inputs, proof);
  progress.end();
  if (verdict) return proof;
  if (verdict.error().code() != Code::unsatisfied) return fail(std::move(verdict).error());
  return fail(explain<C>(arena, context.compiled, *witness));
}

template Result<groth16::Proof<Bn254>> prove_verified(Arena&, Backend<Bn254>&, const ProvingContext<Bn254>&,
                                                      ProvingInput<Bn254>);
template Result<groth16::Proof<Bls12_381>> prove_verified(Arena&, Backend<Bls12_381>&, const ProvingContext<Bls12_381>&,
                                                          ProvingInput<Bls12_381>);

}  // namespace cuzk::backend
