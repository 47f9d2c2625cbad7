// msm() against double-and-add, point by point; large sums against one multiplication of a known sum of logarithms.
#include "msm/msm.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "support/cpu_path_scope.h"
#include "tests/curve/samples.h"

namespace cuzk {
namespace {

/// base, 2 base, 3 base, ...: distinct points of the group.
template <class P>
std::vector<Affine<typename P::Field>> multiples_of(const Affine<typename P::Field>& base, std::size_t n) {
  std::vector<P> sums(n);
  P sum = P::identity();
  for (P& s : sums) s = sum = sum + base;
  std::vector<Affine<typename P::Field>> out(n);
  to_affine_n<typename P::Field>(sums, out);
  return out;
}

/// The slow twin.
template <class P> P naive(std::span<const U256> scalars, std::span<const Affine<typename P::Field>> points) {
  P sum = P::identity();
  for (std::size_t i = 0; i < scalars.size(); ++i) sum += P::from_affine(points[i]).times(scalars[i]);
  return sum;
}

U256 minus(const U256& modulus, u64 k) {
  U256 v = modulus;
  v.sub(U256::from_u64(k));
  return v;
}

template <class C> class MsmTest : public testing::Test {
 protected:
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  using A1 = typename C::G1Affine;
  using A2 = typename C::G2Affine;

  U256 full() { return samples.element<typename C::Fr>().canonical(); }
  U256 below_bits(unsigned bits) { return samples.scalar().shifted_right(256 - bits); }
  template <class F> std::vector<U256> scalars_of(std::size_t n, F&& next) {
    std::vector<U256> k(n);
    for (U256& v : k) v = next();
    return k;
  }

  std::vector<A1> g1_points(std::size_t n) { return multiples_of<G1>(test::random_member<test::G1Of<C>>(samples), n); }
  std::vector<A2> g2_points(std::size_t n) { return multiples_of<G2>(test::random_member<test::G2Of<C>>(samples), n); }

  void expect_naive(const std::vector<U256>& k, const std::vector<A1>& p, const std::vector<A2>& q) {
    EXPECT_EQ(msm_g1<C>(arena, k, std::span<const A1>(p)), naive<G1>(k, p));
    EXPECT_EQ(msm_g2<C>(arena, k, std::span<const A2>(q)), naive<G2>(k, q));
  }
  void expect_naive(const std::vector<U256>& k) { expect_naive(k, g1_points(k.size()), g2_points(k.size())); }

  /// sum k_i (i + 1): the logarithm of the sum of k_i P_i with P_i = (i + 1) P_0.
  static U256 logarithm(std::span<const U256> k) {
    using Fr = typename C::Fr;
    Fr sum = Fr::zero();
    for (std::size_t i = 0; i < k.size(); ++i) sum += Fr::from_canonical(k[i]) * Fr::from_u64(i + 1);
    return sum.canonical();
  }

  test::Samples samples{11};
  Arena arena{2};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(MsmTest, Curves);

TYPED_TEST(MsmTest, RandomScalars) {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 17u, 100u}) {
    SCOPED_TRACE(n);
    this->expect_naive(this->scalars_of(n, [&] { return this->full(); }));
  }
}

TYPED_TEST(MsmTest, EqualScalars) {
  constexpr U256 r = TypeParam::Fr::modulus;
  for (const U256& k : {U256::zero(), U256::from_u64(1), U256::from_u64(2), minus(r, 1), minus(r, 2), this->full(),
                        r.shifted_right(1), r.shifted_right(2)}) {
    SCOPED_TRACE(k.to_hex());
    this->expect_naive(std::vector<U256>(77, k));
  }
}

TYPED_TEST(MsmTest, SmallAndNegativeSmallScalars) {
  for (const unsigned bits : {1u, 4u, 13u, 32u, 64u, 65u, 128u, 253u}) {
    SCOPED_TRACE(bits);
    this->expect_naive(this->scalars_of(60, [&] {
      U256 k = this->below_bits(bits);
      if (this->samples.word() % 2 == 0) return k;
      U256 v = TypeParam::Fr::modulus;
      v.sub(k);
      return k.is_zero() ? k : v;
    }));
  }
}

TYPED_TEST(MsmTest, WitnessLikeScalars) {
  this->expect_naive(this->scalars_of(300, [&] {
    const u64 kind = this->samples.word() % 100;
    if (kind < 60) return U256::zero();
    if (kind < 85) return U256::from_u64(1);
    return kind < 95 ? this->below_bits(32) : this->full();
  }));
  this->expect_naive(this->scalars_of(100, [&] { return U256::from_u64(this->samples.word() % 2); }));
  this->expect_naive(
      this->scalars_of(100, [&] { return this->samples.word() % 50 == 0 ? this->full() : U256::zero(); }));
}

TYPED_TEST(MsmTest, EqualOppositeAndMissingPoints) {
  const auto k = this->scalars_of(70, [&] { return this->full(); });
  const std::vector<U256> same(70, this->full());
  auto p = this->g1_points(70);
  auto q = this->g2_points(70);

  const auto with = [&](auto&& change) {
    auto changed_p = p;
    auto changed_q = q;
    change(changed_p);
    change(changed_q);
    this->expect_naive(k, changed_p, changed_q);
    this->expect_naive(same, changed_p, changed_q);
  };
  with([](auto& points) { std::fill(points.begin(), points.end(), points[0]); });
  with([](auto& points) {
    for (std::size_t i = 1; i < points.size(); i += 2) points[i] = -points[i - 1];
  });
  with([](auto& points) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = i % 3 == 0 ? -points[0] : points[0];
  });
  with([](auto& points) {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i % 7 != 0) points[i] = {};
  });
  with([](auto& points) { std::fill(points.begin(), points.end(), std::decay_t<decltype(points[0])>{}); });
}

