#include "groth16/evaluate.h"

#include <algorithm>

#include "r1cs/row_sum.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kRowsPerChunk = 2048;       // a few terms each: some 100 us
constexpr std::size_t kRecordsPerLook = 1 << 16;  // at the stop
constexpr std::size_t kInputsPerChunk = 8192;     // a product each

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

template <class F> void add_term(r1cs::RowSum<F>& sum, const F& coefficient_r2, const U256& value) noexcept {
  constexpr F kOne = F::from_montgomery(F::Constants::r2);
  constexpr F kMinusOne = -kOne;
  if (coefficient_r2 == kOne) {
    sum.add(value);
  } else if (coefficient_r2 == kMinusOne) {
    sum.subtract(value);
  } else {
    sum.add_product(coefficient_r2, value);
  }
}

/// Where rows go, cut into pieces.
template <class F> class Destination {
 public:
  explicit Destination(std::span<const RowPart<F>> parts) noexcept : parts_(parts) {
    for (std::size_t next = 0; const RowPart<F>& part : parts) {
      CUZK_ASSERT(part.first == next && part.a.size() == part.b.size() && !part.a.empty());
      CUZK_ASSERT(part.c.size() == (has_c() ? part.a.size() : 0));
      next += part.a.size();
    }
  }

  std::size_t size() const noexcept { return parts_.empty() ? 0 : parts_.back().first + parts_.back().a.size(); }
  bool has_c() const noexcept { return !parts_.empty() && !parts_.front().c.empty(); }

  /// precondition: row < size().
  const RowPart<F>& part_of(std::size_t row) const noexcept {
    return *(std::ranges::upper_bound(parts_, row, {}, &RowPart<F>::first) - 1);
  }
  /// body(piece) for the pieces that rows [begin, end) consist of, in order. precondition: end <= size().
  template <class Body> void for_each_piece(std::size_t begin, std::size_t end, Body&& body) const {
    for (const RowPart<F>* part = begin < end ? &part_of(begin) : nullptr; begin < end; ++part) {
      const std::size_t offset = begin - part->first;
      const std::size_t count = std::min(end - begin, part->a.size() - offset);
      body(RowPart<F>{begin, part->a.subspan(offset, count), part->b.subspan(offset, count),
                      part->c.empty() ? part->c : part->c.subspan(offset, count)});
      begin += count;
    }
  }

 private:
  std::span<const RowPart<F>> parts_;
};

template <class Isa, class Fr> std::vector<RowPart<rebind_isa<Fr, Isa>>> parts_as(std::span<const RowPart<Fr>> parts) {
  std::vector<RowPart<rebind_isa<Fr, Isa>>> same;
  same.reserve(parts.size());
  for (const RowPart<Fr>& part : parts) {
    same.push_back({part.first, view_as<Isa>(part.a), view_as<Isa>(part.b), view_as<Isa>(part.c)});
  }
  return same;
}

/// From records whose rows ascend.
template <class F, class Fr>
void evaluate_sorted(const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness,
                     const RowPart<F>& to) noexcept {
  std::size_t i = first_record_of(records, to.first);
  for (std::size_t at = 0; at < to.a.size(); ++at) {
    r1cs::RowSum<F> sums[2];
    for (; i < records.size(); ++i) {
      const auto record = records[i];
      if (record.row != to.first + at) break;
      add_term(sums[record.matrix], F::from_montgomery(record.value.montgomery()), witness[record.variable]);
    }
    to.a[at] = sums[0].total();
    to.b[at] = sums[1].total();
  }
}

/// Rows [begin, end) from records in any order: all are read.
template <class F, class Fr>
void evaluate_unsorted(const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness, std::size_t begin,
                       std::size_t end, const Destination<F>& to, const StopToken& stop) noexcept {
  to.for_each_piece(begin, end, [](const RowPart<F>& piece) {
    std::ranges::fill(piece.a, F::zero());
    std::ranges::fill(piece.b, F::zero());
  });
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i % kRecordsPerLook == 0 && stop.stop_requested()) return;
    const auto record = records[i];
    if (record.row < begin || record.row >= end) continue;
    const RowPart<F>& part = to.part_of(record.row);
    (record.matrix == 0 ? part.a : part.b)[record.row - part.first] +=
        F::from_montgomery(record.value.montgomery()) * F::from_montgomery(witness[record.variable]);
  }
}

template <class F> void multiply(const RowPart<F>& piece) noexcept {
  for (std::size_t i = 0; i < piece.c.size(); ++i) piece.c[i] = piece.a[i] * piece.b[i];
}

template <bool WithC, class F, class Fr>
void evaluate_constraints(const r1cs::CompiledCircuit<Fr>& circuit, const r1cs::CoefficientTable<F>& coefficients,
                          std::span<const U256> witness, const RowPart<F>& to) {
  F* const a = to.a.data();
  F* const b = to.b.data();
  F* const c = to.c.data();
  r1cs::evaluate_rows<WithC>(circuit, coefficients, witness, to.first, to.first + to.a.size(),
                             [&, first = to.first](std::size_t row, const F& in_a, const F& in_b, const F& in_c) {
                               a[row - first] = in_a;
                               b[row - first] = in_b;
                               if constexpr (WithC) c[row - first] = in_c;
                             });
}

/// The rows behind the constraints: those of the inputs, then zeros.
template <class F>
void evaluate_inputs(std::span<const U256> inputs, std::size_t constraints, const RowPart<F>& to) noexcept {
  for (std::size_t at = 0; at < to.a.size(); ++at) {
    const std::size_t input = to.first + at - constraints;
    to.a[at] = input < inputs.size() ? F::from_canonical(inputs[input]) : F::zero();
  }
  std::ranges::fill(to.b, F::zero());
  std::ranges::fill(to.c, F::zero());
}

}  // namespace

template <class Fr>
void evaluate(Arena& arena, const r1cs::CoefficientRecords<Fr>& records, std::span<const U256> witness,
              std::span<const RowPart<Fr>> parts, const StopToken& stop) noexcept {
  with_isa([&]<class Isa>() {
    using F = rebind_isa<Fr, Isa>;
    const auto own_parts = parts_as<Isa>(parts);
    const Destination<F> to(own_parts);
    if (records.sorted_by_row()) {
      parallel_for(arena, 0, to.size(), kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
        if (stop.stop_requested()) return;
        to.for_each_piece(begin, end, [&](const RowPart<F>& piece) {
          evaluate_sorted(records, witness, piece);
          multiply(piece);
        });
      });
      return;
    }
    const std::size_t tasks = std::min<std::size_t>(arena.concurrency(), to.size());
    parallel_tasks(arena, tasks, [&](std::size_t task) {
      const std::size_t begin = to.size() * task / tasks;
      const std::size_t end = to.size() * (task + 1) / tasks;
      evaluate_unsorted(records, witness, begin, end, to, stop);
      to.for_each_piece(begin, end, multiply<F>);
    });
  });
}

template <class Fr>
void evaluate(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const U256> witness,
              std::span<const RowPart<Fr>> parts, const StopToken& stop) {
  const std::size_t constraints = circuit.num_constraints();
  CUZK_ASSERT(witness.size() == circuit.num_variables());
  with_isa([&]<class Isa>() {
    using F = rebind_isa<Fr, Isa>;
    const r1cs::CoefficientTable<F> coefficients(circuit.coefficients());
    const auto own_parts = parts_as<Isa>(parts);
    const Destination<F> to(own_parts);
    CUZK_ASSERT(constraints + circuit.num_inputs() <= to.size());
    parallel_for(arena, 0, constraints, kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
      if (stop.stop_requested()) return;
      to.for_each_piece(begin, end, [&](const RowPart<F>& piece) {
        if (to.has_c()) {
          evaluate_constraints<true>(circuit, coefficients, witness, piece);
        } else {
          evaluate_constraints<false>(circuit, coefficients, witness, piece);
        }
      });
    });
    parallel_for(arena, constraints, to.size(), kInputsPerChunk, [&](std::size_t begin, std::size_t end) {
      if (stop.stop_requested()) return;
      to.for_each_piece(begin, end, [&](const RowPart<F>& piece) {
        evaluate_inputs(witness.first(circuit.num_inputs()), constraints, piece);
      });
    });
  });
}

#define CUZK_INSTANTIATE(Fr)                                                                 \
  template void evaluate(Arena&, const r1cs::CoefficientRecords<Fr>&, std::span<const U256>, \
                         std::span<const RowPart<Fr>>, const StopToken&) noexcept;           \
  template void evaluate(Arena&, const r1cs::CompiledCircuit<Fr>&, std::span<const U256>,    \
                         std::span<const RowPart<Fr>>, const StopToken&);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::groth16
