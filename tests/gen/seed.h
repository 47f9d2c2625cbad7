// The seed of a test run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace cuzk::test {

/// CUZK_SEED, else a random number; printed once.
inline std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char* chosen = std::getenv("CUZK_SEED");
    const std::uint64_t s = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : std::random_device{}();
    std::cout << "seed " << s << " (repeat with CUZK_SEED)" << std::endl;
    return s;
  }();
  return seed;
}

}  // namespace cuzk::test
