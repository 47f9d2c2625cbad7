#include "support/checked.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cuzk {
namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

TEST(Checked, HoldsAtTheEdge) {
  EXPECT_EQ(checked_mul(kMax, 1), kMax);
  EXPECT_EQ(checked_mul(kMax, 0), 0U);
  EXPECT_EQ(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 32), std::nullopt);
  EXPECT_EQ(checked_add(kMax, 0), kMax);
  EXPECT_EQ(checked_add(kMax, 1), std::nullopt);
}

RC_GTEST_PROP(Checked, AgreesWith128Bits, (std::uint64_t a, std::uint64_t b, std::uint8_t shift)) {
  b >>= shift % 64;  // products on both sides of the edge
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  const Wide sum = static_cast<Wide>(a) + b;
  RC_ASSERT(checked_mul(a, b).has_value() == (product <= kMax));
  RC_ASSERT(checked_mul(a, b).value_or(0) == (product <= kMax ? static_cast<std::uint64_t>(product) : 0));
  RC_ASSERT(checked_add(a, b).has_value() == (sum <= kMax));
}

}  // namespace
}  // namespace cuzk
