// Sealing and synthetic vanilla proofs, on one thread and on all (threads, then partitions).
#include <numeric>

#include <benchmark/benchmark.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/seal/synthetic.h"

namespace cuzk::filecoin {
namespace {

SealProof v1_1(std::string_view size) { return *seal_proof("StackedDrg" + std::string(size) + "V1_1"); }
SealInputs inputs_of(std::string_view size) { return {v1_1(size), prover_id(1000), 1, {}}; }

void seal(benchmark::State& state, std::string_view size) {
  Arena arena(static_cast<unsigned>(state.range(0)));
  const SealInputs inputs = inputs_of(size);
  for (auto _ : state)
    benchmark::DoNotOptimize(SealedSector::seal(arena, inputs, std::vector<Node>(inputs.proof.sector->nodes())));
}

void synthetic_seal_32g(benchmark::State& state) {
  Arena arena(static_cast<unsigned>(state.range(0)));
  const auto partitions = static_cast<unsigned>(state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(synthetic_seal(arena, inputs_of("32GiB"), {}, partitions, {}));
}

void synthetic_window_32g(benchmark::State& state) {
  Arena arena(static_cast<unsigned>(state.range(0)));
  const PostProof proof = *post_proof(13);
  std::vector<std::uint64_t> sectors(proof.sector->window_sectors);
  std::iota(sectors.begin(), sectors.end(), 1);
  for (auto _ : state) benchmark::DoNotOptimize(synthetic_post(arena, proof, {}, sectors, 0, sectors.size(), {}));
}

void synthetic_update_32g(benchmark::State& state) {
  Arena arena(static_cast<unsigned>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(synthetic_update(arena, *find_sector_shape("32GiB"), 16, {}));
}

const auto kUnit = benchmark::kMillisecond;

BENCHMARK_CAPTURE(seal, two_kib, "2KiB")->Name("filecoin/seal/2KiB")->Arg(1)->Unit(kUnit);
BENCHMARK_CAPTURE(seal, eight_mib, "8MiB")->Name("filecoin/seal/8MiB")->Arg(1)->Arg(0)->Unit(kUnit);
BENCHMARK(synthetic_seal_32g)
    ->Name("filecoin/synthetic/porep_32g")
    ->Args({1, 1})
    ->Args({1, 10})
    ->Args({0, 10})
    ->Unit(kUnit);
BENCHMARK(synthetic_window_32g)->Name("filecoin/synthetic/window_32g")->Arg(1)->Arg(0)->Unit(kUnit);
BENCHMARK(synthetic_update_32g)->Name("filecoin/synthetic/update_32g")->Arg(1)->Arg(0)->Unit(kUnit);

}  // namespace
}  // namespace cuzk::filecoin
