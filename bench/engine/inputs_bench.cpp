// a, b, c of a partition on their way to a device that wants them from the host: evaluated into vectors in one piece,
// as a heap would give them, or straight into the chunks of the pool; and what prove_start of the CPU backend takes
// with each input. 2^18 random rows on BLS12-381, all cores. `pageable_bytes` is 0 where every chunk was page-locked.
#include <map>

#include <benchmark/benchmark.h>

#include "backend/cpu/cpu_backend.h"
#include "groth16/setup.h"
#include "memory/pinned_pool.h"
#include "tests/gen/circuits.h"
#include "tests/support/must.h"

namespace cuzk {
namespace {

using C = Bls12_381;
using Fr = C::Fr;
using cuzk::test::must;
using Abc = backend::AbcBuffer<Fr>;

struct Partition {
  explicit Partition(unsigned log_size)
      : satisfied(test::random_circuit<Fr>({(std::size_t{1} << log_size) - 10, 3, std::size_t{1} << log_size}, random)),
        circuit(std::make_shared<const r1cs::RowCircuit<Fr>>(satisfied.circuit)),
        witness(std::make_shared<const r1cs::Witness>(satisfied.values())),
        rows(circuit->num_constraints() + circuit->num_inputs()) {
    budget = must(memory::MemoryBudget::create({.total_bytes = memory::kGiB}));
    pool = must(memory::PinnedPool::create(budget, {.arena = &arena}));
  }

  Abc buffer() {
    memory::ReserveRequest request;
    request.bytes = pool->footprint_bytes(Abc::bytes(rows));
    request.pooled_bytes = request.bytes;
    memory::Reservation paid = must(budget->reserve(request));
    return Abc(must(pool->acquire(Abc::bytes(rows), paid)), rows);
  }

  std::mt19937_64 random{1};
  test::SatisfiedCircuit<Fr> satisfied;
  std::shared_ptr<const r1cs::RowCircuit<Fr>> circuit;
  std::shared_ptr<const r1cs::Witness> witness;
  std::size_t rows;
  Arena arena;
  std::shared_ptr<memory::MemoryBudget> budget;
  std::shared_ptr<memory::PinnedPool> pool;
};

void evaluate_into_vectors(benchmark::State& state) {
  Partition partition(18);
  for (auto _ : state) {
    std::vector<Fr> a(partition.rows), b(partition.rows), c(partition.rows);
    groth16::evaluate<Fr>(partition.arena, *partition.circuit, partition.witness->values(), a, b, c);
    benchmark::DoNotOptimize(a.data());
  }
}

void evaluate_into_chunks(benchmark::State& state) {
  Partition partition(18);
  std::uint64_t pageable_bytes = 0;
  partition.buffer().buffer().release();  // made, and lies ready
  for (auto _ : state) {
    const Abc abc = partition.buffer();
    groth16::evaluate<Fr>(partition.arena, *partition.circuit, partition.witness->values(), abc.parts());
    pageable_bytes = abc.buffer().pageable_bytes();
  }
  state.counters["pageable_bytes"] = static_cast<double>(pageable_bytes);
}

void prove_start(benchmark::State& state, backend::Wants wants) {
  Partition partition(14);
  const auto key = std::make_shared<const groth16::ProvingKey<C>>(
      must(groth16::setup<C>(partition.arena, *partition.circuit, must(groth16::Trapdoor<Fr>::random()),
                             groth16::QuotientBasis::coset_monomials, RootFamily::bellperson)));
  backend::CpuBackend<C> cpu(partition.arena);
  const auto resident_key = must(cpu.load_key(groth16::view_of(key), {}));
  const auto resident_circuit = must(cpu.load_circuit(partition.circuit));
  for (auto _ : state) {
    backend::ProvingInput<C> input{.witness = partition.witness, .blinding = must(backend::Blinding<C>::random())};
    if (wants == backend::Wants::abc) {
      input.abc = partition.buffer();
      groth16::evaluate<Fr>(partition.arena, *partition.circuit, partition.witness->values(), input.abc->parts());
    }
    benchmark::DoNotOptimize(must(cpu.prove_start(resident_key, resident_circuit, std::move(input))));
  }
}

BENCHMARK(evaluate_into_vectors)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(evaluate_into_chunks)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove_start, from_the_witness, backend::Wants::witness)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove_start, from_abc, backend::Wants::abc)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuzk
