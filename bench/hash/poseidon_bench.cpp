// Poseidon hashes: the value alone, and the trace of the circuit's variables. CUZK_CPU chooses the instruction set.
#include <vector>

#include <benchmark/benchmark.h>

#include "hash/poseidon.h"

namespace cuzk::hash {
namespace {

std::vector<Fr> inputs(PoseidonKind kind) {
  std::vector<Fr> elements(poseidon_constants(kind).arity);
  Fr x = Fr::from_u64(7).pow(u64{1000});
  for (Fr& e : elements) e = x = x * Fr::from_u64(7);
  return elements;
}

/// Each hash takes the one before as an input, as on a Merkle path.
void value(benchmark::State& state, PoseidonKind kind) {
  std::vector<Fr> elements = inputs(kind);
  for (auto _ : state) elements[0] = poseidon(kind, elements);
  benchmark::DoNotOptimize(elements[0]);
}

/// Canonical inputs and variables.
void trace(benchmark::State& state, PoseidonKind kind) {
  std::vector<U256> values;
  for (const Fr& x : inputs(kind)) values.push_back(x.canonical());
  std::vector<U256> variables(poseidon_trace_size(kind));
  for (auto _ : state) values[0] = poseidon_trace(kind, values, variables);
  benchmark::DoNotOptimize(values[0]);
}

BENCHMARK_CAPTURE(value, arity_2, PoseidonKind::arity_2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(value, arity_8, PoseidonKind::arity_8)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(value, arity_11, PoseidonKind::arity_11)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(trace, arity_2, PoseidonKind::arity_2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(trace, arity_8, PoseidonKind::arity_8)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(trace, arity_11, PoseidonKind::arity_11)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cuzk::hash
