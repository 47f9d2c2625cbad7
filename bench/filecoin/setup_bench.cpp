// A whole development key, recorded, made and encoded, without a disk; time of one key, CPU time of all threads.
#include <benchmark/benchmark.h>

#include "filecoin/params/compiled_circuit.h"
#include "formats/bellperson_params_writer.h"
#include "groth16/setup.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

void setup_key(benchmark::State& state, const char* id) {
  Arena arena;
  const CompiledCircuit circuit = record_circuit(test::must(find_circuit(id)));
  const auto trapdoor = test::must(groth16::Trapdoor<bls12_381::Fr>::random());
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    auto writer = test::must(formats::ParamsWriter::create(arena, "/dev/null", formats::KeyOrigin::ceremony));
    test::must(groth16::setup<Bls12_381>(arena, *circuit.matrices, trapdoor, groth16::QuotientBasis::coset_monomials,
                                         RootFamily::bellperson, writer));
    bytes = writer.bytes();
  }
  state.counters["key_bytes"] = static_cast<double>(bytes);
}

void record(benchmark::State& state, const char* id) {
  const Circuit circuit = test::must(find_circuit(id));
  for (auto _ : state) benchmark::DoNotOptimize(record_circuit(circuit));
}

#define CUZK_BENCH(function, id) \
  BENCHMARK_CAPTURE(function, id, id)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime()

CUZK_BENCH(setup_key, "wpost-2k");
CUZK_BENCH(setup_key, "winning-2k");
CUZK_BENCH(setup_key, "porep-2k");
CUZK_BENCH(record, "porep-2k");

}  // namespace
}  // namespace cuzk::filecoin
