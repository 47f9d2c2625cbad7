#include "groth16/setup.h"

#include <gtest/gtest.h>

#include "tests/groth16/exponents.h"
#include "tests/support/must.h"

namespace cuzk::groth16 {
namespace {

template <class C> class SetupTest : public testing::Test {
 protected:
  using Scalar = typename C::Fr;

  static void expect_g1(const std::vector<typename C::G1Affine>& points, const std::vector<Scalar>& exponents,
                        const char* query) {
    ASSERT_EQ(points.size(), exponents.size()) << query;
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i], test::in_g1<C>(exponents[i])) << query << i;
  }

  static void expect_key(const ProvingKey<C>& key, const TrapdoorValues<Scalar>& t,
                         const test::KeyExponents<Scalar>& exponents) {
    EXPECT_EQ(key.domain_size, exponents.domain_size);
    expect_g1(key.a, exponents.a, "a");
    expect_g1(key.b_g1, exponents.b, "b_g1");
    expect_g1(key.l, exponents.l, "l");
    expect_g1(key.h, exponents.h, "h");
    expect_g1(key.vk.ic, exponents.ic, "ic");
    ASSERT_EQ(key.b_g2.size(), exponents.b.size());
    for (std::size_t i = 0; i < exponents.b.size(); ++i) EXPECT_EQ(key.b_g2[i], test::in_g2<C>(exponents.b[i]));
    EXPECT_EQ(key.vk.alpha_g1, test::in_g1<C>(t.alpha));
    EXPECT_EQ(key.vk.beta_g1, test::in_g1<C>(t.beta));
    EXPECT_EQ(key.vk.beta_g2, test::in_g2<C>(t.beta));
    EXPECT_EQ(key.vk.gamma_g2, test::in_g2<C>(t.gamma));
    EXPECT_EQ(key.vk.delta_g1, test::in_g1<C>(t.delta));
    EXPECT_EQ(key.vk.delta_g2, test::in_g2<C>(t.delta));
  }

  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(SetupTest, Curves);

TYPED_TEST(SetupTest, AllPointsAreThoseOfTheDefinition) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const test::CircuitShape shapes[] = {{1, 0, 1}, {2, 1, 3}, {3, 2, 0}, {5, 0, 4}, {40, 3, 25}};
  for (const auto& shape : shapes) {
    const auto satisfied = test::random_circuit<Fr>(shape, this->random);
    const auto t = test::random_trapdoor<Fr>(this->random);
    for (const QuotientBasis basis : {QuotientBasis::coset_monomials, QuotientBasis::odd_coset_lagrange}) {
      for (const RootFamily roots : {RootFamily::iden3, RootFamily::bellperson}) {
        const auto key = test::must(setup<C>(this->arena, satisfied.circuit, Trapdoor<Fr>::given(t), basis, roots));
        this->expect_key(key, t, test::slow_key(satisfied.circuit, t, basis, roots));
        EXPECT_EQ(key.num_variables, satisfied.circuit.num_variables());
        EXPECT_EQ(key.num_public(), shape.num_public);
      }
    }
  }
}

TYPED_TEST(SetupTest, RandomTrapdoorsDifferAndHaveGammaOne) {
  using Fr = typename TypeParam::Fr;
  const auto x = test::must(Trapdoor<Fr>::random());
  const auto y = test::must(Trapdoor<Fr>::random());
  EXPECT_NE(x.values().tau, y.values().tau);
  EXPECT_NE(x.values().alpha, x.values().beta);
  EXPECT_TRUE(x.values().gamma.is_one());
}

TYPED_TEST(SetupTest, FailureOfTheRandomSourceIsPassedOn) {
  using Fr = typename TypeParam::Fr;
  const auto trapdoor =
      Trapdoor<Fr>::random([](MutableBytes) -> Status { return fail(Code::unavailable, "no randomness"); });
  ASSERT_FALSE(trapdoor);
  EXPECT_EQ(trapdoor.error().code(), Code::unavailable);
}

