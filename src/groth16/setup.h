// Trusted setup: a proving key from a circuit's matrices and a trapdoor.
//
// Whoever knows the trapdoor can forge proofs: keys made here are for development and tests ("development keys";
// formats/ marks their files). Definition of the queries: proving_key.h; source: Groth
// (https://eprint.iacr.org/2016/260), section 3.2. To the circuit's constraints the rows x_i * 0 = 0 of its inputs are
// added; N is the least power of two that holds all, at least 2. The odd-coset basis needs no domain of size 2N: with
// sigma = sqrt(omega) and L_j the Lagrange basis of H, L'_{2j+1}(x) = -(x^N - 1)/2 L_j(x/sigma).
//
// Errors: unsupported / bad_domain (more rows than the field's 2-adicity allows), invalid_argument (a trapdoor that
// makes a degenerate key: a zero, or tau in the domain of size 2N), those of the random source and of the sink. Queries
// are made in chunks and handed to a KeySink, so that a key may be larger than memory: one element a variable, one a
// row (two for the odd-coset basis), chunks, and what the points are made by. Parallel over the Arena. Thread-safety:
// pure functions.
#pragma once

#include "groth16/generator_multiples.h"
#include "groth16/key_sink.h"
#include "groth16/proving_key.h"
#include "r1cs/compiled_circuit.h"
#include "support/parallel.h"
#include "support/progress.h"
#include "support/random.h"
#include "support/secret.h"

namespace cuzk::groth16 {

template <class Fr> struct TrapdoorValues {
  Fr tau, alpha, beta, gamma, delta;
};

/// The setup's secret; move-only, wiped.
template <class Fr> class Trapdoor {
 public:
  /// gamma = 1, as in snarkjs' keys; the others uniform, not zero.
  static Result<Trapdoor> random(RandomSource random = fill_random);
  static Trapdoor given(const TrapdoorValues<Fr>& values) noexcept;

  const TrapdoorValues<Fr>& values() const noexcept { return values_.expose(); }

 private:
  Secret<TrapdoorValues<Fr>> values_;
};

/// Least power of two, at least 2, that holds the constraints and the rows of the inputs.
template <class Fr> std::size_t domain_size_of(const r1cs::CompiledCircuit<Fr>& circuit) noexcept;

/// Hands the key to the sink. `multiples`: what makes the points; null: the CPU.
template <class C>
Status setup(Arena& arena, const r1cs::CompiledCircuit<typename C::Fr>& circuit,
             const Trapdoor<typename C::Fr>& trapdoor, QuotientBasis basis, RootFamily roots, KeySink<C>& sink,
             ProgressRef progress = {}, GeneratorMultiples<C>* multiples = nullptr);

/// The key in memory.
template <class C>
Result<ProvingKey<C>> setup(Arena& arena, const r1cs::CompiledCircuit<typename C::Fr>& circuit,
                            const Trapdoor<typename C::Fr>& trapdoor, QuotientBasis basis, RootFamily roots,
                            ProgressRef progress = {}, GeneratorMultiples<C>* multiples = nullptr);

}  // namespace cuzk::groth16
