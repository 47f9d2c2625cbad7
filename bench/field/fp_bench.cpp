// Products, sums and inverses of the four fields, for each instruction set.
//
//   throughput  8 independent chains interleaved, what butterflies and bucket passes see
//   latency     one dependent chain
//
//   mul_n, batch_inverse   spans of elements by the path that is named (support/cpu_features.h): ifma is by lanes
//
// Times are per operation ("items"). A benchmark whose instruction set the machine lacks is left out.
#include <vector>

#include <benchmark/benchmark.h>

#include "field/fp_batch.h"
#include "field/fp_mul.h"
#include "support/cpu_path_scope.h"

namespace cuzk {
namespace {

/// Distinct elements without a random source: powers of 7.
template <class F> std::vector<F> elements(std::size_t n) {
  std::vector<F> v(n);
  F x = F::from_u64(7).pow(u64{1000});
  for (F& e : v) e = x = x * F::from_u64(7);
  return v;
}

struct Mul {
  template <class F> static F apply(const F& a, const F& b) noexcept { return F::mul(a, b); }
};
struct Sqr {
  template <class F> static F apply(const F& a, const F&) noexcept { return F::sqr(a); }
};
struct Add {
  template <class F> static F apply(const F& a, const F& b) noexcept { return a + b; }
};
struct Sub {
  template <class F> static F apply(const F& a, const F& b) noexcept { return a - b; }
};
struct Neg {
  template <class F> static F apply(const F& a, const F&) noexcept { return -a; }
};
struct Inverse {
  template <class F> static F apply(const F& a, const F& b) noexcept { return a.inverse() + b; }
};

constexpr int kUnroll = 64;

template <class F, class Operation> void latency(benchmark::State& state) {
  const std::vector<F> v = elements<F>(2);
  F a = v[0];
  const F b = v[1];
  for (auto _ : state) {
    for (int i = 0; i < kUnroll; ++i) a = Operation::apply(a, b);
    benchmark::DoNotOptimize(a);
  }
  state.SetItemsProcessed(state.iterations() * kUnroll);
}

template <class F, class Operation> void throughput(benchmark::State& state) {
  constexpr std::size_t kChains = 8;
  std::vector<F> x = elements<F>(kChains);
  const F b = elements<F>(kChains + 1).back();
  for (auto _ : state) {
    for (int i = 0; i < kUnroll; ++i)
      for (std::size_t k = 0; k < kChains; ++k) x[k] = Operation::apply(x[k], b);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kUnroll * static_cast<std::int64_t>(kChains));
}

template <class F> void batch_inversion(benchmark::State& state, CpuPath path) {
  const CpuPathScope scope(path);
  std::vector<F> x = elements<F>(static_cast<std::size_t>(state.range(0)));
  std::vector<F> scratch(x.size());
  for (auto _ : state) batch_inverse(std::span(x), std::span(scratch));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// Through the dispatching entry point.
template <class F> void products_of_spans(benchmark::State& state, CpuPath path) {
  const CpuPathScope scope(path);
  const std::vector<F> a = elements<F>(static_cast<std::size_t>(state.range(0)));
  std::vector<F> out(a.size());
  for (auto _ : state) {
    mul_n(std::span(out), a, a);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class F> void square_root(benchmark::State& state) {
  F x = elements<F>(1).front();
  bool ok = false;
  for (auto _ : state) x = x.sqrt(ok) + F::one();
  benchmark::DoNotOptimize(x);
}

template <class F, class Operation> void register_operation(const std::string& name) {
  benchmark::RegisterBenchmark((name + "/throughput").c_str(), throughput<F, Operation>);
  benchmark::RegisterBenchmark((name + "/latency").c_str(), latency<F, Operation>);
}

template <class P, class Isa> void register_field(const std::string& field, const std::string& isa) {
  using F = Fp<P, Isa>;
  const auto name = [&](const char* operation) { return operation + ("/" + field) + "/" + isa; };
  register_operation<F, Mul>(name("mul"));
  register_operation<F, Sqr>(name("sqr"));
  if (std::is_same_v<Isa, Portable>) {  // the same code for every instruction set
    register_operation<F, Add>(name("add"));
    register_operation<F, Sub>(name("sub"));
    register_operation<F, Neg>(name("neg"));
  }
  benchmark::RegisterBenchmark(name("inverse").c_str(), latency<F, Inverse>);
  if ((P::modulus.limb[0] & 3) == 3) benchmark::RegisterBenchmark(name("sqrt").c_str(), square_root<F>);
}

template <class P, class Isa> void register_spans(const std::string& field, CpuPath path) {
  const auto name = [&](const char* operation) {
    return operation + ("/" + field) + "/" + std::string(to_string(path));
  };
  benchmark::RegisterBenchmark(name("mul_n").c_str(), products_of_spans<Fp<P>>, path)->Arg(4096);
  benchmark::RegisterBenchmark(name("batch_inverse").c_str(), batch_inversion<Fp<P, Isa>>, path)->Arg(1024);
}
template <class Isa> void register_path(CpuPath path) {
  register_spans<Bn254FrParams, Isa>("bn254_fr", path);
  register_spans<Bn254FqParams, Isa>("bn254_fq", path);
  register_spans<Bls12_381FrParams, Isa>("bls12_381_fr", path);
  register_spans<Bls12_381FqParams, Isa>("bls12_381_fq", path);
}

template <class Isa> void register_isa(const std::string& isa) {
  register_field<Bn254FrParams, Isa>("bn254_fr", isa);
  register_field<Bn254FqParams, Isa>("bn254_fq", isa);
  register_field<Bls12_381FrParams, Isa>("bls12_381_fr", isa);
  register_field<Bls12_381FqParams, Isa>("bls12_381_fq", isa);
}

const bool registered = [] {
  register_isa<Portable>("portable");
  register_path<Portable>(CpuPath::portable);
  const CpuPath best = best_cpu_path(cpu_features());
  if (best >= CpuPath::adx) register_isa<Adx>("adx"), register_path<Adx>(CpuPath::adx);
  if (best >= CpuPath::ifma) register_path<Adx>(CpuPath::ifma);
  return true;
}();

}  // namespace
}  // namespace cuzk
