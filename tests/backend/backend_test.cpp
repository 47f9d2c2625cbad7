#include "backend/backend.h"

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::backend {
namespace {

using test::must;

TEST(BlindingTest, RandomValuesDifferAndFixedOnesAreKept) {
  const auto x = must(Blinding<Bn254>::random());
  const auto y = must(Blinding<Bn254>::random());
  EXPECT_NE(x.r(), x.s());
  EXPECT_NE(x.r(), y.r());
  EXPECT_TRUE(x.zero_knowledge());
  const auto fixed = Blinding<Bn254>::fixed(U256::from_u64(5), U256::from_u64(7));
  EXPECT_EQ(fixed.r(), Bn254::Fr::from_u64(5));
  EXPECT_EQ(fixed.s(), Bn254::Fr::from_u64(7));
  EXPECT_FALSE(fixed.zero_knowledge());
}

}  // namespace
}  // namespace cuzk::backend
