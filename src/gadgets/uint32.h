// 32-bit words of a circuit, for SHA-256: bits, least significant first.
//
// Rotations and shifts are wiring; the others take one gate a bit, from bit 0 up, and fold where bits are constant
// (boolean.h). Thread-safety: values.
#pragma once

#include <array>
#include <span>

#include "gadgets/boolean.h"

namespace cuzk::gadgets {

class UInt32 {
 public:
  static constexpr unsigned kBits = 32;

  UInt32() noexcept : UInt32(constant(0)) {}
  static UInt32 constant(std::uint32_t value) noexcept {
    UInt32 word(value);
    for (unsigned i = 0; i < kBits; ++i) word.bits_[i] = Boolean::constant((value >> i & 1) != 0);
    return word;
  }
  /// precondition: 32 bits, most significant first.
  static UInt32 from_bits_be(std::span<const Boolean> bits) noexcept {
    UInt32 word(0);
    for (unsigned i = 0; i < kBits; ++i) word.put(i, bits[kBits - 1 - i]);
    return word;
  }
  /// The low 32 of bits that stand least significant first. precondition: at least 32.
  static UInt32 from_low_bits(std::span<const Boolean> bits) noexcept {
    UInt32 word(0);
    for (unsigned i = 0; i < kBits; ++i) word.put(i, bits[i]);
    return word;
  }

  const Boolean& operator[](unsigned i) const noexcept { return bits_[i]; }
  std::uint32_t value() const noexcept { return value_; }
  bool is_constant() const noexcept {
    for (const Boolean& bit : bits_) {
      if (!bit.is_constant()) return false;
    }
    return true;
  }

  /// precondition: count < 32.
  UInt32 rotated_right(unsigned count) const noexcept {
    UInt32 word(0);
    for (unsigned i = 0; i < kBits; ++i) word.put(i, bits_[(i + count) % kBits]);
    return word;
  }
  UInt32 shifted_right(unsigned count) const noexcept {
    UInt32 word(0);
    for (unsigned i = 0; i < kBits; ++i) word.put(i, i + count < kBits ? bits_[i + count] : Boolean::constant(false));
    return word;
  }

  /// The word whose bit i is gate(i).
  template <class Gate> static UInt32 bitwise(Gate&& gate) {
    UInt32 word(0);
    for (unsigned i = 0; i < kBits; ++i) word.put(i, gate(i));
    return word;
  }

 private:
  explicit UInt32(std::uint32_t value) noexcept : value_(value) {}
  void put(unsigned i, const Boolean& bit) noexcept {
    bits_[i] = bit;
    value_ |= std::uint32_t{bit.value()} << i;
  }

  std::array<Boolean, kBits> bits_;
  std::uint32_t value_;
};

template <r1cs::ConstraintSystem CS> UInt32 word_xor(CS& cs, const UInt32& a, const UInt32& b) {
  return UInt32::bitwise([&](unsigned i) { return bit_xor(cs, a[i], b[i]); });
}
template <r1cs::ConstraintSystem CS> UInt32 word_choose(CS& cs, const UInt32& a, const UInt32& b, const UInt32& c) {
  return UInt32::bitwise([&](unsigned i) { return choose(cs, a[i], b[i], c[i]); });
}
template <r1cs::ConstraintSystem CS> UInt32 word_majority(CS& cs, const UInt32& a, const UInt32& b, const UInt32& c) {
  return UInt32::bitwise([&](unsigned i) { return majority(cs, a[i], b[i], c[i]); });
}

}  // namespace cuzk::gadgets
