// Keys with valid proofs made in the exponent: no prover is needed to test verifiers.
#pragma once

#include "groth16/proof.h"
#include "tests/groth16/exponents.h"

namespace cuzk::test {

/// A verifying key with a known trapdoor, and valid proofs for any public inputs: A, B free, C from the equation.
template <class C> class Forge {
 public:
  using Fr = typename C::Fr;

  Forge(std::size_t num_public, std::mt19937_64& random) : random_(random), t_(random_trapdoor<Fr>(random)) {
    key.alpha_g1 = in_g1<C>(t_.alpha);
    key.beta_g1 = in_g1<C>(t_.beta);
    key.beta_g2 = in_g2<C>(t_.beta);
    key.gamma_g2 = in_g2<C>(t_.gamma);
    key.delta_g1 = in_g1<C>(t_.delta);
    key.delta_g2 = in_g2<C>(t_.delta);
    for (std::size_t i = 0; i <= num_public; ++i) {
      ic_.push_back(uniform_element<Fr>(random));
      key.ic.push_back(in_g1<C>(ic_.back()));
    }
  }

  std::vector<U256> random_inputs() {
    std::vector<U256> inputs;
    while (inputs.size() + 1 < ic_.size()) inputs.push_back(biased_element<Fr>(random_).canonical());
    return inputs;
  }

  groth16::Proof<C> proof_of(std::span<const U256> inputs) {
    const Fr a = uniform_element<Fr>(random_);
    const Fr b = uniform_element<Fr>(random_);
    Fr sum = ic_[0];
    for (std::size_t i = 0; i < inputs.size(); ++i) sum += Fr::from_canonical(inputs[i]) * ic_[i + 1];
    const Fr c = (a * b - t_.alpha * t_.beta - sum * t_.gamma) * t_.delta.inverse();
    return {in_g1<C>(a), in_g2<C>(b), in_g1<C>(c)};
  }

  groth16::VerifyingKey<C> key;

 private:
  std::mt19937_64& random_;
  groth16::TrapdoorValues<Fr> t_;
  std::vector<Fr> ic_;
};

}  // namespace cuzk::test
