// Products and sums of sizes that would not fit into 64 bits are no value instead of a wrong one.
//
// Units: bytes or elements, as the caller names them. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>

namespace cuzk {

constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace cuzk
