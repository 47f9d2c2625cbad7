// Statement: what a job asks to be proven, decoded and found well-formed. All that the pipeline knows of a proof kind.
//
// One object serves all partitions of a job and may be used by several of them at once. It owns, or keeps alive, what
// it was made from. Thread-safety: const methods concurrently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "r1cs/witness.h"
#include "support/parallel.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::engine {

class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  virtual ~Statement() = default;

  /// The circuit that all partitions share ("porep-32g", a registered key).
  virtual const std::string& circuit() const noexcept = 0;
  virtual std::uint32_t partitions() const noexcept = 0;

  /// Whether the witness came from the caller: one that satisfies nothing is then his fault.
  virtual bool brings_witness() const noexcept { return false; }

  /// Without ONE. None where only the witness says them (a .wtns file).
  virtual std::optional<std::vector<U256>> public_inputs(std::uint32_t partition) const = 0;
  /// ONE, public inputs, auxiliary variables. Errors (malformed, ...) are the caller's fault and are not tried again;
  /// cancelled when the stop was seen.
  virtual Result<r1cs::Witness> witness(Arena& arena, std::uint32_t partition, const StopToken& stop) const = 0;
};

}  // namespace cuzk::engine
