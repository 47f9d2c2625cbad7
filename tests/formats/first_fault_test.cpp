#include "formats/first_fault.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"

namespace cuzk::formats {
namespace {

TEST(FirstFault, IsTheSmallestBadIndex) {
  std::mt19937_64 random(test::run_seed());
  Arena arena(4);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = random() % 3000;
    std::set<std::size_t> bad;
    for (std::size_t faults = random() % 4; faults > 0 && count > 0; --faults) bad.insert(random() % count);
    const std::size_t expected = bad.empty() ? count : *bad.begin();
    EXPECT_EQ(first_fault(arena, count, 1 + random() % 100, [&](std::size_t i) { return !bad.contains(i); }), expected);
  }
}

}  // namespace
}  // namespace cuzk::formats
