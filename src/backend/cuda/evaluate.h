// A compiled circuit in the memory of a device, and the rows of its matrices times a packed witness.
//
// a[i] = <A_i, z>, b[i], c[i] for the N rows of the domain in Montgomery form, fully reduced: the same bytes as
// groth16/evaluate.h; the first input is taken to be ONE without a look. Behind the constraints are the rows x_i * 0 =
// 0 of the inputs; rows behind those are zero.
//
// Both kinds of compiled circuit have one form on the device (circuit_form.h). A term takes 4 bytes and 1, 2 or 4 for
// the index of its coefficient, as the dictionary is large. A 32 GiB PoRep partition takes some tens of megabytes.
//
// Memory is the caller's. load() copies and waits; evaluate() queues. Errors: bytes, load: unsupported
// (circuit_form.h); load, evaluate: device. Thread-safety: const methods concurrently, on streams of their own.
#pragma once

#include "backend/cuda/circuit_form.h"
#include "backend/cuda/witness.h"

namespace cuzk::cuda {

/// Where the rows of C come from. For a satisfied circuit both are the same; the product is cheaper and needs no terms.
enum class RowsOfC : std::uint8_t { stored, product };

/// Where the rows of the inputs come from: behind the constraints as above, or the circuit's own rows have them (those
/// of a .zkey).
enum class RowsOfInputs : std::uint8_t { added, stored };

struct CircuitOptions {
  RowsOfC c = RowsOfC::product;
  RowsOfInputs inputs = RowsOfInputs::added;
};

/// What kernels read of a circuit.
struct CircuitView {
  const RowRun* runs = nullptr;
  const std::uint32_t* groups = nullptr;
  const std::uint32_t* ends = nullptr;
  const std::uint32_t* places = nullptr;
  const std::byte* coefficients = nullptr;  // index of each term
  const std::uint32_t* ports = nullptr;
  std::uint64_t num_rows = 0;
  std::uint32_t num_inputs = 1;
  unsigned sides = 2;
};

template <class Fr> class DeviceCircuit {
 public:
  static Result<std::size_t> bytes(const r1cs::CompiledCircuit<Fr>& circuit, const CircuitOptions& options = {});
  /// precondition: memory.size >= bytes(), at a multiple of 256.
  static Result<DeviceCircuit> load(const Stream& stream, const r1cs::CompiledCircuit<Fr>& circuit,
                                    const CircuitOptions& options, DeviceSpan<std::byte> memory);

  /// Rows [first_row, first_row + size) of each matrix; a span of size 0 is not wanted, the others have one size.
  Status evaluate(const Stream& stream, const WitnessView& witness, std::size_t first_row, DeviceSpan<Fr> a,
                  DeviceSpan<Fr> b, DeviceSpan<Fr> c) const;

 private:
  DeviceCircuit() = default;
  CircuitOptions options_;
  CircuitView view_;
  unsigned coefficient_bytes_ = 1;
  DeviceSpan<const Fr> table_;  // evaluate_impl.h
};

}  // namespace cuzk::cuda
