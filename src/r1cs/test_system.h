// TestSystem: keeps the whole circuit and its assignment, and answers what tests ask: the first constraint that does
// not hold, counts, densities, the digests by which circuits are compared.
//
// Rows are kept as the compiled forms have them: repeated variables summed, zero terms dropped, inputs first, then
// auxiliary variables, by index. Memory: 8 bytes a term, 32 a variable (a circuit of 2.7 million constraints takes 250
// MiB). Instantiated for both scalar fields. Thread-safety: a constraint system belongs to one thread; const methods
// concurrently.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "field/fp.h"
#include "r1cs/coefficient_dictionary.h"
#include "r1cs/constraint_system.h"
#include "r1cs/density.h"
#include "r1cs/row_circuit.h"
#include "r1cs/term_list.h"
#include "r1cs/witness.h"
#include "support/blake2s.h"
#include "support/sha256.h"

namespace cuzk::r1cs {

template <class Fr> class TestSystem {
 public:
  using Field = Fr;
  using Entry = typename TermList<Fr>::Entry;
  static constexpr bool kHasValues = true;
  enum class Side : std::uint8_t { a, b, c };
  static constexpr Side kSides[] = {Side::a, Side::b, Side::c};

  TestSystem();

  // --- the constraint system
  Variable alloc(const Fr& value);
  Variable alloc_bit(bool value) { return alloc(value ? Fr::one() : Fr::zero()); }
  Variable input(const Fr& value);
  template <class A, class B, class C> void enforce(A&& a, B&& b, C&& c) {
    keep(Side::a, collect(list_, a));
    keep(Side::b, collect(list_, b));
    keep(Side::c, collect(list_, c));
  }
  void begin_block() noexcept;
  void end_block() noexcept;

  // --- counts
  std::size_t num_inputs() const noexcept { return inputs_.size(); }  // with ONE
  std::size_t num_aux() const noexcept { return aux_.size(); }
  std::size_t num_constraints() const noexcept { return row_begin_[0].size() - 1; }
  /// Terms that are not zero, over all rows.
  std::size_t num_terms(Side side) const noexcept { return terms_[index_of(side)].size(); }
  /// Blocks that are in no other block.
  std::size_t num_blocks() const noexcept { return num_blocks_; }

  // --- the assignment
  /// precondition for all: the variable is one of this system.
  const Fr& value(Variable v) const noexcept { return v.is_input() ? inputs_[v.index()] : aux_[v.index()]; }
  /// Another value, to see what it breaks.
  void set(Variable v, const Fr& value) noexcept { (v.is_input() ? inputs_ : aux_)[v.index()] = value; }
  std::span<const Fr> inputs() const noexcept { return inputs_; }  // ONE first
  std::span<const Fr> aux() const noexcept { return aux_; }
  Witness witness() const;

  // --- the constraints
  /// precondition for all: row < num_constraints().
  std::vector<Entry> terms(Side side, std::size_t row) const;
  /// <row, z> of a side.
  Fr evaluate(Side side, std::size_t row) const noexcept;
  std::optional<std::size_t> first_unsatisfied() const noexcept;
  bool is_satisfied() const noexcept { return !first_unsatisfied().has_value(); }
  /// "(1 I0 - 1 A3) * (1 A3) = ()": one row for people; I: input, A: auxiliary; coefficients as decimal numbers.
  std::string row_text(std::size_t row) const;

  // --- the circuit
  /// BLAKE2s-256 as the reference's TestConstraintSystem computes it: docs/circuits.md, "Digests of a circuit".
  Blake2s256::Digest hash() const;
  /// matrices_digest() of digest.h.
  Sha256::Digest matrices_digest() const;
  Densities densities() const;
  RowCircuit<Fr> circuit() const;

 private:
  struct StoredTerm {
    Variable variable;
    std::uint32_t coefficient;  // index into coefficients_
  };

  static constexpr std::size_t index_of(Side side) noexcept { return static_cast<std::size_t>(side); }
  std::span<const StoredTerm> row(Side side, std::size_t index) const noexcept;
  void keep(Side side, std::span<const Entry> entries);

  std::vector<Fr> inputs_;
  std::vector<Fr> aux_;
  std::array<std::vector<std::uint64_t>, 3> row_begin_;
  std::array<std::vector<StoredTerm>, 3> terms_;
  CoefficientDictionary<Fr> coefficients_;
  std::size_t num_blocks_ = 0;
  std::size_t block_depth_ = 0;
  TermList<Fr> list_;
};

extern template class TestSystem<bn254::Fr>;
extern template class TestSystem<bls12_381::Fr>;

}  // namespace cuzk::r1cs
