// Transforms of 2^16 to 2^22 elements on one thread; "butterfly" is CPU time for one of the n N / 2 of each transform.
// by: the path (support/cpu_features.h) is the last argument; compare with --benchmark_enable_random_interleaving=true
// --benchmark_repetitions=5.
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "poly/domain.h"
#include "support/cpu_path_scope.h"

namespace cuzk {
namespace {

template <class Fr> std::vector<Fr> random_elements(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Fr> a(count);
  for (Fr& x : a) x = Fr::from_canonical({{random(), random(), random(), random() >> 4}});
  return a;
}

/// `run` performs `transforms` transforms of the domain's size.
template <class Fr, class Run> void measure(benchmark::State& state, unsigned transforms, Run run) {
  Arena arena(1);
  const auto log_size = static_cast<unsigned>(state.range(0));
  const auto domain = Domain<Fr>::create(arena, std::size_t{1} << log_size, RootFamily::iden3);
  auto a = random_elements<Fr>(domain->size());
  for (auto _ : state) run(arena, *domain, std::span<Fr>(a));
  const double butterflies = static_cast<double>(transforms * log_size) * static_cast<double>(domain->size() / 2);
  state.counters["butterfly"] =
      benchmark::Counter(butterflies, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Fr> void ntt(benchmark::State& state) {
  measure<Fr>(state, 1, [](Arena& arena, const auto& domain, auto a) { domain.ntt(arena, a); });
}

/// `transform` by the path that is asked for.
template <void transform(benchmark::State&)> void by(benchmark::State& state) {
  const auto path = static_cast<CpuPath>(state.range(1));
  if (path > best_cpu_path(cpu_features())) return state.SkipWithError("this processor lacks the path");
  const CpuPathScope scope(path);
  state.SetLabel(std::string(to_string(path)));
  transform(state);
}

template <class Fr> void to_coset(benchmark::State& state) {
  measure<Fr>(state, 2,
              [](Arena& arena, const auto& domain, auto a) { domain.to_coset(arena, domain.odd_shift(), a); });
}

template <class Fr> void create(benchmark::State& state) {
  Arena arena(1);
  for (auto _ : state)
    benchmark::DoNotOptimize(Domain<Fr>::create(arena, std::size_t{1} << state.range(0), RootFamily::iden3));
}

template <class Fr> void lagrange_at(benchmark::State& state) {
  measure<Fr>(state, 1,
              [](Arena& arena, const auto& domain, auto a) { domain.lagrange_at(arena, Fr::from_u64(3), a); });
}

void sizes(benchmark::internal::Benchmark* b) { b->DenseRange(16, 22, 2)->Unit(benchmark::kMillisecond); }

void paths(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{16, 18, 20}, {static_cast<int>(CpuPath::adx), static_cast<int>(CpuPath::ifma)}});
  b->Unit(benchmark::kMillisecond);
}

BENCHMARK(by<ntt<bn254::Fr>>)->Apply(paths);
BENCHMARK(by<ntt<bls12_381::Fr>>)->Apply(paths);
BENCHMARK(by<to_coset<bn254::Fr>>)->Apply(paths);
BENCHMARK(by<to_coset<bls12_381::Fr>>)->Apply(paths);
BENCHMARK(ntt<bn254::Fr>)->Apply(sizes);
BENCHMARK(ntt<bls12_381::Fr>)->Apply(sizes);
BENCHMARK(to_coset<bn254::Fr>)->Apply(sizes);
BENCHMARK(to_coset<bls12_381::Fr>)->Apply(sizes);
BENCHMARK(create<bn254::Fr>)->Apply(sizes);
BENCHMARK(lagrange_at<bn254::Fr>)->Apply(sizes);

}  // namespace
}  // namespace cuzk
