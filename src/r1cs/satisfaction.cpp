#include "r1cs/satisfaction.h"

#include <atomic>

#include "r1cs/row_sum.h"

namespace cuzk::r1cs {

namespace {

constexpr std::size_t kRowsPerChunk = 1024;  // three inner products each: some 100 us

void lower_to(std::atomic<std::size_t>& least, std::size_t value) noexcept {
  std::size_t known = least.load();
  while (value < known && !least.compare_exchange_weak(known, value)) {
  }
}

}  // namespace

template <class Fr>
std::optional<std::size_t> first_unsatisfied(Arena& arena, const CompiledCircuit<Fr>& circuit,
                                             std::span<const U256> values, const StopToken& stop) {
  CUZK_ASSERT(values.size() == circuit.num_variables());
  const std::size_t rows = circuit.num_constraints();
  std::atomic<std::size_t> first = rows;
  with_isa([&]<class Isa>() {
    using F = rebind_isa<Fr, Isa>;
    const CoefficientTable<F> coefficients(circuit.coefficients());
    parallel_for(arena, 0, rows, kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
      if (begin >= first.load() || stop.stop_requested()) return;
      evaluate_rows<true>(circuit, coefficients, values, begin, end,
                          [&](std::size_t row, const F& a, const F& b, const F& c) {
                            if (!(a * b == c)) lower_to(first, row);
                          });
    });
  });
  return first == rows ? std::nullopt : std::optional(first.load());
}

template std::optional<std::size_t> first_unsatisfied(Arena&, const CompiledCircuit<bn254::Fr>&, std::span<const U256>,
                                                      const StopToken&);
template std::optional<std::size_t> first_unsatisfied(Arena&, const CompiledCircuit<bls12_381::Fr>&,
                                                      std::span<const U256>, const StopToken&);

}  // namespace cuzk::r1cs
