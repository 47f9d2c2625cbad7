#include "r1cs/bitmap.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"

namespace cuzk::r1cs {
namespace {

TEST(Bitmap, IsASetOfIndices) {
  std::mt19937_64 random(test::run_seed());
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    Bitmap map(size);
    std::set<std::size_t> expected;
    for (std::size_t i = 0; i < size / 3; ++i) expected.insert(random() % size);
    for (const std::size_t i : expected) map.set(i);
    EXPECT_EQ(map.size(), size);
    EXPECT_EQ(map.count(), expected.size());
    std::vector<std::size_t> found;
    map.for_each([&](std::size_t i) { found.push_back(i); });
    EXPECT_EQ(found, std::vector<std::size_t>(expected.begin(), expected.end()));
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(map.test(i), expected.contains(i));
    for (std::size_t end = 0; end <= size; ++end) {
      EXPECT_EQ(map.count_below(end),
                static_cast<std::size_t>(std::distance(expected.begin(), expected.lower_bound(end))));
    }
  }
}

TEST(Bitmap, AnotherOneIsAddedAtAnyPlace) {
  std::mt19937_64 random(test::run_seed());
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = 1 + random() % 300, other_size = random() % (size + 1);
    const std::size_t at = random() % (size - other_size + 1);
    Bitmap map(size), other(other_size), expected(size);
    for (std::size_t i = 0; i < size; ++i) {
      if (random() % 4 != 0) continue;
      map.set(i);
      expected.set(i);
    }
    for (std::size_t i = 0; i < other_size; ++i) {
      if (random() % 2 != 0) continue;
      other.set(i);
      expected.set(at + i);
    }
    map.set_all(other, at);
    EXPECT_EQ(map, expected);
  }
}

}  // namespace
}  // namespace cuzk::r1cs
