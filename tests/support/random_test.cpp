#include "support/random.h"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

TEST(Random, FillsEveryByte) {
  // Larger than getrandom(2) gives at once when interrupted (256 bytes). A byte that stays zero in all of 16 fills has
  // probability 2^-128.
  std::vector<std::byte> seen(1000);
  for (int round = 0; round < 16; ++round) {
    std::vector<std::byte> fresh(seen.size());
    ASSERT_TRUE(fill_random(fresh));
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] |= fresh[i];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), std::byte{0}), 0);
  EXPECT_TRUE(fill_random({}));
}

TEST(Random, TwoFillsDiffer) {
  std::array<std::byte, 32> a{};
  std::array<std::byte, 32> b{};
  ASSERT_TRUE(fill_random(a));
  ASSERT_TRUE(fill_random(b));
  EXPECT_NE(a, b);
}

std::byte first_byte(RandomSource random) {
  std::array<std::byte, 4> out{};
  return random(out) ? out[0] : std::byte{0};
}

TEST(Random, ASourceCanBePutInItsPlace) {
  std::array<std::byte, 4> out{};
  EXPECT_TRUE(RandomSource(fill_random)(out));
  EXPECT_EQ(first_byte([](MutableBytes to) -> Status {
              std::fill(to.begin(), to.end(), std::byte{7});
              return {};
            }),
            std::byte{7});
  EXPECT_EQ(first_byte([](MutableBytes) -> Status { return fail(Code::unavailable, "no entropy"); }), std::byte{0});
}

}  // namespace
}  // namespace cuzk
