// Whole proofs of the CPU backend on one thread, from witness to proof, by number of constraints: the circuits of
// bench/groth16/rows_bench.cpp with a key that carries its matrices.
#include <benchmark/benchmark.h>

#include "tests/backend/samples.h"

namespace cuzk {
namespace {

template <class C> void prove(benchmark::State& state) {
  const std::size_t size = std::size_t{1} << state.range(0);
  std::mt19937_64 random(1);
  Arena arena(1);
  const test::Case<C> sample(arena, {size - 10, 3, size - 10}, test::kSnarkjs, random);
  backend::CpuBackend<C> backend(arena);
  const auto key = test::must(backend.load_key(sample.view_with_records()));
  const auto witness = sample.witness();
  for (auto _ : state) {
    auto ticket = test::must(
        backend.prove_start(key, nullptr, {witness, backend::Blinding<C>::fixed(U256::zero(), U256::zero())}));
    benchmark::DoNotOptimize(test::must(backend.prove_finish(std::move(ticket))));
  }
}

BENCHMARK(prove<Bn254>)->Arg(14)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(prove<Bls12_381>)->Arg(14)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuzk
