// A variable while a circuit is being written: public inputs and auxiliary variables are counted apart, because how
// many inputs there will be is known only at the end. ONE is input 0. Its place in z (compiled_circuit.h's Wire) is
// `index` for an input and num_inputs + `index` for an auxiliary one. Thread-safety: a value.
#pragma once

#include <cstdint>

namespace cuzk::r1cs {

class Variable {
 public:
  Variable() = default;
  static constexpr Variable input(std::uint32_t index) noexcept { return Variable(index | kInputBit); }
  static constexpr Variable aux(std::uint32_t index) noexcept { return Variable(index); }
  static constexpr Variable one() noexcept { return input(0); }

  constexpr bool is_input() const noexcept { return (code_ & kInputBit) != 0; }
  constexpr std::uint32_t index() const noexcept { return code_ & ~kInputBit; }
  constexpr std::uint32_t wire(std::uint32_t num_inputs) const noexcept {
    return is_input() ? index() : num_inputs + index();
  }

  friend constexpr bool operator==(Variable, Variable) noexcept = default;

 private:
  static constexpr std::uint32_t kInputBit = std::uint32_t{1} << 31;
  explicit constexpr Variable(std::uint32_t code) noexcept : code_(code) {}

  std::uint32_t code_;
};

}  // namespace cuzk::r1cs
