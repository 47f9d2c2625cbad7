// The matrices of a rank-1 constraint system A z o B z = C z, whatever form they are stored in.
//
// z = (1, public inputs, auxiliary variables); wire 0 is ONE, 1..num_public are the public inputs. Rows are the
// circuit's constraints in order; the extra rows that make the public inputs' polynomials independent are not stored
// (groth16/ adds them). A term is (wire, index of its coefficient in a dictionary of distinct coefficients): circuits
// use few. Immutable; shared by every proof. Thread-safety: const methods concurrently.
#pragma once

#include <cstdint>
#include <span>

#include "field/fp.h"
#include "support/function_ref.h"

namespace cuzk::r1cs {

/// A position in z.
using Wire = std::uint32_t;

struct Term {
  Wire wire;
  std::uint32_t coefficient;  // index into coefficients()
};

/// One constraint. Wires of a side are distinct, coefficients not zero; the order of terms is the form's own.
struct Row {
  std::size_t index;
  std::span<const Term> a, b, c;
};
using RowVisitor = FunctionRef<void(const Row&)>;

/// Terms of each matrix.
struct NonZeros {
  std::uint64_t a = 0, b = 0, c = 0;

  std::uint64_t total() const noexcept { return a + b + c; }
  friend bool operator==(const NonZeros&, const NonZeros&) noexcept = default;
};

template <class Fr> class CompiledCircuit {
 public:
  virtual ~CompiledCircuit() = default;

  virtual std::size_t num_variables() const noexcept = 0;  // with ONE
  virtual std::size_t num_public() const noexcept = 0;     // without ONE
  virtual std::size_t num_constraints() const noexcept = 0;
  std::size_t num_inputs() const noexcept { return num_public() + 1; }
  std::size_t num_aux() const noexcept { return num_variables() - num_inputs(); }

  virtual NonZeros non_zeros() const noexcept = 0;

  /// The dictionary, in Montgomery form; distinct and not zero. 1 is number 0 and -1 number 1, used or not.
  virtual std::span<const Fr> coefficients() const noexcept = 0;

  /// Calls visitor for the rows [begin, end) in order. The spans live during the call alone.
  virtual void visit_rows(std::size_t begin, std::size_t end, RowVisitor visitor) const = 0;

 protected:
  CompiledCircuit() = default;
  CompiledCircuit(const CompiledCircuit&) = default;
  CompiledCircuit(CompiledCircuit&&) noexcept = default;
  CompiledCircuit& operator=(const CompiledCircuit&) = default;
  CompiledCircuit& operator=(CompiledCircuit&&) noexcept = default;
};

}  // namespace cuzk::r1cs
