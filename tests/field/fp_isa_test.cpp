// Every instruction set gives the same bytes, and the carry chains of limb_ops.h those of their portable twins.
#include "tests/field/prime_fields.h"

namespace cuzk::test {
namespace {

template <class P> class SameBytes : public testing::Test {
 protected:
  static constexpr int kRounds = 100'000;

  template <class Check> void on_pairs(Check check) {
    const std::vector<Fp<P>> edges = edge_elements<Fp<P>>();
    for (const auto& a : edges)
      for (const auto& b : edges) check(a, b);
    for (int i = 0; i < kRounds; ++i) check(biased_element<Fp<P>>(random_), biased_element<Fp<P>>(random_));
  }

  std::mt19937_64 random_{run_seed()};
};
using AllParams = testing::Types<Bn254FrParams, Bn254FqParams, Bls12_381FrParams, Bls12_381FqParams>;
TYPED_TEST_SUITE(SameBytes, AllParams);

TYPED_TEST(SameBytes, ProductsOfAdx) {
  if (const char* reason = reason_to_skip<Adx>()) GTEST_SKIP() << reason;
  using F = Fp<TypeParam>;
  this->on_pairs([](const F& a, const F& b) {
    const auto x = with_arithmetic<Adx>(a), y = with_arithmetic<Adx>(b);
    ASSERT_EQ((x * y).montgomery(), (a * b).montgomery());
    ASSERT_EQ(x.squared().montgomery(), a.squared().montgomery());
  });
}

TYPED_TEST(SameBytes, AdditionAndSubtraction) {
  using F = Fp<TypeParam>;
  this->on_pairs([](const F& a, const F& b) {
    ASSERT_EQ((a + b).montgomery(), limb_ops::add_portable(a.montgomery(), b.montgomery(), F::modulus));
    ASSERT_EQ((a - b).montgomery(), limb_ops::sub_portable(a.montgomery(), b.montgomery(), F::modulus));
    typename F::Repr sum = a.montgomery();
    sum.add(b.montgomery());
    ASSERT_EQ(limb_ops::reduce_once<typename F::Constants>(sum), limb_ops::reduce_once_portable(sum, F::modulus));
  });
}

}  // namespace
}  // namespace cuzk::test
