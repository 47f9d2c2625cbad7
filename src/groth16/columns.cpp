#include "groth16/columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "field/isa.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kRowsPerSlice = 4096;
constexpr std::size_t kSlicesPerThread = 2;
constexpr std::size_t kSharesPerThread = 4;
constexpr std::size_t kVariablesPerBlock = 64;  // of a share: 2 KiB of sums
constexpr std::size_t kMostApart = 4096;

/// A term on its way from who reads its row to who sums up its variable.
struct Addend {
  r1cs::Wire wire;
  std::uint32_t coefficient;
  std::uint32_t weight;  // among those of the batch
};

template <class F> class ColumnSums {
 public:
  ColumnSums(Arena& arena, std::span<const F> coefficients, std::span<const F> lagrange,
             const std::array<F, 3>& factors, std::size_t rows, std::size_t inputs, std::span<F> out)
      : arena_(arena),
        coefficients_(coefficients),
        lagrange_(lagrange),
        factors_(factors),
        apart_(std::min(inputs, kMostApart)),
        out_(out),
        shares_(std::bit_ceil(arena.concurrency() * kSharesPerThread)),
        slices_(std::min(arena.concurrency() * kSlicesPerThread, rows / kRowsPerSlice + 1)),
        weights_(3 * slices_.size() * kRowsPerSlice) {
    for (Slice& slice : slices_) {
      slice.of_share.resize(shares_);
      slice.apart.resize(apart_, F::zero());
    }
  }

  /// Adds the rows of all matrices to what is there.
  template <class Circuit> void add(const Circuit& circuit) {
    const std::size_t rows = circuit.num_constraints(), batch = slices_.size() * kRowsPerSlice;
    for (std::size_t first = 0; first < rows; first += batch) {
      parallel_tasks(arena_, slices_.size(), [&](std::size_t slice) {
        const std::size_t begin = std::min(first + slice * kRowsPerSlice, rows);
        circuit.visit_rows(begin, std::min(begin + kRowsPerSlice, rows),
                           [&](const r1cs::Row& row) { read(row, row.index - first, slices_[slice]); });
      });
      parallel_tasks(arena_, shares_, [&](std::size_t share) { sum_up(share); });
    }
    for (const Slice& slice : slices_) {
      for (std::size_t i = 0; i < apart_; ++i) out_[i] += slice.apart[i];
    }
  }

 private:
  /// What one thread has read. The first inputs, ONE above all, are in so many rows that their sums are no share of
  /// anybody's.
  struct Slice {
    std::vector<std::vector<Addend>> of_share;
    std::vector<F> apart;
  };

  F product(std::uint32_t coefficient, const F& weight) const noexcept {
    const F& factor = coefficients_[coefficient];
    return factor.is_one() ? weight : factor * weight;
  }

  void read(const r1cs::Row& row, std::size_t row_of_batch, Slice& slice) {
    const std::array sides = {row.a, row.b, row.c};
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const F& factor = factors_[side];
      if (factor.is_zero() || sides[side].empty()) continue;
      const std::size_t at = 3 * row_of_batch + side;
      const F& lagrange = lagrange_[row.index];
      weights_[at] = factor.is_one() ? lagrange : factor * lagrange;
      for (const r1cs::Term& term : sides[side]) {
        if (term.wire < apart_) {
          slice.apart[term.wire] += product(term.coefficient, weights_[at]);
        } else {
          slice.of_share[term.wire / kVariablesPerBlock & (shares_ - 1)].push_back(
              {term.wire, term.coefficient, static_cast<std::uint32_t>(at)});
        }
      }
    }
  }

  void sum_up(std::size_t share) {
    for (Slice& slice : slices_) {
      for (const Addend& addend : slice.of_share[share]) {
        out_[addend.wire] += product(addend.coefficient, weights_[addend.weight]);
      }
      slice.of_share[share].clear();
    }
  }

  Arena& arena_;
  std::span<const F> coefficients_, lagrange_;
  const std::array<F, 3>& factors_;
  const std::size_t apart_;
  std::span<F> out_;
  const std::size_t shares_;  // blocks of variables go to them in turn; a power of two
  std::vector<Slice> slices_;
  std::vector<F> weights_;  // of a batch: three a row
};

}  // namespace

template <class Fr>
void weighted_columns(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const Fr> lagrange,
                      const ColumnFactors<Fr>& factors, std::span<Fr> out) {
  CUZK_ASSERT(out.size() == circuit.num_variables());
  CUZK_ASSERT(lagrange.size() >= circuit.num_constraints() + circuit.num_inputs());
  constexpr std::size_t kVariablesPerChunk = 16 * 1024;
  const std::size_t constraints = circuit.num_constraints();
  const std::size_t inputs = circuit.num_inputs();
  with_isa([&]<class Isa>() {
    using F = rebind_isa<Fr, Isa>;
    const auto weights = view_as<Isa>(lagrange);
    const auto sums = view_as<Isa>(out);
    const std::array<F, 3> of_sides = {with_arithmetic<Isa>(factors.a), with_arithmetic<Isa>(factors.b),
                                       with_arithmetic<Isa>(factors.c)};
    parallel_for(arena, 0, sums.size(), kVariablesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        sums[i] = i < inputs ? of_sides[0] * weights[constraints + i] : F::zero();
    });
    ColumnSums<F>(arena, view_as<Isa>(circuit.coefficients()), weights, of_sides, constraints, inputs, sums)
        .add(circuit);
  });
}

template void weighted_columns(Arena&, const r1cs::CompiledCircuit<bn254::Fr>&, std::span<const bn254::Fr>,
                               const ColumnFactors<bn254::Fr>&, std::span<bn254::Fr>);
template void weighted_columns(Arena&, const r1cs::CompiledCircuit<bls12_381::Fr>&, std::span<const bls12_381::Fr>,
                               const ColumnFactors<bls12_381::Fr>&, std::span<bls12_381::Fr>);

}  // namespace cuzk::groth16
