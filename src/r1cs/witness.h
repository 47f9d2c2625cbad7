// The assignment z = (1, public inputs, auxiliary variables) of a circuit as canonical integers, the form of .wtns
// files and of MSM scalars. Values are below r and values[0] is 1 (checked by whoever parses it). Move-only: a witness
// is large and secret. Thread-safety: a value.
#pragma once

#include <span>
#include <vector>

#include "field/big_int.h"

namespace cuzk::r1cs {

class Witness {
 public:
  explicit Witness(std::vector<U256> values) noexcept : values_(std::move(values)) {}
  Witness(Witness&&) noexcept = default;
  Witness& operator=(Witness&&) noexcept = default;
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  std::size_t size() const noexcept { return values_.size(); }
  std::span<const U256> values() const noexcept { return values_; }
  /// Public inputs, without ONE. precondition: num_public < size().
  std::span<const U256> public_inputs(std::size_t num_public) const noexcept { return values().subspan(1, num_public); }

 private:
  std::vector<U256> values_;
};

}  // namespace cuzk::r1cs
