// Compiled circuits: recording, and the same circuit as pieces and placements against compressed sparse rows: bytes,
// rows of A and B, digest, densities (docs/adr/0004). One thread, but for "threads" cases. Witnesses are direct ones of
// random instances.
#include <map>

#include <benchmark/benchmark.h>

#include "filecoin/circuits/circuit.h"
#include "filecoin/witness/generate.h"
#include "groth16/evaluate.h"
#include "r1cs/density.h"
#include "r1cs/digest.h"
#include "r1cs/recording_system.h"
#include "r1cs/row_circuit.h"
#include "tests/filecoin/random_instance.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;

r1cs::BlockCircuit<Fr> record(const Circuit& circuit) {
  const OwnedInstance blank = blank_instance(circuit);
  r1cs::RecordingSystem<Fr> cs;
  synthesize(cs, blank.instance);
  return std::move(cs).finish();
}

struct Case {
  Circuit circuit;
  r1cs::BlockCircuit<Fr> pieces;
  r1cs::RowCircuit<Fr> rows;
  std::vector<U256> z;

  explicit Case(const char* id) : circuit(*find_circuit(id)), pieces(record(circuit)), rows(r1cs::to_rows<Fr>(pieces)) {
    Arena arena;
    const OwnedInstance owned = test::RandomInstances(1).make(circuit);
    z.resize(witness_shape(circuit).size());
    generate_witness(arena, circuit, owned.instance, z);
  }
};

const Case& case_of(const char* id) {
  static std::map<std::string, std::unique_ptr<const Case>> cases;
  auto& made = cases[id];
  if (made == nullptr) made = std::make_unique<const Case>(id);
  return *made;
}

std::size_t bytes_of(const r1cs::BlockCircuit<Fr>& circuit) {
  const auto& parts = circuit.parts();
  return parts.coefficients.size_bytes() + parts.pieces.size_bytes() + parts.ends.size_bytes() +
         parts.terms.size_bytes() + parts.placements.size_bytes() + parts.ports.size_bytes();
}
std::size_t bytes_of(const r1cs::RowCircuit<Fr>& circuit) {
  return circuit.coefficients().size_bytes() + sizeof(r1cs::Term) * circuit.non_zeros().total() +
         3 * sizeof(std::uint64_t) * circuit.num_constraints();
}

void count(benchmark::State& state, const r1cs::CompiledCircuit<Fr>& circuit, std::size_t bytes) {
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["terms/s"] = benchmark::Counter(static_cast<double>(circuit.non_zeros().total()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

void recording(benchmark::State& state, const char* id) {
  const Circuit circuit = *find_circuit(id);
  const r1cs::BlockCircuit<Fr> made = record(circuit);
  for (auto _ : state) benchmark::DoNotOptimize(record(circuit));
  count(state, made, bytes_of(made));
}

template <class Form> void evaluate(benchmark::State& state, const Case& c, const Form& circuit) {
  Arena arena(static_cast<unsigned>(state.range(0)));
  const std::size_t rows = circuit.num_constraints() + circuit.num_inputs();
  std::vector<Fr> a(rows), b(rows);
  for (auto _ : state) groth16::evaluate<Fr>(arena, circuit, c.z, a, b);
  count(state, circuit, bytes_of(circuit));
}
void evaluate_pieces(benchmark::State& state, const char* id) { evaluate(state, case_of(id), case_of(id).pieces); }
void evaluate_rows(benchmark::State& state, const char* id) { evaluate(state, case_of(id), case_of(id).rows); }

template <class Form> void digest(benchmark::State& state, const Form& circuit) {
  for (auto _ : state) benchmark::DoNotOptimize(r1cs::matrices_digest<Fr>(circuit));
  count(state, circuit, bytes_of(circuit));
}
void digest_pieces(benchmark::State& state, const char* id) { digest(state, case_of(id).pieces); }
void digest_rows(benchmark::State& state, const char* id) { digest(state, case_of(id).rows); }

template <class Form> void density(benchmark::State& state, const Form& circuit) {
  for (auto _ : state) benchmark::DoNotOptimize(r1cs::density_maps<Fr>(circuit));
  count(state, circuit, bytes_of(circuit));
}
void density_pieces(benchmark::State& state, const char* id) { density(state, case_of(id).pieces); }
void density_rows(benchmark::State& state, const char* id) { density(state, case_of(id).rows); }

#define CUZK_BENCH_CIRCUIT(id)                                              \
  BENCHMARK_CAPTURE(recording, id, id)->Unit(benchmark::kMillisecond);      \
  BENCHMARK_CAPTURE(evaluate_pieces, id, id)                                \
      ->ArgName("threads")                                                  \
      ->Arg(1)                                                              \
      ->Arg(2)                                                              \
      ->UseRealTime()                                                       \
      ->Unit(benchmark::kMillisecond);                                      \
  BENCHMARK_CAPTURE(evaluate_rows, id, id)                                  \
      ->ArgName("threads")                                                  \
      ->Arg(1)                                                              \
      ->Arg(2)                                                              \
      ->UseRealTime()                                                       \
      ->Unit(benchmark::kMillisecond);                                      \
  BENCHMARK_CAPTURE(digest_pieces, id, id)->Unit(benchmark::kMillisecond);  \
  BENCHMARK_CAPTURE(digest_rows, id, id)->Unit(benchmark::kMillisecond);    \
  BENCHMARK_CAPTURE(density_pieces, id, id)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(density_rows, id, id)->Unit(benchmark::kMillisecond);

CUZK_BENCH_CIRCUIT("porep-2k")
CUZK_BENCH_CIRCUIT("porep-512m")
CUZK_BENCH_CIRCUIT("winning-32g")

}  // namespace
}  // namespace cuzk::filecoin
