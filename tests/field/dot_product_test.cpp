#include "field/dot_product.h"

#include <gtest/gtest.h>

#include "field/fp_batch.h"
#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk {
namespace {

template <class F> class DotProductTest : public testing::Test {
 protected:
  static constexpr std::size_t kMaxTerms = 24;

  static std::vector<F> elements(std::mt19937_64& random) {
    std::vector<F> v(kMaxTerms);
    for (F& x : v) x = test::biased_element<F>(random);
    return v;
  }
  template <std::size_t kTerms>
  static void expect_sums(std::span<const F> a, std::span<const F> b, std::span<const u64> small) {
    F sum = F::zero(), small_sum = F::zero();
    for (std::size_t i = 0; i < kTerms; ++i) {
      sum += a[i] * b[i];
      small_sum += a[i] * F::from_u64(small[i]);
    }
    EXPECT_EQ((dot_product<kTerms>(a.data(), b.data())), sum);
    const F power = F::from_canonical({{0, 1, 0, 0}});  // 2^64
    EXPECT_EQ((dot_product_small<kTerms>(a.data(), small.data())) * power, small_sum);
  }
};
using Fields = testing::Types<Fp<Bls12_381FrParams, Portable>, Fp<Bn254FrParams, Portable>
#if defined(__x86_64__)
                              ,
                              Fp<Bls12_381FrParams, Adx>, Fp<Bn254FrParams, Adx>
#endif
                              >;
TYPED_TEST_SUITE(DotProductTest, Fields);

template <class F> bool runs_here() {
  const CpuFeatures& cpu = cpu_features();
  return std::is_same_v<F, Fp<typename F::Params, Portable>> || (cpu.bmi2 && cpu.adx);
}

TYPED_TEST(DotProductTest, AreSumsOfProducts) {
  using F = TypeParam;
  if (!runs_here<F>()) GTEST_SKIP() << "no BMI2 and ADX here";
  std::mt19937_64 random(test::run_seed());
  std::vector<u64> small(this->kMaxTerms);
  for (int run = 0; run < 500; ++run) {
    const auto a = this->elements(random), b = this->elements(random);
    for (u64& x : small) x = random() >> (8 + random() % 56);
    this->template expect_sums<1>(a, b, small);
    this->template expect_sums<2>(a, b, small);
    this->template expect_sums<9>(a, b, small);
    this->template expect_sums<17>(a, b, small);
    this->template expect_sums<24>(a, b, small);
  }
}

TYPED_TEST(DotProductTest, TheLargestSums) {
  using F = TypeParam;
  if (!runs_here<F>()) GTEST_SKIP() << "no BMI2 and ADX here";
  F largest = F::from_montgomery(F::Constants::p_minus_1);
  const std::vector<F> all(this->kMaxTerms, largest);
  const std::vector<u64> small(this->kMaxTerms, (u64{1} << 56) - 1);
  this->template expect_sums<1>(all, all, small);
  this->template expect_sums<24>(all, all, small);
}

TYPED_TEST(DotProductTest, ReductionAlone) {
  using F = TypeParam;
  if (!runs_here<F>()) GTEST_SKIP() << "no BMI2 and ADX here";
  std::mt19937_64 random(test::run_seed());
  for (int run = 0; run < 2000; ++run) {
    const F x = test::biased_element<F>(random);
    EXPECT_EQ(reduced_value(x), x.canonical());
  }
  EXPECT_EQ(reduced_value(F::zero()), U256::zero());
}

}  // namespace
}  // namespace cuzk
