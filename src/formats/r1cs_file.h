// .r1cs files (iden3, version 1): the constraints of a circuit, as circom and others write them.
//
// Wires: ONE, public outputs, public inputs, then all others; public signals are wires 1..num_public in this order.
// Coefficients are canonical and below r; repeated wires of a linear combination are summed. The file's private-input
// and label counts are taken as information only: compilers count signals that are no wires any more.
// Page: docs/formats/r1cs.md. Memory: that of the compiled circuit; nothing is allocated by an unchecked count.
// Errors: malformed (container; bad_field_size, unknown_curve, bad_count, bad_section_length, truncated,
// index_out_of_range, non_canonical), unsupported (custom gates). File names are added by the caller (Error::in_file).
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "curve/curves.h"
#include "r1cs/row_circuit.h"
#include "support/bytes.h"
#include "support/progress.h"
#include "support/result.h"

namespace cuzk::formats {

struct R1csHeader {
  CurveId curve;
  std::uint32_t num_wires;
  std::uint32_t num_public_outputs;
  std::uint32_t num_public_inputs;
  std::uint32_t num_private_inputs;  // as declared in the source
  std::uint64_t num_labels;
  std::uint32_t num_constraints;

  std::uint64_t num_public() const noexcept { return std::uint64_t{num_public_outputs} + num_public_inputs; }
};

Result<R1csHeader> read_r1cs_header(Bytes file);

/// curve_mismatch when the file's prime is another curve's.
template <class C> Result<r1cs::RowCircuit<typename C::Fr>> read_r1cs(Bytes file, ProgressRef progress = {});

/// Sections 1, 2, 3; terms ascending by wire; no outputs (all public signals are inputs); label i for wire i.
template <class C> Status write_r1cs(const std::string& path, const r1cs::CompiledCircuit<typename C::Fr>& circuit);

}  // namespace cuzk::formats
