// The assignment z = (1, public inputs, auxiliary variables) of a circuit as canonical integers, the form of .wtns
// files and of MSM scalars. Values are below r and values[0] is 1 (checked by whoever parses it). Move-only: a witness
// is large and secret. Thread-safety: a value.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "field/big_int.h"

namespace cuzk::r1cs {

class Witness {
 public:
  explicit Witness(std::vector<U256> values) noexcept : vector_(std::move(values)) {}
  /// For whoever fills writable() entirely: the memory is not touched before, so that several threads may map it.
  static Witness uninitialised(std::size_t size) { return Witness(size); }
  Witness(Witness&&) noexcept = default;
  Witness& operator=(Witness&&) noexcept = default;
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  std::size_t size() const noexcept { return values().size(); }
  std::span<const U256> values() const noexcept {
    return array_ != nullptr ? std::span<const U256>(array_.get(), array_size_) : std::span<const U256>(vector_);
  }
  std::span<U256> writable() noexcept {
    return array_ != nullptr ? std::span(array_.get(), array_size_) : std::span(vector_);
  }
  /// Public inputs, without ONE. precondition: num_public < size().
  std::span<const U256> public_inputs(std::size_t num_public) const noexcept { return values().subspan(1, num_public); }

 private:
  explicit Witness(std::size_t size) : array_(new U256[size]), array_size_(size) {}

  std::vector<U256> vector_;  // the values, or:
  std::unique_ptr<U256[]> array_;
  std::size_t array_size_ = 0;
};

}  // namespace cuzk::r1cs
