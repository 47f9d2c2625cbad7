// The scalars of a query's points, split by what they cost: zeros nothing, ones a bit in a bitmap (subset_sum.h), all
// others a number and a value in a list (msm.h, the sum over numbered points).
//
// Points of a query are in the order of the variables that have one: inputs first, then auxiliary variables. Which have
// one is the query's map, resident with the key: all of them (.zkey; the l query has no inputs), or those that the
// circuit's densities tell (bellperson; r1cs/density.h). A range of auxiliary variables can be split by itself, for
// queries that are not in the device's memory as a whole.
//
// Memory is the caller's, all work is queued. Errors: device. Thread-safety: concurrently, on memory of their own.
#pragma once

#include <memory>
#include <vector>

#include "backend/cuda/witness.h"
#include "r1cs/bitmap.h"

namespace cuzk::cuda {

/// Auxiliary variables [first, first + count); first is a multiple of 64, count too or as far as the last variable. A
/// range from 0 on has the inputs with it. Points are numbered from the first of the range.
struct AuxRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

class QueryMap {
 public:
  /// All of `num_inputs` inputs (0: none has a point) and all `num_aux` auxiliary variables; no memory.
  static QueryMap all(std::size_t num_inputs, std::size_t num_aux);

  /// Those whose bit is set; wires: num_inputs first, then auxiliary variables.
  static std::size_t bytes(const r1cs::Bitmap& wires, std::size_t num_inputs);
  /// Copies the map to `memory` (bytes() of it, at a multiple of 256) and waits for it.
  static Result<QueryMap> load(const Stream& stream, const r1cs::Bitmap& wires, std::size_t num_inputs,
                               DeviceSpan<std::byte> memory);

  std::size_t num_points() const { return num_points_; }
  std::size_t num_inputs() const { return num_inputs_; }  // that have a point
  std::size_t num_aux() const { return num_aux_; }        // that there are

  /// The host knows where points of every kStep-th auxiliary variable are.
  static constexpr std::size_t kStep = 4096;
  struct PointRange {
    std::size_t first = 0, count = 0;
  };
  /// Those of a range. precondition: it begins at a multiple of kStep, and ends at one or with the last variable.
  PointRange points_of(const AuxRange& range) const;

  /// What kernels read; present and ranks are null where all auxiliary variables have a point, inputs where the first
  /// ones have.
  struct View {
    const std::uint32_t* inputs;
    const u64* present;
    const std::uint32_t* ranks;  // ranks[w]: points of auxiliary variables before word w
    std::uint32_t num_inputs;
  };
  View view() const { return {inputs_.data, present_.data, ranks_.data, static_cast<std::uint32_t>(num_inputs_)}; }

 private:
  std::size_t aux_points_before(std::size_t aux) const;

  std::size_t num_points_ = 0, num_inputs_ = 0, num_aux_ = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> steps_;  // points before each; null: one for each variable
  DeviceSpan<const std::uint32_t> inputs_, ranks_;
  DeviceSpan<const u64> present_;
};

/// Where the scalars of a range go.
struct SplitScalars {
  DeviceSpan<u64> ones;              // bit b: the scalar of point b is 1; room for all points, 64 to a word
  DeviceSpan<std::uint32_t> points;  // general scalars, in any order: the number of the point
  DeviceSpan<U256> scalars;          // and the value, canonical; same length: the most there may be
  DeviceSpan<std::uint32_t> count;   // one word: how many there are
};
/// Parts of `memory` for so many points and general scalars; split_bytes() of it.
std::size_t split_bytes(std::size_t num_points, std::size_t most_general);
SplitScalars split_memory(std::size_t num_points, std::size_t most_general, DeviceSpan<std::byte> memory);

/// Writes all of `to`. Inputs that have a point are in the list, whatever their values. When there are more general
/// scalars than there is room for, `count` says how many; those beyond are left out.
/// `host_count`, where given: page-locked memory that gets the count when the stream has come so far.
Status split(const Stream& stream, const WitnessView& witness, const QueryMap& query, const AuxRange& range,
             const SplitScalars& to, std::uint32_t* host_count = nullptr);

}  // namespace cuzk::cuda
