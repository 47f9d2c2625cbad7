// Batches of additions by lanes against the scalar twin, and that against points: equal, opposite and identity
// operands, x = 0, targets among the operands.
#include <vector>

#include <gtest/gtest.h>

#include "curve/batch_add_impl.h"
#include "support/cpu_features.h"
#include "tests/curve/samples.h"

namespace cuzk::affine_detail {
namespace {

struct CountingLookahead {
  std::size_t steps = 0;
  void step() noexcept { ++steps; }
};

template <class F> struct TestOperands {
  const std::vector<Affine<F>>& lefts;
  const std::vector<Affine<F>>& rights;

  std::size_t size() const noexcept { return rights.size(); }
  const Affine<F>& left(std::size_t i) const noexcept { return lefts[i]; }
  const Affine<F>& right(std::size_t i) const noexcept { return rights[i]; }
  std::uint32_t target(std::size_t i) const noexcept { return static_cast<std::uint32_t>(i); }
};

template <class C> class LaneAdditions : public testing::Test {
 protected:
  using Element = rebind_isa<typename C::Fq, Adx>;
  using Operand = Affine<Element>;
  static constexpr std::size_t kCapacity = 1024;

  void SetUp() override {
    const CpuFeatures& cpu = cpu_features();
    if (!(cpu.avx512_ifma && cpu.adx && cpu.bmi2)) GTEST_SKIP() << "this processor has no AVX-512 IFMA";
    if (!kHasLaneAdder<Element>) GTEST_SKIP() << "built without lanes";
    for (Operand& p : pool) p = with_arithmetic<Adx>(test::random_curve_point<test::G1Of<C>>(samples));
    pool.push_back(Operand::identity());
  }

  Operand any() { return pool[samples.word() % pool.size()]; }

  /// Sums that overwrite the left operands.
  std::vector<Operand> sums(bool lanes, std::vector<Operand> lefts, const std::vector<Operand>& rights) {
    BatchAdder<Element> adder(kCapacity, lanes);
    CountingLookahead lookahead;
    adder.add_batch(TestOperands<Element>{lefts, rights}, lefts.data(), lookahead);
    EXPECT_GE(lookahead.steps, rights.size());
    return lefts;
  }
  void expect_sums(const std::vector<Operand>& lefts, const std::vector<Operand>& rights) {
    const auto by_lanes = sums(true, lefts, rights);
    ASSERT_EQ(by_lanes, sums(false, lefts, rights));
    for (std::size_t i = 0; i < rights.size(); i += 37) {
      ASSERT_EQ(by_lanes[i], (Point<Element>::from_affine(lefts[i]) + rights[i]).to_affine()) << i;
    }
  }

  test::Samples samples{41};
  std::vector<Operand> pool = std::vector<Operand>(60);
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(LaneAdditions, Curves);

TYPED_TEST(LaneAdditions, OfAnySize) {
  for (const std::size_t n : {1u, 31u, 32u, 33u, 47u, 48u, 49u, 1000u, 1023u, 1024u}) {
    SCOPED_TRACE(n);
    std::vector<typename TestFixture::Operand> lefts(n), rights(n);
    for (std::size_t i = 0; i < n; ++i) lefts[i] = this->any(), rights[i] = this->any();
    this->expect_sums(lefts, rights);
  }
}

TYPED_TEST(LaneAdditions, OfSpecialOperands) {
  using F = typename TestFixture::Element;
  using A = typename TestFixture::Operand;
  constexpr std::size_t n = 200;
  const A no_x{F::zero(), this->pool[0].y};  // of another curve y^2 = x^3 + b: the formulas do not know b
  const auto all = [&](auto right_of) {
    std::vector<A> lefts(n), rights(n);
    for (std::size_t i = 0; i < n; ++i) lefts[i] = this->any(), rights[i] = right_of(lefts[i]);
    this->expect_sums(lefts, rights);
    this->expect_sums(rights, lefts);
  };
  all([](const A& p) { return p; });
  all([](const A& p) { return -p; });
  all([](const A&) { return A::identity(); });
  all([&](const A&) { return no_x; });
  all([&](const A& p) {
    const A choices[] = {p, -p, A::identity(), no_x, this->any()};
    return choices[this->samples.word() % 5];
  });
}

/// Coordinates at the edges, on no curve: both twins compute the same line.
TYPED_TEST(LaneAdditions, OfExtremeCoordinates) {
  using F = typename TestFixture::Element;
  for (int round = 0; round < 20; ++round) {
    std::vector<typename TestFixture::Operand> lefts(512), rights(512);
    for (std::size_t i = 0; i < lefts.size(); ++i) {
      lefts[i] = {this->samples.template element<F>(), this->samples.template element<F>()};
      rights[i] = {this->samples.template element<F>(), this->samples.template element<F>()};
      const auto& [x, y] = lefts[i];
      if (y.is_zero() && rights[i].x == x) rights[i].x = x + F::one();  // a double that would divide by zero
    }
    ASSERT_EQ(this->sums(true, lefts, rights), this->sums(false, lefts, rights));
  }
}

}  // namespace
}  // namespace cuzk::affine_detail
