// Rank-1 constraint systems in their compiled form: A z o B z = C z as compressed sparse rows.
//
// z = (1, public inputs, auxiliary variables); variable 0 is ONE, 1..num_public are the public inputs. Rows are the
// circuit's constraints in order; the extra rows that make the public inputs' polynomials independent are not stored
// (groth16/ adds them). A term is (variable, index of its coefficient in a dictionary of distinct coefficients):
// circuits use few. Immutable after construction; shared by every proof. Thread-safety: const methods concurrently.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "field/fp.h"
#include "support/parallel.h"

namespace cuzk::r1cs {

using Variable = std::uint32_t;

struct Term {
  Variable variable;
  std::uint32_t coefficient;  // index into CompiledCircuit::coefficients
};

/// One of A, B, C: row i is terms[row_begin[i] .. row_begin[i + 1]). Variables of a row are distinct, coefficients not
/// zero.
struct SparseMatrix {
  std::vector<std::uint64_t> row_begin = {0};
  std::vector<Term> terms;

  std::size_t rows() const noexcept { return row_begin.size() - 1; }
  std::span<const Term> row(std::size_t i) const noexcept {
    return {terms.data() + row_begin[i], static_cast<std::size_t>(row_begin[i + 1] - row_begin[i])};
  }
};

template <class Fr> struct CompiledCircuit {
  std::size_t num_variables = 1;  // with ONE
  std::size_t num_public = 0;     // without ONE
  SparseMatrix a, b, c;
  std::vector<Fr> coefficients;  // Montgomery; the dictionary

  std::size_t num_constraints() const noexcept { return a.rows(); }
  std::size_t num_inputs() const noexcept { return num_public + 1; }
  std::size_t num_aux() const noexcept { return num_variables - num_inputs(); }
};

/// <row i, z> of a matrix; z in Montgomery form.
template <class Fr>
Fr evaluate_row(const CompiledCircuit<Fr>& circuit, const SparseMatrix& matrix, std::size_t row,
                std::span<const Fr> z) noexcept;

/// Index of the first constraint that z does not satisfy. z: num_variables elements, Montgomery form.
template <class Fr>
std::optional<std::size_t> first_unsatisfied(Arena& arena, const CompiledCircuit<Fr>& circuit, std::span<const Fr> z);
/// The same for canonical values; takes 32 bytes a variable for their Montgomery form.
template <class Fr>
std::optional<std::size_t> first_unsatisfied(Arena& arena, const CompiledCircuit<Fr>& circuit,
                                             std::span<const U256> values);

/// Builds a circuit row by row; repeated variables of one linear combination are summed, zero terms dropped.
template <class Fr> class CircuitBuilder {
 public:
  CircuitBuilder(std::size_t num_variables, std::size_t num_public);

  enum class Side : std::uint8_t { a, b, c };
  /// precondition: variable < num_variables. Terms of the current constraint in any order.
  void add_term(Side side, Variable variable, const Fr& coefficient);
  void end_constraint();
  CompiledCircuit<Fr> finish() &&;

 private:
  std::uint32_t intern(const Fr& coefficient);
  void flush(SparseMatrix& matrix, std::vector<std::pair<Variable, Fr>>& row);

  struct LimbHash {
    std::size_t operator()(const typename Fr::Repr& value) const noexcept;
  };

  CompiledCircuit<Fr> circuit_;
  std::vector<std::pair<Variable, Fr>> row_[3];
  std::unordered_map<typename Fr::Repr, std::uint32_t, LimbHash> index_;
};

}  // namespace cuzk::r1cs