TYPED_TEST(SetupTest, DegenerateTrapdoorsAreRefused) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const auto circuit = test::random_circuit<Fr>({3, 0, 2}, this->random).circuit;  // domain 4
  auto expect_refused = [&](const TrapdoorValues<Fr>& t) {
    const auto key =
        setup<C>(this->arena, circuit, Trapdoor<Fr>::given(t), QuotientBasis::odd_coset_lagrange, RootFamily::iden3);
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().code(), Code::invalid_argument);
  };
  const auto good = test::random_trapdoor<Fr>(this->random);
  for (Fr TrapdoorValues<Fr>::* value :
       {&TrapdoorValues<Fr>::tau, &TrapdoorValues<Fr>::alpha, &TrapdoorValues<Fr>::beta, &TrapdoorValues<Fr>::gamma,
        &TrapdoorValues<Fr>::delta}) {
    auto t = good;
    t.*value = Fr::zero();
    expect_refused(t);
  }
  auto t = good;
  t.tau = Fr::root_of_unity(RootFamily::iden3, 3);
  expect_refused(t);
}

/// Notes the calls and checks what the interface promises.
template <class C> class CheckingSink final : public KeySink<C> {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  Status begin(const KeyShape& shape, const VerifyingKey<C>& vk) override {
    EXPECT_TRUE(calls.empty());
    EXPECT_EQ(vk.ic.size(), shape.num_public + 1);
    calls = "vk";
    return {};
  }
  Status begin_query(KeyQuery query, std::size_t size, std::size_t finite) override {
    EXPECT_EQ(missing, 0u);
    calls += " " + std::string(name_of(query));
    if (calls == fail_at) return fail(Code::exhausted, "the sink is full");
    query_size = size;
    missing = finite;
    next = 0;
    return {};
  }
  Status append(std::span<const std::uint32_t> positions, std::span<const G1> points) override {
    EXPECT_FALSE(calls.ends_with("b_g2"));
    if (calls.ends_with(" h")) {
      for (std::size_t i = 0; i < points.size(); ++i) h.emplace_back(positions[i], points[i]);
    }
    return take(positions, points);
  }
  Status append(std::span<const std::uint32_t> positions, std::span<const G2> points) override {
    EXPECT_TRUE(calls.ends_with("b_g2"));
    return take(positions, points);
  }

  std::string calls, fail_at;
  std::size_t query_size = 0, missing = 0, next = 0;
  std::vector<std::pair<std::uint32_t, G1>> h;

 private:
  template <class A> Status take(std::span<const std::uint32_t> positions, std::span<const A> points) {
    EXPECT_EQ(positions.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_GE(positions[i], next);
      EXPECT_LT(positions[i], query_size);
      EXPECT_FALSE(points[i].is_identity());
      next = positions[i] + std::size_t{1};
    }
    EXPECT_LE(points.size(), missing);
    missing -= points.size();
    return {};
  }
};

TYPED_TEST(SetupTest, SinksGetFinitePointsInOrder) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const auto circuit = test::random_circuit<Fr>({40, 3, 25}, this->random).circuit;
  const auto trapdoor = Trapdoor<Fr>::given(test::random_trapdoor<Fr>(this->random));
  CheckingSink<C> sink;
  test::must(setup<C>(this->arena, circuit, trapdoor, QuotientBasis::coset_monomials, RootFamily::bellperson, sink));
  EXPECT_EQ(sink.calls, "vk h l a b_g1 b_g2");
  EXPECT_EQ(sink.missing, 0u);
}

TYPED_TEST(SetupTest, ErrorsOfTheSinkArePassedOn) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const auto circuit = test::random_circuit<Fr>({3, 0, 2}, this->random).circuit;
  const auto trapdoor = Trapdoor<Fr>::given(test::random_trapdoor<Fr>(this->random));
  CheckingSink<C> sink;
  sink.fail_at = "vk h l";
  const Status status =
      setup<C>(this->arena, circuit, trapdoor, QuotientBasis::coset_monomials, RootFamily::bellperson, sink);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::exhausted);
}

