#include "groth16/evaluate.h"

#include <algorithm>
#include <vector>

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kRowsPerChunk = 2048;      // a few terms each: some 100 us
constexpr std::size_t kProductsPerChunk = 8192;  // 20 ns each

/// A sum of c w, c given as c R^2 and w canonical. Terms with c = 1, -1 are summed as they are and multiplied once.
template <class F> class RowSum {
 public:
  void add(const F& coefficient_r2, const U256& value) noexcept {
    if (value.is_zero()) return;
    const F word = F::from_montgomery(value);
    if (coefficient_r2 == kOne) {
      units_ += word;
    } else if (coefficient_r2 == kMinusOne) {
      units_ -= word;
    } else {
      sum_ += coefficient_r2 * word;
    }
  }
  F total() const noexcept { return units_.is_zero() ? sum_ : sum_ + units_ * kOne; }

 private:
  static constexpr F kOne = F::from_montgomery(F::Constants::r2);
  static constexpr F kMinusOne = -kOne;

  F sum_ = F::zero();
  F units_ = F::zero();
};

template <class Fr> std::size_t first_record_of(const r1cs::CoefficientRecords<Fr>& records, std::size_t row) noexcept {
  std::size_t begin = 0;
  std::size_t end = records.size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (records[middle].row < row) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Rows [begin, end) from records whose rows ascend.
template <class F, class Fr>
void evaluate_sorted(const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness, std::size_t begin,
                     std::size_t end, std::span<F> a, std::span<F> b) noexcept {
  std::size_t i = first_record_of(records, begin);
  for (std::size_t row = begin; row < end; ++row) {
    RowSum<F> sums[2];
    for (; i < records.size(); ++i) {
      const auto record = records[i];
      if (record.row != row) break;
      sums[record.matrix].add(F::from_montgomery(record.value.montgomery()), witness[record.variable]);
    }
    a[row] = sums[0].total();
    b[row] = sums[1].total();
  }
}

/// Rows [begin, end) from records in any order: all are read.
template <class F, class Fr>
void evaluate_unsorted(const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness, std::size_t begin,
                       std::size_t end, std::span<F> a, std::span<F> b) noexcept {
  std::fill(a.begin() + static_cast<std::ptrdiff_t>(begin), a.begin() + static_cast<std::ptrdiff_t>(end), F::zero());
  std::fill(b.begin() + static_cast<std::ptrdiff_t>(begin), b.begin() + static_cast<std::ptrdiff_t>(end), F::zero());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto record = records[i];
    if (record.row < begin || record.row >= end) continue;
    (record.matrix == 0 ? a : b)[record.row] +=
        F::from_montgomery(record.value.montgomery()) * F::from_montgomery(witness[record.variable]);
  }
}

template <class F>
F row_times(std::span<const r1cs::Term> row, std::span<const F> coefficients_r2,
            std::span<const U256> witness) noexcept {
  RowSum<F> sum;
  for (const r1cs::Term& term : row) sum.add(coefficients_r2[term.coefficient], witness[term.variable]);
  return sum.total();
}

template <class F, class Fr> std::vector<F> scaled_by_r(Arena& arena, std::span<const Fr> coefficients) {
  std::vector<F> scaled(coefficients.size());
  parallel_for(arena, 0, scaled.size(), kProductsPerChunk, [&](std::size_t begin, std::size_t end) {
    const F r2 = F::from_montgomery(F::Constants::r2);
    for (std::size_t i = begin; i < end; ++i) scaled[i] = F::from_montgomery(coefficients[i].montgomery()) * r2;
  });
  return scaled;
}

}  // namespace

template <class Fr>
void evaluate(Arena& arena, const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness, std::span<Fr> a,
              std::span<Fr> b) noexcept {
  CUZK_ASSERT(a.size() == b.size());
  with_isa([&]<class Isa>() {
    const auto rows_a = view_as<Isa>(a);
    const auto rows_b = view_as<Isa>(b);
    if (records.sorted_by_row()) {
      parallel_for(arena, 0, a.size(), kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
        evaluate_sorted(records, witness, begin, end, rows_a, rows_b);
      });
      return;
    }
    const std::size_t tasks = std::min<std::size_t>(arena.concurrency(), a.size());
    parallel_tasks(arena, tasks, [&](std::size_t task) {
      evaluate_unsorted(records, witness, a.size() * task / tasks, a.size() * (task + 1) / tasks, rows_a, rows_b);
    });
  });
}

template <class Fr>
void evaluate(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const U256> witness, std::span<Fr> a,
              std::span<Fr> b) {
  const std::size_t constraints = circuit.num_constraints();
  CUZK_ASSERT(a.size() == b.size() && constraints + circuit.num_inputs() <= a.size());
  with_isa([&]<class Isa>() {
    using F = rebind_isa<Fr, Isa>;
    const std::vector<F> coefficients = scaled_by_r<F>(arena, std::span<const Fr>(circuit.coefficients));
    const auto rows_a = view_as<Isa>(a);
    const auto rows_b = view_as<Isa>(b);
    parallel_for(arena, 0, constraints, kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        rows_a[row] = row_times<F>(circuit.a.row(row), coefficients, witness);
        rows_b[row] = row_times<F>(circuit.b.row(row), coefficients, witness);
      }
    });
    parallel_for(arena, constraints, a.size(), kProductsPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const std::size_t input = row - constraints;
        rows_a[row] = input < circuit.num_inputs() ? F::from_canonical(witness[input]) : F::zero();
        rows_b[row] = F::zero();
      }
    });
  });
}

#define CUZK_INSTANTIATE(Fr)                                                                                \
  template void evaluate(Arena&, const r1cs::CoefficientRecords<Fr>&, std::span<const U256>, std::span<Fr>, \
                         std::span<Fr>) noexcept;                                                           \
  template void evaluate(Arena&, const r1cs::CompiledCircuit<Fr>&, std::span<const U256>, std::span<Fr>, std::span<Fr>);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::groth16
