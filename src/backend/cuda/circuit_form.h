// The form that a compiled circuit has on a device: runs of rows, and what their terms are.
//
// A run is a piece at its place: of a BlockCircuit a placement, whose piece's terms are stored once for all its
// placements; any other circuit is cut into runs that have terms of their own. A term is a place, which says its wire
// (a port of the run, or a distance from the run's first wire), and the index of its coefficient. Terms of a row stand
// one side after the other; where C is not wanted it is left out. Made on the host in parts of some megabytes.
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "r1cs/compiled_circuit.h"
#include "support/function_ref.h"
#include "support/result.h"

namespace cuzk::cuda {

/// Side s of row r is the terms [end(k r + s - 1), end(k r + s)) from first_term on, where k is the number of sides and
/// end(j) is ends[first_end + j], end(-1) is 0.
struct RowRun {
  std::uint64_t first_row = 0;
  std::uint64_t first_end = 0;
  std::uint64_t first_term = 0;
  std::uint64_t first_port = 0;
  std::uint32_t first_wire = 0;
};

constexpr std::uint32_t kPortBit = std::uint32_t{1} << 31;  // of a place: ports[first_port + the rest]
constexpr std::size_t kRowsOfGroup = 256;

/// Elements of each part.
struct FormSizes {
  std::size_t runs = 0;
  std::size_t groups = 0;  // number of the run that has the first row of each kRowsOfGroup; and one for the end
  std::size_t ends = 0;
  std::size_t terms = 0;
  std::size_t ports = 0;
  unsigned sides = 3;
  unsigned coefficient_bytes = 1;  // of an index
};

/// Errors: unsupported (more than 2^31 variables).
template <class Fr> Result<FormSizes> form_sizes(const r1cs::CompiledCircuit<Fr>& circuit, unsigned sides);

/// What takes the parts: elements from `at` on, in order for each part; copied before it returns.
class FormSink {
 public:
  virtual ~FormSink() = default;
  virtual Status put_runs(std::size_t at, std::span<const RowRun> runs) = 0;
  virtual Status put_groups(std::size_t at, std::span<const std::uint32_t> groups) = 0;
  virtual Status put_ends(std::size_t at, std::span<const std::uint32_t> ends) = 0;
  virtual Status put_places(std::size_t at, std::span<const std::uint32_t> places) = 0;
  virtual Status put_ports(std::size_t at, std::span<const std::uint32_t> ports) = 0;
  /// `at`: in terms; bytes: coefficient_bytes each, little-endian.
  virtual Status put_coefficients(std::size_t at, std::span<const std::byte> indices) = 0;
};

/// precondition: sizes are form_sizes() of this circuit. Errors: those of the sink; unsupported (2^32 terms in a run).
template <class Fr> Status write_form(const r1cs::CompiledCircuit<Fr>& circuit, const FormSizes& sizes, FormSink& sink);

}  // namespace cuzk::cuda
