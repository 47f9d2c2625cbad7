#include "support/parallel_find.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"

namespace cuzk {
namespace {

TEST(ParallelFindFirst, IsTheSmallestIndexThatHolds) {
  std::mt19937_64 random(test::run_seed());
  Arena arena(4);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = random() % 3000;
    std::set<std::size_t> hits;
    for (std::size_t draws = random() % 4; draws > 0 && count > 0; --draws) hits.insert(random() % count);
    const std::optional<std::size_t> expected = hits.empty() ? std::nullopt : std::optional(*hits.begin());
    const auto holds = [&](std::size_t i) { return hits.contains(i); };
    EXPECT_EQ(parallel_find_first(arena, 0, count, 1 + random() % 100, holds), expected);
  }
}

}  // namespace
}  // namespace cuzk
