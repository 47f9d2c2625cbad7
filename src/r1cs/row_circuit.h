// A compiled circuit as compressed sparse rows: what circuits read from .r1cs files become.
//
// Terms of a row ascend by wire. Immutable after construction. Memory: 8 bytes a term, 24 bytes a row. Thread-safety:
// const methods concurrently; a builder belongs to one thread.
#pragma once

#include <utility>
#include <vector>

#include "r1cs/coefficient_dictionary.h"
#include "r1cs/coefficient_records.h"
#include "r1cs/compiled_circuit.h"

namespace cuzk::r1cs {

/// One of A, B, C: row i is terms[row_begin[i] .. row_begin[i + 1]). Wires of a row ascend, coefficients are not zero.
struct SparseMatrix {
  std::vector<std::uint64_t> row_begin = {0};
  std::vector<Term> terms;

  std::size_t rows() const noexcept { return row_begin.size() - 1; }
  std::span<const Term> row(std::size_t i) const noexcept {
    return {terms.data() + row_begin[i], static_cast<std::size_t>(row_begin[i + 1] - row_begin[i])};
  }
};

template <class Fr> class CircuitBuilder;

template <class Fr> class RowCircuit final : public CompiledCircuit<Fr> {
 public:
  std::size_t num_variables() const noexcept override { return num_variables_; }
  std::size_t num_public() const noexcept override { return num_public_; }
  std::size_t num_constraints() const noexcept override { return a_.rows(); }
  NonZeros non_zeros() const noexcept override { return {a_.terms.size(), b_.terms.size(), c_.terms.size()}; }
  std::span<const Fr> coefficients() const noexcept override { return coefficients_; }
  void visit_rows(std::size_t begin, std::size_t end, RowVisitor visitor) const override;

  const SparseMatrix& a() const noexcept { return a_; }
  const SparseMatrix& b() const noexcept { return b_; }
  const SparseMatrix& c() const noexcept { return c_; }

 private:
  friend class CircuitBuilder<Fr>;
  RowCircuit(std::size_t num_variables, std::size_t num_public) noexcept
      : num_variables_(num_variables), num_public_(num_public) {}

  std::size_t num_variables_;
  std::size_t num_public_;
  SparseMatrix a_, b_, c_;
  std::vector<Fr> coefficients_;
};

/// Builds a circuit row by row; repeated variables of one linear combination are summed, zero terms dropped.
template <class Fr> class CircuitBuilder {
 public:
  CircuitBuilder(std::size_t num_variables, std::size_t num_public);

  enum class Side : std::uint8_t { a, b, c };
  /// precondition: wire < num_variables. Terms of the current constraint in any order.
  void add_term(Side side, Wire wire, const Fr& coefficient);
  void end_constraint();
  RowCircuit<Fr> finish() &&;

 private:
  void flush(SparseMatrix& matrix, std::vector<std::pair<Wire, Fr>>& row);

  RowCircuit<Fr> circuit_;
  std::vector<std::pair<Wire, Fr>> row_[3];
  CoefficientDictionary<Fr> dictionary_;
};

/// The same circuit as rows. precondition: at most 2^32 distinct coefficients.
template <class Fr> RowCircuit<Fr> to_rows(const CompiledCircuit<Fr>& circuit);
/// The A and B of a .zkey, rows of the inputs among them; C has no terms. Records of one place are summed.
/// precondition: rows of records below num_rows, variables below num_variables. Memory: 4 bytes a record and 16 a row
/// beside the result. precondition: below 2^32 records.
template <class Fr>
RowCircuit<Fr> to_rows(const CoefficientRecords<Fr>& records, std::size_t num_variables, std::size_t num_public,
                       std::size_t num_rows);

}  // namespace cuzk::r1cs