/// The CPU's, in small calls that it counts; fails at one of them.
template <class C> class CountingMultiples final : public GeneratorMultiples<C> {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  explicit CountingMultiples(Arena& arena, unsigned fail_at = ~0U)
      : cpu_(cpu_multiples<C>(arena, 100, 100)), fail_at_(fail_at) {}

  Status in_g1(std::span<const U256> scalars, std::span<G1> out) override {
    if (calls++ == fail_at_) return fail(Code::device, "the device is lost");
    largest = std::max(largest, scalars.size());
    return cpu_->in_g1(scalars, out);
  }
  Status in_g2(std::span<const U256> scalars, std::span<G2> out) override {
    if (calls++ == fail_at_) return fail(Code::device, "the device is lost");
    largest = std::max(largest, scalars.size());
    return cpu_->in_g2(scalars, out);
  }
  std::size_t scalars_per_call() const noexcept override { return 7; }

  unsigned calls = 0;
  std::size_t largest = 0;

 private:
  std::unique_ptr<GeneratorMultiples<C>> cpu_;
  unsigned fail_at_;
};

TYPED_TEST(SetupTest, WhoeverMakesThePointsTheKeyIsTheSame) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const auto circuit = test::random_circuit<Fr>({40, 3, 25}, this->random).circuit;
  const auto t = test::random_trapdoor<Fr>(this->random);
  const auto trapdoor = Trapdoor<Fr>::given(t);
  for (const QuotientBasis basis : {QuotientBasis::coset_monomials, QuotientBasis::odd_coset_lagrange}) {
    CountingMultiples<C> multiples(this->arena);
    const auto key = test::must(setup<C>(this->arena, circuit, trapdoor, basis, RootFamily::iden3, {}, &multiples));
    this->expect_key(key, t, test::slow_key(circuit, t, basis, RootFamily::iden3));
    EXPECT_GT(multiples.calls, 15U);
    EXPECT_LE(multiples.largest, 7U);
  }
}

TYPED_TEST(SetupTest, ErrorsOfWhoMakesThePointsArePassedOn) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const auto circuit = test::random_circuit<Fr>({3, 0, 2}, this->random).circuit;
  const auto trapdoor = Trapdoor<Fr>::given(test::random_trapdoor<Fr>(this->random));
  for (const unsigned at : {0U, 1U, 4U}) {
    CountingMultiples<C> multiples(this->arena, at);
    const auto key = setup<C>(this->arena, circuit, trapdoor, QuotientBasis::coset_monomials, RootFamily::bellperson,
                              {}, &multiples);
    ASSERT_FALSE(key) << at;
    EXPECT_EQ(key.error().code(), Code::device);
  }
}

/// More rows than a chunk: x_i^2 = x_{i+1}.
TEST(LargeSetupTest, ChunksMeet) {
  using C = Bls12_381;
  using Fr = C::Fr;
  std::mt19937_64 random{test::run_seed()};
  constexpr std::uint32_t kRows = 66'000;
  r1cs::CircuitBuilder<Fr> builder(kRows + 2, 1);
  using Side = r1cs::CircuitBuilder<Fr>::Side;
  for (std::uint32_t i = 1; i <= kRows; ++i) {
    builder.add_term(Side::a, i, Fr::one());
    builder.add_term(Side::b, i, Fr::one());
    builder.add_term(Side::c, i + 1, Fr::one());
    builder.end_constraint();
  }
  const auto circuit = std::move(builder).finish();
  const auto t = test::random_trapdoor<Fr>(random);
  Arena arena{2};
  CheckingSink<C> sink;
  test::must(
      setup<C>(arena, circuit, Trapdoor<Fr>::given(t), QuotientBasis::coset_monomials, RootFamily::bellperson, sink));
  constexpr std::size_t kDomain = 1 << 17;
  ASSERT_EQ(sink.h.size(), kDomain - 1);
  const Fr factor = (t.tau.pow(u64{kDomain}) - Fr::one()) * t.delta.inverse();
  for (const std::size_t i : {0u, 65'535u, 65'536u, 65'537u, 131'070u}) {
    EXPECT_EQ(sink.h[i].first, i);
    EXPECT_EQ(sink.h[i].second, test::in_g1<C>(t.tau.pow(u64{i}) * factor)) << i;
  }
}

}  // namespace
}  // namespace cuzk::groth16
