// Multi-scalar multiplications of 2^14 to 2^20 points on one thread: full-size scalars, and scalars distributed as in
// the witness of a hash circuit. "point" is CPU time for one point. batch_add: additions of one batch, "addition" for
// each. msm_by: the path (support/cpu_features.h) is the last argument; compare with
// --benchmark_enable_random_interleaving=true --benchmark_repetitions=5.
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "msm/batch_add_impl.h"
#include "msm/msm.h"
#include "support/cpu_path_scope.h"

namespace cuzk {
namespace {

/// base, 2 base, .., n base.
template <class P, class A> std::vector<A> multiples_of(const A& base, std::size_t n) {
  constexpr std::size_t chunk = 4096;
  std::vector<A> out(n);
  std::vector<P> sums(chunk);
  P sum = P::identity();
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const std::size_t count = std::min(chunk, n - begin);
    for (std::size_t i = 0; i < count; ++i) sums[i] = sum = sum + base;
    to_affine_n(std::span<const P>(sums).first(count), std::span<A>(out).subspan(begin, count));
  }
  return out;
}

/// The first n of a table that grows on demand.
template <class C, bool Twist> auto points(std::size_t n) {
  using A = std::conditional_t<Twist, typename C::G2Affine, typename C::G1Affine>;
  using P = std::conditional_t<Twist, typename C::G2, typename C::G1>;
  static std::vector<A> table;
  if (table.size() < n) {
    if constexpr (Twist) {
      table = multiples_of<P>(g2_generator<C>(), n);
    } else {
      table = multiples_of<P>(g1_generator<C>(), n);
    }
  }
  return PointSpan<A>(std::span<const A>(table).first(n));
}

U256 full(std::mt19937_64& random, const U256& r) {
  for (;;) {
    const U256 k{{random(), random(), random(), random() >> (256 - r.bit_length())}};
    if (k < r) return k;
  }
}

std::vector<U256> full_scalars(std::size_t n, const U256& r) {
  std::mt19937_64 random(1);
  std::vector<U256> scalars(n);
  for (U256& k : scalars) k = full(random, r);
  return scalars;
}

std::vector<U256> witness_scalars(std::size_t n, const U256& r) {
  std::mt19937_64 random(2);
  std::vector<U256> scalars(n);
  for (U256& k : scalars) {
    const auto percent = random() % 100;
    k = percent < 60   ? U256::zero()
        : percent < 85 ? U256::from_u64(1)
        : percent < 95 ? U256::from_u64(random() >> 32)
                       : full(random, r);
  }
  return scalars;
}

void count_points(benchmark::State& state, std::size_t n) {
  state.counters["point"] = benchmark::Counter(
      static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class C, bool Twist> void sum(benchmark::State& state, const std::vector<U256>& scalars) {
  Arena arena(1);
  const auto table = points<C, Twist>(scalars.size());
  for (auto _ : state) {
    if constexpr (Twist) {
      benchmark::DoNotOptimize(msm_g2<C>(arena, scalars, table));
    } else {
      benchmark::DoNotOptimize(msm_g1<C>(arena, scalars, table));
    }
  }
  count_points(state, scalars.size());
}

template <class C, bool Twist> void msm_full(benchmark::State& state) {
  sum<C, Twist>(state, full_scalars(std::size_t{1} << state.range(0), C::Fr::modulus));
}
template <class C, bool Twist> void msm_witness(benchmark::State& state) {
  sum<C, Twist>(state, witness_scalars(std::size_t{1} << state.range(0), C::Fr::modulus));
}

template <class C, bool Twist> void msm_by(benchmark::State& state) {
  const auto path = static_cast<CpuPath>(state.range(1));
  if (path > best_cpu_path(cpu_features())) return state.SkipWithError("this processor lacks the path");
  const CpuPathScope scope(path);
  state.SetLabel(std::string(to_string(path)));
  sum<C, Twist>(state, full_scalars(std::size_t{1} << state.range(0), C::Fr::modulus));
}

/// A, B1 and B2 of a proof at once.
template <class C> void msm_three_sets(benchmark::State& state) {
  Arena arena(1);
  const auto scalars = full_scalars(std::size_t{1} << state.range(0), C::Fr::modulus);
  const auto g1 = points<C, false>(scalars.size());
  const auto g2 = points<C, true>(scalars.size());
  const PointSpan<typename C::G1Affine> g1_sets[] = {g1, g1};
  for (auto _ : state) benchmark::DoNotOptimize(msm<C>(arena, scalars, g1_sets, {&g2, 1}));
  count_points(state, scalars.size());
}

template <class C, bool Twist, class Isa, bool ByLanes = false> void batch_add(benchmark::State& state) {
  using F = rebind_isa<std::conditional_t<Twist, typename C::Fq2, typename C::Fq>, Isa>;
  if (ByLanes && best_cpu_path(cpu_features()) != CpuPath::ifma)
    return state.SkipWithError("this processor has no AVX-512 IFMA");
  constexpr std::uint32_t count = msm_detail::kBatch;
  const auto table = points<C, Twist>(2 * count);
  const auto* const source = reinterpret_cast<const Affine<F>*>(table.data());
  std::vector<msm_detail::Addition<std::uint32_t>> additions;
  for (std::uint32_t i = 0; i < count; ++i) additions.push_back({i, count + i, i});
  std::vector<Affine<F>> out(count);
  msm_detail::ListAdder<F> adder(ByLanes);
  for (auto _ : state) {
    msm_detail::Lookahead<F> none(msm_detail::IndexedPoints<F>(nullptr), {});
    adder.add(source, source, additions, out.data(), none);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["addition"] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Independent products: what an addition's six are measured against.
template <class F> void product(benchmark::State& state) {
  std::vector<F> x(8, F::one());
  for (std::size_t i = 1; i < x.size(); ++i) x[i] = (x[i - 1] + F::one()).inverse();
  const F y = x[3];
  for (auto _ : state) {
    for (F& v : x) v = v * y;
    benchmark::DoNotOptimize(x.data());
  }
  state.counters["product"] =
      benchmark::Counter(8, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

using BnAdx = Fp<Bn254FqParams, Adx>;
using BlsAdx = Fp<Bls12_381FqParams, Adx>;

BENCHMARK(product<bn254::Fq>);
BENCHMARK(product<BnAdx>);
BENCHMARK(product<BlsAdx>);
BENCHMARK(product<Fq2<BnAdx>>);
BENCHMARK(batch_add<Bn254, false, Portable>);
BENCHMARK(batch_add<Bn254, false, Adx>);
BENCHMARK(batch_add<Bn254, true, Adx>);
BENCHMARK(batch_add<Bn254, false, Adx, true>)->Name("batch_add<Bn254, false, Lanes>");
BENCHMARK(batch_add<Bls12_381, false, Adx>);
BENCHMARK(batch_add<Bls12_381, false, Adx, true>)->Name("batch_add<Bls12_381, false, Lanes>");
BENCHMARK(batch_add<Bls12_381, true, Adx>);

void sizes(benchmark::internal::Benchmark* b) { b->DenseRange(14, 20, 2)->Unit(benchmark::kMillisecond); }

void paths(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{16, 18, 20}, {static_cast<int>(CpuPath::adx), static_cast<int>(CpuPath::ifma)}});
  b->Unit(benchmark::kMillisecond);
}

BENCHMARK(msm_by<Bn254, false>)->Apply(paths);
BENCHMARK(msm_by<Bls12_381, false>)->Apply(paths);
BENCHMARK(msm_full<Bn254, false>)->Apply(sizes);
BENCHMARK(msm_full<Bn254, true>)->Apply(sizes);
BENCHMARK(msm_witness<Bn254, false>)->Apply(sizes);
BENCHMARK(msm_witness<Bn254, true>)->Apply(sizes);
BENCHMARK(msm_three_sets<Bn254>)->Apply(sizes);
BENCHMARK(msm_full<Bls12_381, false>)->Apply(sizes);
BENCHMARK(msm_full<Bls12_381, true>)->Apply(sizes);
BENCHMARK(msm_witness<Bls12_381, false>)->Apply(sizes);
BENCHMARK(msm_witness<Bls12_381, true>)->Apply(sizes);

}  // namespace
}  // namespace cuzk
