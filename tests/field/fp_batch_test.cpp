// Spans of elements on every path of this processor against one element at a time.
#include "field/fp_batch.h"

#include "support/cpu_path_scope.h"
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

  template <class Body> static void on_every_path(Body body) {
    const auto best = static_cast<int>(best_cpu_path(cpu_features()));
    for (int path = 0; path <= best; ++path) {
      const CpuPathScope scope(static_cast<CpuPath>(path));
      SCOPED_TRACE(to_string(active_cpu_path()));
      body();
    }
  }

  // Around multiples of any number of lanes up to 16.
  static constexpr std::size_t kSizes[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 1000};
  std::mt19937_64 random_{run_seed()};
};
TYPED_TEST_SUITE(Batches, PortablePrimeFields);

TYPED_TEST(Batches, MulIsElementwise) {
  using F = TypeParam;
  this->on_every_path([&] {
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
  });
}

TYPED_TEST(Batches, CanonicalAndBack) {
  using F = TypeParam;
  this->on_every_path([&] {
    for (const std::size_t n : this->kSizes) {
      const std::vector<F> elements = this->samples(n);
      std::vector<typename F::Repr> values(n);
      to_canonical_n(std::span(values), std::span<const F>(elements));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], elements[i].canonical());
      std::vector<F> back(n);
      from_canonical_n(std::span(back), std::span<const typename F::Repr>(values));
      EXPECT_EQ(back, elements);
    }
  });
}

TYPED_TEST(Batches, InversesOfManyAndZeros) {
  using F = TypeParam;
  this->on_every_path([&] {
    with_isa([&]<class Isa>() {
      for (const std::size_t n : {0u, 1u, 63u, 64u, 65u, 80u, 95u, 300u}) {
        std::vector<F> elements = this->samples(n), scratch(n), expected(n);
        for (std::size_t i = 0; i < n; ++i) expected[i] = elements[i].inverse();
        batch_inverse(view_as<Isa>(std::span(elements)), view_as<Isa>(std::span(scratch)));
        EXPECT_EQ(elements, expected);
        std::vector<F> zeros(n);
        batch_inverse(view_as<Isa>(std::span(zeros)), view_as<Isa>(std::span(scratch)));
        EXPECT_EQ(zeros, std::vector<F>(n));
      }
    });
  });
}

}  // namespace
}  // namespace cuzk::test
