// Verification on one thread: a single proof with few public inputs or as many as Filecoin's WindowPoSt has (25,840),
// and 64 proofs under one key as a batch. "proof" is CPU time for one proof.
#include <benchmark/benchmark.h>

#include "groth16/batch_verifier.h"
#include "tests/groth16/proofs.h"

namespace cuzk {
namespace {

template <class C> struct Proofs {
  Proofs(std::size_t num_public, std::size_t count) : forge(num_public, random), key(forge.key) {
    for (std::size_t i = 0; i < count; ++i) inputs.push_back(forge.random_inputs());
    for (const auto& values : inputs) items.push_back({values, forge.proof_of(values)});
  }

  std::mt19937_64 random{1};
  test::Forge<C> forge;
  groth16::PreparedVerifyingKey<C> key;
  std::vector<std::vector<U256>> inputs;
  std::vector<groth16::BatchItem<C>> items;
};

void report(benchmark::State& state, std::size_t proofs) {
  state.counters["proof"] = benchmark::Counter(
      static_cast<double>(proofs), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class C> void verify_one(benchmark::State& state) {
  const Proofs<C> proofs(static_cast<std::size_t>(state.range(0)), 1);
  Arena arena(1);
  for (auto _ : state) {
    if (!groth16::verify(arena, proofs.key, proofs.inputs[0], proofs.items[0].proof)) state.SkipWithError("refused");
  }
  report(state, 1);
}

template <class C> void verify_batch(benchmark::State& state) {
  const Proofs<C> proofs(3, static_cast<std::size_t>(state.range(0)));
  Arena arena(1);
  for (auto _ : state) {
    const auto refusals = groth16::batch_verify<C>(arena, proofs.key, proofs.items);
    if (!refusals || !refusals->empty()) state.SkipWithError("refused");
  }
  report(state, proofs.items.size());
}

template <class C> void prepare_key(benchmark::State& state) {
  const Proofs<C> proofs(3, 0);
  for (auto _ : state) benchmark::DoNotOptimize(groth16::PreparedVerifyingKey<C>(proofs.forge.key));
}

#define CUZK_BENCH_CURVE(C)                                                                            \
  BENCHMARK(verify_one<C>)->Arg(0)->Arg(3)->Arg(8)->Arg(9)->Arg(25840)->Unit(benchmark::kMicrosecond); \
  BENCHMARK(verify_batch<C>)->Arg(64)->Unit(benchmark::kMicrosecond);                                  \
  BENCHMARK(prepare_key<C>)->Unit(benchmark::kMicrosecond);

CUZK_BENCH_CURVE(Bn254)
CUZK_BENCH_CURVE(Bls12_381)

}  // namespace
}  // namespace cuzk
