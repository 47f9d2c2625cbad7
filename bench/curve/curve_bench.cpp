// Points, subgroup checks and pairings of both curves. CUZK_CPU=portable|adx chooses the products of the entry points
// that dispatch by themselves; point operations are listed for each Isa.
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "curve/curves.h"
#include "curve/encoding_batch.h"
#include "curve/pairing.h"

namespace cuzk {
namespace {

U256 random_scalar() {
  static std::mt19937_64 engine{1};
  U256 k;
  for (u64& limb : k.limb) limb = engine();
  k.limb[3] >>= 2;
  return k;
}

template <class C> typename C::G1Affine random_point(const typename C::G1Affine&) {
  return C::G1::from_affine(g1_generator<C>()).times(random_scalar()).to_affine();
}
template <class C> typename C::G2Affine random_point(const typename C::G2Affine&) {
  return C::G2::from_affine(g2_generator<C>()).times(random_scalar()).to_affine();
}

template <class C, class A, class Isa> struct Points {
  using Affine = rebind_isa<A, Isa>;
  using Jacobian = Point<typename Affine::Field>;
  Affine affine = with_arithmetic<Isa>(random_point<C>(A{}));
  Jacobian p = Jacobian::from_affine(with_arithmetic<Isa>(random_point<C>(A{}))).doubled();
  Jacobian q = p.doubled() + affine;
};

template <class C, class A, class Isa> void point_add(benchmark::State& state) {
  Points<C, A, Isa> points;
  for (auto _ : state) benchmark::DoNotOptimize(points.p = points.p + points.q);
}
template <class C, class A, class Isa> void point_madd(benchmark::State& state) {
  Points<C, A, Isa> points;
  for (auto _ : state) benchmark::DoNotOptimize(points.p = points.p + points.affine);
}
template <class C, class A, class Isa> void point_double(benchmark::State& state) {
  Points<C, A, Isa> points;
  for (auto _ : state) benchmark::DoNotOptimize(points.p = points.p.doubled());
}
template <class C, class A, class Isa> void point_times(benchmark::State& state) {
  Points<C, A, Isa> points;
  const U256 k = random_scalar();
  for (auto _ : state) benchmark::DoNotOptimize(points.p.times(k));
}
template <class C, class A> void subgroup_check(benchmark::State& state) {
  const A p = random_point<C>(A{});
  for (auto _ : state) benchmark::DoNotOptimize(is_in_subgroup<C>(p));
}

template <class C> void prepare_g2(benchmark::State& state) {
  const auto q = random_point<C>(typename C::G2Affine{});
  for (auto _ : state) benchmark::DoNotOptimize(G2Prepared<C>(q));
}
template <class C> void miller_loops(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<typename C::G1Affine> p;
  std::vector<G2Prepared<C>> q;
  for (std::size_t i = 0; i < n; ++i) {
    p.push_back(random_point<C>(typename C::G1Affine{}));
    q.emplace_back(random_point<C>(typename C::G2Affine{}));
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(
        miller_loop<C>(std::span<const typename C::G1Affine>(p), std::span<const G2Prepared<C>>(q)));
}
template <class C> void final_exponentiations(benchmark::State& state) {
  const auto f = pairing<C>(g1_generator<C>(), g2_generator<C>());
  for (auto _ : state) benchmark::DoNotOptimize(final_exponentiation<C>(f));
}
template <class C> void pairings(benchmark::State& state) {
  const auto p = random_point<C>(typename C::G1Affine{});
  const auto q = random_point<C>(typename C::G2Affine{});
  for (auto _ : state) benchmark::DoNotOptimize(pairing<C>(p, q));
}
/// The pairings of one Groth16 verification: three Miller loops, two of them with prepared points, one exponentiation.
template <class C> void groth16_pairings(benchmark::State& state) {
  std::vector<typename C::G1Affine> p(3);
  for (auto& point : p) point = random_point<C>(point);
  std::vector<G2Prepared<C>> q;
  for (int i = 0; i < 3; ++i) q.emplace_back(random_point<C>(typename C::G2Affine{}));
  const auto b = random_point<C>(typename C::G2Affine{});
  for (auto _ : state) {
    q[0] = G2Prepared<C>(b);
    benchmark::DoNotOptimize(
        multi_pairing<C>(std::span<const typename C::G1Affine>(p), std::span<const G2Prepared<C>>(q)));
  }
}
template <class C> void gt_powers(benchmark::State& state) {
  const auto g = pairing<C>(g1_generator<C>(), g2_generator<C>());
  const U256 k = random_scalar();
  for (auto _ : state) benchmark::DoNotOptimize(gt_power<C>(g, k));
}

/// Of ZCash's uncompressed form with the curve equation, as a key is read: in blocks, or point by point.
template <class A, bool kInBlocks> void decode_points(benchmark::State& state) {
  constexpr bool kG2 = std::is_same_v<A, Bls12_381::G2Affine>;
  std::vector<A> points(256);
  std::vector<std::byte> bytes(points.size() * sizeof(A));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const MutableBytes to = MutableBytes(bytes).subspan(i * sizeof(A), sizeof(A));
    const A p = random_point<Bls12_381>(A{});
    if constexpr (kG2) zcash::encode_g2_uncompressed(p, to);
    if constexpr (!kG2) zcash::encode_g1_uncompressed(p, to);
  }
  constexpr auto kOne = [] {
    if constexpr (kG2)
      return zcash::decode_g2_uncompressed;
    else
      return zcash::decode_g1_uncompressed;
  }();
  constexpr auto kAll = [] {
    if constexpr (kG2)
      return zcash::decode_g2_uncompressed_n;
    else
      return zcash::decode_g1_uncompressed_n;
  }();
  for (auto _ : state) {
    if constexpr (kInBlocks) {
      benchmark::DoNotOptimize(kAll(bytes, points, Validation::on_curve));
    } else {
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = *kOne(Bytes(bytes).subspan(i * sizeof(A), sizeof(A)), Validation::on_curve);
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(points.size()));
}
BENCHMARK(decode_points<Bls12_381::G1Affine, false>);
BENCHMARK(decode_points<Bls12_381::G1Affine, true>);
BENCHMARK(decode_points<Bls12_381::G2Affine, false>);
BENCHMARK(decode_points<Bls12_381::G2Affine, true>);

#define CUZK_BENCH_POINTS(C, A, Isa)     \
  BENCHMARK(point_add<C, C::A, Isa>);    \
  BENCHMARK(point_madd<C, C::A, Isa>);   \
  BENCHMARK(point_double<C, C::A, Isa>); \
  BENCHMARK(point_times<C, C::A, Isa>);
#define CUZK_BENCH_CURVE(C)                   \
  CUZK_BENCH_POINTS(C, G1Affine, Portable)    \
  CUZK_BENCH_POINTS(C, G1Affine, Adx)         \
  CUZK_BENCH_POINTS(C, G2Affine, Portable)    \
  CUZK_BENCH_POINTS(C, G2Affine, Adx)         \
  BENCHMARK(subgroup_check<C, C::G1Affine>);  \
  BENCHMARK(subgroup_check<C, C::G2Affine>);  \
  BENCHMARK(prepare_g2<C>);                   \
  BENCHMARK(miller_loops<C>)->Arg(1)->Arg(3); \
  BENCHMARK(final_exponentiations<C>);        \
  BENCHMARK(pairings<C>);                     \
  BENCHMARK(groth16_pairings<C>);             \
  BENCHMARK(gt_powers<C>);

CUZK_BENCH_CURVE(Bn254)
CUZK_BENCH_CURVE(Bls12_381)

}  // namespace
}  // namespace cuzk
