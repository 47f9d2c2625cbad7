// Powers of one base in bit-reversed order: value i is scale * base^br(i), 0 <= i < 2^log_size, br reversing log_size
// bits.
//
// Bit t of i has the weight 2^(log_size - 1 - t) in br(i), so value i is the product of base^(2^(log_size - 1 - t))
// over the bits t of i: log_size constants, and every next value is one product away from an earlier one.
// Representation: Montgomery, any Fp. Thread-safety: const methods concurrently. No allocation.
#pragma once

#include <array>
#include <bit>
#include <span>

#include "field/fp.h"

namespace cuzk {

template <class F> class BitReversedPowers {
 public:
  /// precondition: log_size <= 63.
  BitReversedPowers(const F& base, unsigned log_size, const F& scale = F::one()) noexcept : scale_(scale) {
    F power = base;
    for (unsigned t = log_size; t-- > 0;) {
      step_[t] = power;
      power = power.squared();
    }
  }

  F at(std::size_t i) const noexcept {
    F value = scale_;
    for (; i != 0; i &= i - 1) value *= step_[static_cast<unsigned>(std::countr_zero(i))];
    return value;
  }

  /// Values first, first + 1, ...; out.size() is a power of two that divides `first`.
  void fill(std::size_t first, std::span<F> out) const noexcept {
    out[0] = at(first);
    for (std::size_t half = 1; half < out.size(); half *= 2) {
      const F& step = step_[static_cast<unsigned>(std::countr_zero(half))];
      for (std::size_t i = 0; i < half; ++i) out[half + i] = out[i] * step;
    }
  }

 private:
  std::array<F, 64> step_;
  F scale_;
};

}  // namespace cuzk
