// WitnessSystem: the assignment alone. A circuit run on it computes its values and skips its constraints; nothing of
// them is even evaluated.
//
// Memory: 32 bytes a variable, growing; reserve() where the counts are known. Thread-safety: a constraint system
// belongs to one thread.
#pragma once

#include <span>
#include <vector>

#include "field/fp_batch.h"
#include "r1cs/constraint_system.h"
#include "r1cs/witness.h"

namespace cuzk::r1cs {

template <class Fr> class WitnessSystem {
 public:
  using Field = Fr;
  static constexpr bool kHasValues = true;

  WitnessSystem() : inputs_{Fr::one()} {}
  /// num_inputs: with ONE.
  void reserve(std::size_t num_inputs, std::size_t num_aux) {
    inputs_.reserve(num_inputs);
    aux_.reserve(num_aux);
  }

  // --- the constraint system
  Variable alloc(const Fr& value) {
    aux_.push_back(value);
    return Variable::aux(static_cast<std::uint32_t>(aux_.size() - 1));
  }
  Variable alloc_bit(bool value) { return alloc(value ? Fr::one() : Fr::zero()); }
  Variable input(const Fr& value) {
    inputs_.push_back(value);
    return Variable::input(static_cast<std::uint32_t>(inputs_.size() - 1));
  }
  template <class A, class B, class C> void enforce(A&&, B&&, C&&) const noexcept {}
  void begin_block() const noexcept {}
  void end_block() const noexcept {}

  // --- the assignment, in Montgomery form
  std::span<const Fr> inputs() const noexcept { return inputs_; }  // ONE first
  std::span<const Fr> aux() const noexcept { return aux_; }
  Witness witness() const {
    std::vector<U256> values(inputs_.size() + aux_.size());
    to_canonical_n(std::span(values).first(inputs_.size()), inputs());
    to_canonical_n(std::span(values).subspan(inputs_.size()), aux());
    return Witness(std::move(values));
  }

 private:
  std::vector<Fr> inputs_;
  std::vector<Fr> aux_;
};

}  // namespace cuzk::r1cs
