// From the witness to the quotient's scalars, and the setup, by number of constraints, on one thread: random rows of
// about two terms a side, a witness of zeros, ones, small and full values in equal parts.
#include <benchmark/benchmark.h>

#include "groth16/evaluate.h"
#include "groth16/quotient.h"
#include "groth16/setup.h"
#include "tests/gen/circuits.h"

namespace cuzk {
namespace {

using groth16::QuotientBasis;

template <class C> struct Rows {
  using Fr = typename C::Fr;

  explicit Rows(const benchmark::State& state)
      : size(std::size_t{1} << state.range(0)),
        satisfied(test::random_circuit<Fr>({size - 10, 3, size - 10}, random)),
        witness(satisfied.values()),
        a(size),
        b(size),
        c(size) {}

  std::mt19937_64 random{1};
  std::size_t size;
  test::SatisfiedCircuit<Fr> satisfied;
  std::vector<U256> witness;
  std::vector<Fr> a, b, c;
  Arena arena{1};
};

template <class C> void evaluate_circuit(benchmark::State& state) {
  Rows<C> rows(state);
  for (auto _ : state) {
    groth16::evaluate<typename C::Fr>(rows.arena, rows.satisfied.circuit, rows.witness, rows.a, rows.b);
  }
}

template <class C, bool Sorted> void evaluate_records(benchmark::State& state) {
  Rows<C> rows(state);
  const auto bytes = test::coefficient_records(rows.satisfied.circuit);
  const r1cs::CoefficientRecords<typename C::Fr> records(bytes, Sorted);
  for (auto _ : state) groth16::evaluate<typename C::Fr>(rows.arena, records, rows.witness, rows.a, rows.b);
}

template <class C, QuotientBasis Basis> void quotient(benchmark::State& state) {
  Rows<C> rows(state);
  const auto domain = groth16::quotient_domain<C>(rows.arena, rows.size, Basis, RootFamily::iden3);
  groth16::evaluate<typename C::Fr>(rows.arena, rows.satisfied.circuit, rows.witness, rows.a, rows.b);
  for (auto _ : state) {
    benchmark::DoNotOptimize(groth16::quotient<typename C::Fr>(rows.arena, *domain, Basis, rows.a, rows.b, rows.c));
  }
}

template <class C> void setup(benchmark::State& state) {
  Rows<C> rows(state);
  const auto trapdoor = groth16::Trapdoor<typename C::Fr>::random();
  for (auto _ : state) {
    benchmark::DoNotOptimize(groth16::setup<C>(rows.arena, rows.satisfied.circuit, *trapdoor,
                                               QuotientBasis::odd_coset_lagrange, RootFamily::iden3));
  }
}

#define CUZK_BENCH_CURVE(C)                                                                                   \
  BENCHMARK(evaluate_circuit<C>)->Arg(16)->Arg(18)->Unit(benchmark::kMillisecond);                            \
  BENCHMARK(evaluate_records<C, true>)->Arg(16)->Arg(18)->Unit(benchmark::kMillisecond);                      \
  BENCHMARK(evaluate_records<C, false>)->Arg(16)->Unit(benchmark::kMillisecond);                              \
  BENCHMARK(quotient<C, QuotientBasis::odd_coset_lagrange>)->Arg(16)->Arg(18)->Unit(benchmark::kMillisecond); \
  BENCHMARK(quotient<C, QuotientBasis::coset_monomials>)->Arg(16)->Unit(benchmark::kMillisecond);             \
  BENCHMARK(setup<C>)->Arg(14)->Arg(18)->Unit(benchmark::kMillisecond);

CUZK_BENCH_CURVE(Bn254)
CUZK_BENCH_CURVE(Bls12_381)

}  // namespace
}  // namespace cuzk
