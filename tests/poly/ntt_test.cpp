// poly/ntt.h with every product implementation, against evaluation by Horner's rule.
#include "poly/ntt.h"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "poly/ntt_lanes.h"
#include "support/cpu_path_scope.h"
#include "tests/poly/ntt_reference.h"

namespace cuzk {
namespace {

template <class Field, class Products, RootFamily Family> struct Setting {
  using F = rebind_isa<Field, Products>;
  using Isa = Products;
  static constexpr RootFamily family = Family;
};

template <class S> class Ntt : public testing::Test {
 protected:
  using Element = typename S::F;

  void SetUp() override {
    if (std::is_same_v<typename S::Isa, Adx> && !(cpu_features().adx && cpu_features().bmi2))
      GTEST_SKIP() << "this processor has no BMI2 and ADX";
  }

  Element omega(std::size_t size) const {
    return Element::root_of_unity(S::family, static_cast<unsigned>(std::countr_zero(size)));
  }
  std::vector<Element> twiddles(std::size_t size) {
    std::vector<Element> table(size / 2);
    transform::build_twiddles(arena_, omega(size), std::span<Element>(table));
    return table;
  }
  std::vector<Element> random(std::size_t count) { return test::random_elements<Element>(count, random_); }

  std::vector<Element> ntt(std::vector<Element> a) {
    transform::ntt(arena_, std::span<const Element>(twiddles(a.size())), std::span<Element>(a));
    return a;
  }
  std::vector<Element> inverse_ntt(std::vector<Element> a) {
    transform::inverse_ntt(arena_, std::span<const Element>(twiddles(a.size())), std::span<Element>(a));
    return a;
  }
  std::vector<Element> to_coset(std::vector<Element> a, const Element& shift) {
    transform::to_coset(arena_, std::span<const Element>(twiddles(a.size())), shift, std::span<Element>(a));
    return a;
  }
  std::vector<Element> coset_to_coefficients(std::vector<Element> a, const Element& shift) {
    transform::coset_to_coefficients(arena_, std::span<const Element>(twiddles(a.size())), shift,
                                     std::span<Element>(a));
    return a;
  }
  std::vector<Element> lagrange_at(std::size_t size, const Element& x) {
    std::vector<Element> values(size);
    transform::lagrange_at(arena_, omega(size), x, std::span<Element>(values));
    return values;
  }

  std::mt19937_64 random_{test::run_seed()};
  Arena arena_{1};
};

using Settings = testing::Types<
    Setting<bn254::Fr, Portable, RootFamily::iden3>, Setting<bn254::Fr, Adx, RootFamily::iden3>,
    Setting<bn254::Fr, Portable, RootFamily::bellperson>, Setting<bn254::Fr, Adx, RootFamily::bellperson>,
    Setting<bls12_381::Fr, Portable, RootFamily::iden3>, Setting<bls12_381::Fr, Adx, RootFamily::iden3>,
    Setting<bls12_381::Fr, Portable, RootFamily::bellperson>, Setting<bls12_381::Fr, Adx, RootFamily::bellperson>>;
TYPED_TEST_SUITE(Ntt, Settings);

TYPED_TEST(Ntt, TwiddlesAreThePowersOfOmegaInBitReversedOrder) {
  for (const std::size_t size : {1U, 2U, 4U, 8U, 64U, 4096U}) {
    const auto table = this->twiddles(size);
    ASSERT_EQ(table.size(), size / 2);
    auto power = TypeParam::F::one();
    for (std::size_t e = 0; e < table.size(); ++e, power = power * this->omega(size)) {
      std::size_t k = 0;
      for (std::size_t bit = 1; bit < table.size(); bit *= 2) k = k * 2 + ((e & bit) != 0 ? 1 : 0);
      ASSERT_EQ(table[k], power) << "size " << size << " exponent " << e;
    }
  }
}

TYPED_TEST(Ntt, MatchesTheNaiveTransform) {
  for (std::size_t size = 1; size <= 256; size *= 2) {
    const auto a = this->random(size);
    ASSERT_EQ(this->ntt(a), test::naive_values(a, this->omega(size))) << "size " << size;
  }
}

TYPED_TEST(Ntt, MatchesEvaluationAtSomePointsOfLargeDomains) {
  for (const std::size_t size :
       {std::size_t{1} << 10, std::size_t{1} << 11, std::size_t{1} << 14, std::size_t{1} << 18}) {
    const auto a = this->random(size);
    const auto values = this->ntt(a);
    for (int i = 0; i < 4; ++i) {
      const std::size_t j = this->random_() % size;
      ASSERT_EQ(values[j], test::evaluate<typename TypeParam::F>(a, this->omega(size).pow(j))) << size << " at " << j;
    }
  }
}

TYPED_TEST(Ntt, InverseUndoesIt) {
  for (std::size_t size = 1; size <= std::size_t{1} << 14; size *= 2) {
    const auto a = this->random(size);
    ASSERT_EQ(this->inverse_ntt(this->ntt(a)), a) << "size " << size;
    ASSERT_EQ(this->ntt(this->inverse_ntt(a)), a) << "size " << size;
  }
}

TYPED_TEST(Ntt, ValuesAreCanonical) {
  using F = typename TypeParam::F;
  const std::vector<F> extremes(1024, -F::one());
  for (const auto& values :
       {this->ntt(extremes), this->inverse_ntt(extremes), this->to_coset(extremes, F::from_u64(7))})
    for (const F& v : values) ASSERT_LT(v.montgomery(), F::modulus);
}

/// One tile and several, one wide pass and two; elements often at the edges, and all the largest.
TYPED_TEST(Ntt, LanesGiveTheSameBytes) {
  using F = typename TypeParam::F;
  if (!transform::kHasLaneStages<F>) return;  // nothing to compare
  if (best_cpu_path(cpu_features()) != CpuPath::ifma) GTEST_SKIP() << "this processor has no AVX-512 IFMA";
  for (const unsigned log_size : {9u, 10u, 13u, 18u}) {
    SCOPED_TRACE(log_size);
    const std::size_t size = std::size_t{1} << log_size;
    auto edges = this->random(size);
    for (F& x : edges) x = test::biased_element<F>(this->random_);
    std::vector<std::vector<F>> inputs{edges};
    if (log_size < 18) inputs.emplace_back(size, -F::one());
    for (const auto& a : inputs) {
      const auto by = [&](CpuPath path) {
        const CpuPathScope scope(path);
        const F shift = F::from_u64(7);
        return std::vector{this->ntt(a), this->inverse_ntt(a), this->to_coset(a, shift),
                           this->coset_to_coefficients(a, shift)};
      };
      ASSERT_EQ(by(CpuPath::ifma), by(CpuPath::adx));
    }
  }
}

TYPED_TEST(Ntt, IsLinear) {
  using F = typename TypeParam::F;
  const std::size_t size = 2048;
  const auto a = this->random(size);
  const auto b = this->random(size);
  const F factor = test::biased_element<F>(this->random_);
  std::vector<F> combined;
  std::vector<F> expected;
  const auto a_values = this->ntt(a);
  const auto b_values = this->ntt(b);
  for (std::size_t i = 0; i < size; ++i) {
    combined.push_back(a[i] + factor * b[i]);
    expected.push_back(a_values[i] + factor * b_values[i]);
  }
  EXPECT_EQ(this->ntt(combined), expected);
}

TYPED_TEST(Ntt, ProductsOfValuesAreConvolutions) {
  using F = typename TypeParam::F;
  for (const std::size_t size : {1U, 2U, 4U, 8U, 128U}) {
    const auto a = this->random(size);
    const auto b = this->random(size);
    std::vector<F> cyclic(size, F::zero());
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) cyclic[(i + j) % size] += a[i] * b[j];
    auto product = this->ntt(a);
    const auto b_values = this->ntt(b);
    for (std::size_t i = 0; i < size; ++i) product[i] *= b_values[i];
    EXPECT_EQ(this->inverse_ntt(product), cyclic) << "size " << size;
  }
}

TYPED_TEST(Ntt, CosetValuesAreEvaluations) {
  using F = typename TypeParam::F;
  for (std::size_t size = 1; size <= 256; size *= 2) {
    const auto a = this->random(size);
    const auto values = this->ntt(a);
    const F shifts[] = {this->omega(2 * size), F::from_u64(7), F::one()};
    for (const F& shift : shifts)
      ASSERT_EQ(this->to_coset(values, shift), test::naive_values(a, this->omega(size), shift)) << "size " << size;
  }
}

TYPED_TEST(Ntt, CosetValuesOfLargeDomains) {
  using F = typename TypeParam::F;
  for (const std::size_t size : {std::size_t{1} << 11, std::size_t{1} << 13, std::size_t{1} << 18}) {
    const auto a = this->random(size);
    const F shift = this->omega(2 * size);
    const auto values = this->to_coset(this->ntt(a), shift);
    for (int i = 0; i < 4; ++i) {
      const std::size_t j = this->random_() % size;
      ASSERT_EQ(values[j], test::evaluate<F>(a, shift * this->omega(size).pow(j))) << size << " at " << j;
    }
  }
}

TYPED_TEST(Ntt, CoefficientsComeBackFromTheCoset) {
  using F = typename TypeParam::F;
  for (std::size_t size = 1; size <= std::size_t{1} << 13; size *= 2) {
    const auto a = this->random(size);
    for (const F& shift : {this->omega(2 * size), F::from_u64(7)})
      ASSERT_EQ(this->coset_to_coefficients(this->to_coset(this->ntt(a), shift), shift), a) << "size " << size;
  }
}

TYPED_TEST(Ntt, EveryThreadCountGivesTheSameBytes) {
  using F = typename TypeParam::F;
  for (int i = 0; i < 3; ++i) {
    const std::size_t size = std::size_t{1} << (9 + this->random_() % 6);
    const auto a = this->random(size);
    std::vector<std::vector<F>> results;
    for (const unsigned threads : {1U, 2U, 5U}) {
      this->arena_ = Arena(threads);
      for (const auto& r : {this->twiddles(size), this->ntt(a), this->inverse_ntt(a), this->to_coset(a, F::from_u64(7)),
                            this->coset_to_coefficients(a, F::from_u64(7)), this->lagrange_at(size, F::from_u64(3))})
        results.push_back(r);
    }
    for (std::size_t r = 6; r < results.size(); ++r) ASSERT_EQ(results[r], results[r - 6]) << "result " << r;
  }
}

TYPED_TEST(Ntt, LagrangeValuesInterpolate) {
  using F = typename TypeParam::F;
  for (const std::size_t size : {1U, 2U, 4U, 8U, 256U, 1024U, 4096U}) {
    const F x = F::from_u64(this->random_()) + F::from_u64(2);
    const auto basis = this->lagrange_at(size, x);
    const auto a = this->random(size);
    const auto values = this->ntt(a);
    F sum = F::zero();
    F interpolated = F::zero();
    for (std::size_t j = 0; j < size; ++j) {
      sum += basis[j];
      interpolated += basis[j] * values[j];
    }
    EXPECT_EQ(sum, F::one()) << "size " << size;
    EXPECT_EQ(interpolated, test::evaluate<F>(a, x)) << "size " << size;
  }
}

}  // namespace
}  // namespace cuzk
