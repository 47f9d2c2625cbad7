// Damaged copies of a file for its parser. Each copy is an allocation of its exact size, so that a sanitizer sees the
// first byte read too far.
#pragma once

#include <random>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"
#include "tests/support/vectors.h"

namespace cuzk::test {

/// accepts(bytes) parses; every proper prefix must be refused.
template <class Accepts> void expect_prefixes_refused(const FileBytes& whole, Accepts accepts) {
  EXPECT_TRUE(accepts(FileBytes(whole)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(accepts(FileBytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))))
        << "accepted the first " << size << " of " << whole.size() << " bytes";
  }
}

/// Parses `rounds` copies with one to three random bytes changed; what comes out does not matter, only that it returns.
template <class Accepts> void survive_flips(const FileBytes& whole, std::size_t rounds, Accepts accepts) {
  std::mt19937_64 random(run_seed());
  for (std::size_t round = 0; round < rounds; ++round) {
    FileBytes damaged(whole);
    for (std::size_t change = 1 + random() % 3; change > 0; --change) {
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    }
    static_cast<void>(accepts(std::move(damaged)));
  }
}

}  // namespace cuzk::test
