// Distinct coefficients by number, for whoever compiles a circuit: 1 is number 0 and -1 number 1 from the start, as
// CompiledCircuit promises.
//
// A circuit has hundreds of millions of terms and a few thousand coefficients, so most questions are answered by one
// comparison: with 1, with -1, or with the entry of a small table that is indexed by a hash. Thread-safety: belongs to
// one thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "field/fp.h"

namespace cuzk::r1cs {

template <class Fr> class CoefficientDictionary {
 public:
  CoefficientDictionary();

  /// The coefficient's number; a new one when it was not met before.
  std::uint32_t intern(const Fr& coefficient) {
    if (coefficient == values_[0]) return 0;
    if (coefficient == values_[1]) return 1;
    const std::uint32_t recent = recent_[hash(coefficient) % kRecent];
    return values_[recent] == coefficient ? recent : find_or_add(coefficient);
  }
  const Fr& operator[](std::uint32_t number) const noexcept { return values_[number]; }
  std::size_t size() const noexcept { return values_.size(); }

  std::vector<Fr> take() && noexcept { return std::move(values_); }

 private:
  static constexpr std::size_t kRecent = 4096;  // 16 KiB of numbers

  static std::size_t hash(const Fr& coefficient) noexcept {
    u64 mixed = 0;
    for (const u64 limb : coefficient.montgomery().limb) mixed = (mixed ^ limb) * 0x9e3779b97f4a7c15 + (mixed >> 29);
    return mixed ^ mixed >> 32;
  }
  struct Hash {
    std::size_t operator()(const typename Fr::Repr& value) const noexcept { return hash(Fr::from_montgomery(value)); }
  };
  std::uint32_t find_or_add(const Fr& coefficient);

  std::vector<Fr> values_;
  std::vector<std::uint32_t> recent_;
  std::unordered_map<typename Fr::Repr, std::uint32_t, Hash> numbers_;
};

}  // namespace cuzk::r1cs
