// A proof whose bytes are known, for finding out whether a device computes what it should: circuit, key, witness and
// blinding follow from constants, so there is one right proof, the same on every device and in every version.
//
// 3,072 rows in a domain of 4,096: products of full-size values, and bits; both kinds of sums and the transforms of
// several passes are in it. Proofs are verified too. Nothing here is secret. Thread-safety: const methods concurrently.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "support/parallel.h"

namespace cuzk::backend {

template <class C> class KnownAnswer {
 public:
  /// Makes the key: some tenths of a second of a core. Keeps the arena.
  static Result<KnownAnswer> create(Arena& arena);

  /// One proof by this backend. Errors: of the backend; device: it made another proof than the right one, or one that
  /// does not verify.
  Status check(Backend<C>& backend) const;

 private:
  using Fr = typename C::Fr;
  explicit KnownAnswer(Arena& arena) : arena_(&arena) {}
  Status check_proof(const groth16::Proof<C>& proof) const;

  Arena* arena_;
  std::shared_ptr<const r1cs::CompiledCircuit<Fr>> circuit_;
  std::shared_ptr<const r1cs::Witness> witness_;
  std::shared_ptr<const groth16::ProvingKey<C>> key_;
};

extern template class KnownAnswer<Bn254>;
extern template class KnownAnswer<Bls12_381>;

}  // namespace cuzk::backend
