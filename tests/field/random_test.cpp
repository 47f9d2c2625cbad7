#include "field/random.h"

#include <algorithm>

#include "tests/field/prime_fields.h"
#include "tests/support/must.h"

namespace cuzk::test {
namespace {

template <class F> class RandomElements : public testing::Test {};
TYPED_TEST_SUITE(RandomElements, PortablePrimeFields);

/// Hands out the given values, little endian, then fails.
template <class Repr> class Script {
 public:
  explicit Script(std::vector<Repr> values) : values_(std::move(values)) {}
  Status operator()(MutableBytes out) {
    if (next_ == values_.size()) return fail(Code::unavailable, "no more bytes");
    const auto bytes = std::as_bytes(std::span(values_[next_++].limb));
    std::copy(bytes.begin(), bytes.end(), out.begin());
    return {};
  }

 private:
  std::vector<Repr> values_;
  std::size_t next_ = 0;
};

TYPED_TEST(RandomElements, TakesValuesBelowTheModulusAndRejectsTheRest) {
  using F = TypeParam;
  using Repr = typename F::Repr;
  Repr above = F::modulus;
  above.add(Repr::from_u64(1));
  Repr excess_bits = Repr::from_u64(7);
  excess_bits.limb[F::limbs - 1] = u64{1} << 63;  // beyond the modulus's length: dropped
  Script<Repr> script({Repr::from_u64(5), F::modulus, above, F::Constants::p_minus_1, excess_bits, F::modulus});
  EXPECT_EQ(must(random_element<F>(script)), F::from_u64(5));
  EXPECT_EQ(must(random_element<F>(script)), -F::one());
  EXPECT_EQ(must(random_element<F>(script)), F::from_u64(7));
  const Result<F> failed = random_element<F>(script);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Code::unavailable);
}

TYPED_TEST(RandomElements, ABrokenSourceIsAnErrorNotALoop) {
  using F = TypeParam;
  const Result<F> stuck = random_element<F>([](MutableBytes out) -> Status {
    std::fill(out.begin(), out.end(), std::byte{0xff});
    return {};
  });
  ASSERT_FALSE(stuck);
  EXPECT_EQ(stuck.error().code(), Code::internal);
}

TYPED_TEST(RandomElements, AreSpreadOverTheField) {
  using F = TypeParam;
  std::mt19937_64 engine(run_seed());
  const auto source = [&](MutableBytes out) -> Status {
    for (std::byte& b : out) b = static_cast<std::byte>(engine());
    return {};
  };
  // Tenths of [0, p): with 10,000 draws each holds 1000 +- 30 (one sigma); ten sigma never fail by chance.
  std::array<int, 10> count{};
  for (int i = 0; i < 10'000; ++i) {
    const F x = must(random_element<F>(source));
    const double top = static_cast<double>(x.canonical().limb[F::limbs - 1]);
    ++count[std::min(std::size_t{9},
                     static_cast<std::size_t>(10 * top / static_cast<double>(F::modulus.limb[F::limbs - 1])))];
  }
  for (const int c : count) EXPECT_NEAR(c, 1000, 300);
}

TYPED_TEST(RandomElements, FromTheOperatingSystem) {
  using F = TypeParam;
  EXPECT_NE(must(random_element<F>(fill_random)), must(random_element<F>(fill_random)));
}

}  // namespace
}  // namespace cuzk::test
