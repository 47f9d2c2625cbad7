#include "field/fp_batch.h"

#include "tests/field/prime_fields.h"

namespace cuzk::test {
namespace {

template <class F> class Batches : public testing::Test {
 protected:
  std::vector<F> samples(std::size_t n) {
    std::vector<F> v(n);
    for (F& x : v) x = biased_element<F>(random_);
    return v;
  }

  // Around multiples of any number of lanes up to 16.
  static constexpr std::size_t kSizes[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 1000};
  std::mt19937_64 random_{run_seed()};
};
TYPED_TEST_SUITE(Batches, PortablePrimeFields);

TYPED_TEST(Batches, MulIsElementwise) {
  using F = TypeParam;
  for (const std::size_t n : this->kSizes) {
    const std::vector<F> a = this->samples(n), b = this->samples(n);
    std::vector<F> out(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = a[i] * b[i];
    mul_n(std::span(out), a, b);
    EXPECT_EQ(out, expected);
    std::vector<F> in_place = a;
    mul_n(std::span(in_place), in_place, b);
    EXPECT_EQ(in_place, expected);
    for (std::size_t i = 0; i < n; ++i) expected[i] = a[i] * a[i];
    in_place = a;
    mul_n(std::span(in_place), in_place, in_place);
    EXPECT_EQ(in_place, expected);
  }
}

TYPED_TEST(Batches, CanonicalAndBack) {
  using F = TypeParam;
  for (const std::size_t n : this->kSizes) {
    const std::vector<F> elements = this->samples(n);
    std::vector<typename F::Repr> values(n);
    to_canonical_n(std::span(values), std::span<const F>(elements));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], elements[i].canonical());
    std::vector<F> back(n);
    from_canonical_n(std::span(back), std::span<const typename F::Repr>(values));
    EXPECT_EQ(back, elements);
  }
}

}  // namespace
}  // namespace cuzk::test