TYPED_TEST(MsmTest, SeveralSetsAreTheSumsOfEach) {
  using C = TypeParam;
  const auto k =
      this->scalars_of(100, [&] { return this->samples.word() % 3 == 0 ? U256::from_u64(1) : this->full(); });
  auto p = this->g1_points(100), b1 = this->g1_points(100);
  auto b2 = this->g2_points(100);
  for (std::size_t i = 0; i < 100; ++i)
    if (i % 5 < 3) b1[i] = {}, b2[i] = {};
  const PointSpan<typename TestFixture::A1> g1_sets[] = {std::span<const typename TestFixture::A1>(p),
                                                         std::span<const typename TestFixture::A1>(b1)};
  const PointSpan<typename TestFixture::A2> g2_sets[] = {std::span<const typename TestFixture::A2>(b2)};
  const auto sums = msm<C>(this->arena, k, g1_sets, g2_sets);
  ASSERT_EQ(sums.g1.size(), 2u);
  ASSERT_EQ(sums.g2.size(), 1u);
  EXPECT_EQ(sums.g1[0], naive<typename C::G1>(k, p));
  EXPECT_EQ(sums.g1[1], naive<typename C::G1>(k, b1));
  EXPECT_EQ(sums.g2[0], naive<typename C::G2>(k, b2));
}

TYPED_TEST(MsmTest, PointsAtAnyAddress) {
  const auto k = this->scalars_of(50, [&] { return this->full(); });
  const auto p = this->g1_points(50);
  std::vector<std::byte> shifted(p.size() * sizeof(typename TestFixture::A1) + 8);
  for (const std::size_t offset : {1u, 4u, 7u}) {
    std::memcpy(shifted.data() + offset, p.data(), p.size() * sizeof(typename TestFixture::A1));
    const PointSpan<typename TestFixture::A1> points(
        Bytes(shifted).subspan(offset, p.size() * sizeof(typename TestFixture::A1)));
    EXPECT_EQ(msm_g1<TypeParam>(this->arena, k, points), naive<typename TypeParam::G1>(k, p));
  }
}

