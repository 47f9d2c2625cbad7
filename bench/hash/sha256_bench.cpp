// SHA-256 of what Filecoin hashes: a pair of nodes, a label's 20 blocks; with the processor's extensions and without.
#include <vector>

#include <benchmark/benchmark.h>

#include "hash/sha256_compress.h"

namespace cuzk::hash {
namespace {

void pair(benchmark::State& state) {
  U256 node = U256::from_u64(1);
  for (auto _ : state) node = sha256_pair(node, node);
  benchmark::DoNotOptimize(node);
}

void label(benchmark::State& state, void (*compress)(Sha256State&, Bytes) noexcept) {
  const std::vector<std::byte> blocks(20 * 64);
  Sha256State hash = kSha256Initial;
  for (auto _ : state) compress(hash, blocks);
  benchmark::DoNotOptimize(hash);
  state.SetBytesProcessed(static_cast<std::int64_t>(blocks.size()) * state.iterations());
}

BENCHMARK(pair);
BENCHMARK_CAPTURE(label, best, sha256_compress);
BENCHMARK_CAPTURE(label, portable, sha256_compress_portable);

}  // namespace
}  // namespace cuzk::hash
