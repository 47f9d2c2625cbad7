// Multiples of the generators, as in the setup of a proving key; time of all scalars, CPU time of all threads.
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "curve/fixed_base.h"

namespace cuzk {
namespace {

std::vector<U256> random_scalars(std::size_t n) {
  std::mt19937_64 engine{1};
  std::vector<U256> scalars(n);
  for (U256& k : scalars) {
    for (u64& limb : k.limb) limb = engine();
    k.limb[3] >>= 3;
  }
  return scalars;
}

template <class C> void multiples_g1(benchmark::State& state) {
  Arena arena(static_cast<unsigned>(state.range(1)));
  const auto scalars = random_scalars(std::size_t{1} << state.range(0));
  std::vector<typename C::G1Affine> out(scalars.size());
  for (auto _ : state) fixed_base_g1<C>(arena, scalars, out);
}
template <class C> void multiples_g2(benchmark::State& state) {
  Arena arena(static_cast<unsigned>(state.range(1)));
  const auto scalars = random_scalars(std::size_t{1} << state.range(0));
  std::vector<typename C::G2Affine> out(scalars.size());
  for (auto _ : state) fixed_base_g2<C>(arena, scalars, out);
}

#define CUZK_BENCH(function)          \
  BENCHMARK(function)                 \
      ->Unit(benchmark::kMillisecond) \
      ->MeasureProcessCPUTime()       \
      ->UseRealTime()                 \
      ->ArgsProduct({{10, 14, 18}, {1, 2}})

CUZK_BENCH(multiples_g1<Bn254>);
CUZK_BENCH(multiples_g2<Bn254>);
CUZK_BENCH(multiples_g1<Bls12_381>);
CUZK_BENCH(multiples_g2<Bls12_381>);

}  // namespace
}  // namespace cuzk
