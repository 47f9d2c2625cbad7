#include "msm/digits.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/curve/samples.h"

namespace cuzk {
namespace {

using Fr = bn254::Fr;

std::vector<U256> mixed_scalars(test::Samples& samples, std::size_t n) {
  std::vector<U256> k(n);
  for (U256& v : k) {
    v = samples.scalar().shifted_right(static_cast<unsigned>(samples.word() % 256));
    if (!(v < Fr::modulus)) v = U256::from_u64(samples.word());
    if (samples.word() % 2 == 0) v = (-Fr::from_canonical(v)).canonical();
  }
  k[0] = U256::zero();
  k[1] = Fr::modulus.shifted_right(1);
  k[2] = (-Fr::one()).canonical();
  return k;
}

TEST(DigitsTest, ThePlanCoversAllBitsOnce) {
  test::Samples samples(21);
  for (int round = 0; round < 50; ++round) {
    LengthCounts counts{};
    for (int i = 0; i < 5; ++i) counts[samples.word() % 256] = samples.word() % (u64{1} << (samples.word() % 24));
    unsigned longest = 256;
    while (longest > 0 && counts[longest] == 0) --longest;
    const auto windows = plan_windows(counts);
    unsigned at = 0;
    for (const Window& w : windows) {
      EXPECT_EQ(w.at, at);
      EXPECT_GE(w.bits, 1u);
      EXPECT_LE(w.bits, kMaxWindowBits);
      at += w.bits;
    }
    EXPECT_EQ(at, longest == 0 ? 0 : longest + 1);
  }
}

/// sum over the windows of digit 2^at, read back from the bucket orders, is the scalar.
TEST(DigitsTest, BucketEntriesAddUpToTheScalars) {
  test::Samples samples(22);
  Arena arena(2);
  for (const std::size_t n : {3u, 100u, 20'000u}) {
    const auto k = mixed_scalars(samples, n);
    const Digits digits(arena, k, Fr::modulus);
    std::vector<Fr> sums(n, Fr::zero());
    BucketOrder order;
    for (std::size_t w = 0; w < digits.windows().size(); ++w) {
      order.sort(digits, w);
      const Fr weight = Fr::from_u64(2).pow(u64{digits.windows()[w].at});
      for (std::size_t c = 0; c < order.chunks(); ++c) {
        const auto entries = order.chunk(c);
        EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end(),
                                   [](const auto& a, const auto& b) { return a.bucket < b.bucket; }));
        for (const BucketEntry& e : entries) {
          ASSERT_LT(e.bucket, order.buckets());
          ASSERT_LT(e.index.index(), n);
          const Fr digit = Fr::from_u64(u64{e.bucket} + 1) * weight;
          sums[e.index.index()] += e.index.negative() ? -digit : digit;
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sums[i].canonical(), k[i]) << i;
  }
}

TEST(DigitsTest, ZerosAreDropped) {
  Arena arena(1);
  std::vector<U256> k(100, U256::zero());
  EXPECT_TRUE(Digits(arena, k, Fr::modulus).windows().empty());
  EXPECT_TRUE(Digits(arena, {}, Fr::modulus).windows().empty());
  k[42] = U256::from_u64(1);
  const Digits one(arena, k, Fr::modulus);
  ASSERT_EQ(one.indices().size(), 1u);
  EXPECT_EQ(one.indices()[0].index(), 42u);
}

/// -1, -2, ... are as short as 1, 2, ...
TEST(DigitsTest, NegativeScalarsAreShort) {
  Arena arena(1);
  const std::vector<U256> k(1000, (-Fr::from_u64(5)).canonical());
  const Digits digits(arena, k, Fr::modulus);
  EXPECT_LE(digits.windows().back().at + digits.windows().back().bits, 4u);
  EXPECT_TRUE(digits.indices()[0].negative());
}

}  // namespace
}  // namespace cuzk