/// Several chunks, windows in several parts; 1 thread runs inline.
TYPED_TEST(MsmTest, ThreadsDoNotChangeTheSum) {
  constexpr std::size_t n = 40'000;
  const auto p = this->g1_points(n);
  const auto q = this->g2_points(n / 8);
  const U256 one_value = this->full();
  for (const bool equal : {false, true}) {
    const auto k = this->scalars_of(n, [&] { return equal ? one_value : this->full(); });
    const auto few = std::span<const U256>(k).first(q.size());
    const auto expected_g1 = TestFixture::G1::from_affine(p[0]).times(this->logarithm(k));
    const auto expected_g2 = TestFixture::G2::from_affine(q[0]).times(this->logarithm(few));
    for (const unsigned threads : {1u, 2u, 5u}) {
      SCOPED_TRACE(threads);
      Arena pool = Arena::on_threads(threads);
      EXPECT_EQ(msm_g1<TypeParam>(pool, k, std::span<const typename TestFixture::A1>(p)), expected_g1);
      EXPECT_EQ(msm_g2<TypeParam>(pool, few, std::span<const typename TestFixture::A2>(q)), expected_g2);
    }
  }
}

TYPED_TEST(MsmTest, LargeSumsOfWitnessLikeScalarsAndSparsePoints) {
  constexpr std::size_t n = 20'000;
  auto p = this->g1_points(n);
  const auto base = p[0];
  auto k = this->scalars_of(n, [&] {
    const u64 kind = this->samples.word() % 100;
    if (kind < 40) return U256::zero();
    if (kind < 75) return U256::from_u64(1);
    return kind < 90 ? this->below_bits(32) : this->full();
  });
  EXPECT_EQ(msm_g1<TypeParam>(this->arena, k, std::span<const typename TestFixture::A1>(p)),
            TestFixture::G1::from_affine(base).times(this->logarithm(k)));
  for (std::size_t i = 0; i < n; ++i)
    if (i % 3 != 0) p[i] = {};
  const auto with_gaps = msm_g1<TypeParam>(this->arena, k, std::span<const typename TestFixture::A1>(p));
  for (std::size_t i = 0; i < n; ++i)
    if (i % 3 != 0) k[i] = {};
  EXPECT_EQ(with_gaps, TestFixture::G1::from_affine(base).times(this->logarithm(k)));
}

TYPED_TEST(MsmTest, ScalarsCountModuloTheOrder) {
  const auto p = this->g1_points(40);
  const auto k = this->scalars_of(40, [&] { return this->samples.scalar(); });
  EXPECT_EQ(msm_g1<TypeParam>(this->arena, k, std::span<const typename TestFixture::A1>(p)),
            naive<typename TestFixture::G1>(k, p));
}

TYPED_TEST(MsmTest, EveryPathGivesTheSameBytes) {
  const auto best = static_cast<int>(best_cpu_path(cpu_features()));
  if (best == 0) GTEST_SKIP() << "this processor has no path but the portable one";
  for (const std::size_t n : {1u, 33u, 5000u}) {
    const auto p = this->g1_points(n);
    const auto q = this->g2_points(n);
    const auto k = this->scalars_of(n, [&] { return this->full(); });
    const PointSpan<typename TestFixture::A1> g1{std::span<const typename TestFixture::A1>(p)};
    const PointSpan<typename TestFixture::A2> g2{std::span<const typename TestFixture::A2>(q)};
    const auto by = [&](CpuPath path) {
      const CpuPathScope scope(path);
      return msm<TypeParam>(this->arena, k, {&g1, 1}, {&g2, 1});
    };
    const auto portable = by(CpuPath::portable);
    for (int path = 1; path <= best; ++path) {
      const auto sums = by(static_cast<CpuPath>(path));
      EXPECT_EQ(portable.g1[0].to_affine(), sums.g1[0].to_affine()) << path;
      EXPECT_EQ(portable.g2[0].to_affine(), sums.g2[0].to_affine()) << path;
    }
  }
}

TYPED_TEST(MsmTest, AStopEndsIt) {
  constexpr std::size_t n = 5'000;
  const auto p = this->g1_points(n);
  const auto k = this->scalars_of(n, [&] { return this->full(); });
  std::stop_source stop;
  const auto points = std::span<const typename TestFixture::A1>(p);
  EXPECT_EQ(msm_g1<TypeParam>(this->arena, k, points, stop.get_token()),
            TestFixture::G1::from_affine(p[0]).times(this->logarithm(k)));
  stop.request_stop();
  EXPECT_TRUE(msm_g1<TypeParam>(this->arena, k, points, stop.get_token()).is_identity()) << "nothing is summed";
}

}  // namespace
}  // namespace cuzk
