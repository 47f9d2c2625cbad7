#include "r1cs/block_circuit.h"

#include <vector>

namespace cuzk::r1cs {

namespace {

/// Terms of a piece by side.
NonZeros terms_of(const Piece& piece, std::span<const std::uint32_t> all_ends) noexcept {
  const auto ends = all_ends.subspan(piece.first_end, 3 * std::size_t{piece.num_rows});
  std::uint64_t counts[3] = {};
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    counts[i % 3] += ends[i] - begin;
    begin = ends[i];
  }
  return {counts[0], counts[1], counts[2]};
}

template <class Fr> NonZeros count_terms(const BlockParts<Fr>& parts) {
  std::vector<NonZeros> of_piece;
  of_piece.reserve(parts.pieces.size());
  for (const Piece& piece : parts.pieces) of_piece.push_back(terms_of(piece, parts.ends));
  NonZeros total;
  for (const Placement& placement : parts.placements) {
    const NonZeros& added = of_piece[placement.piece];
    total = {total.a + added.a, total.b + added.b, total.c + added.c};
  }
  return total;
}

/// The terms of one side with their wires, appended; returns how many.
std::size_t expand(const PlacedPiece& piece, std::span<const PieceTerm> side, std::vector<Term>& terms) {
  for (const PieceTerm& term : side) terms.push_back({piece.wire(term.place), term.coefficient});
  return side.size();
}

}  // namespace

template <class Fr>
BlockCircuit<Fr>::BlockCircuit(const BlockParts<Fr>& parts, std::shared_ptr<const void> owner)
    : parts_(parts), owner_(std::move(owner)), non_zeros_(count_terms(parts)) {}

template <class Fr> void BlockCircuit<Fr>::visit_rows(std::size_t begin, std::size_t end, RowVisitor visitor) const {
  std::vector<Term> terms;
  visit_pieces(begin, end, [&](const PlacedPiece& piece, std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      terms.clear();
      const std::size_t a = expand(piece, piece.side(row, 0), terms);
      const std::size_t b = expand(piece, piece.side(row, 1), terms);
      const std::size_t c = expand(piece, piece.side(row, 2), terms);
      const std::span<const Term> all = terms;
      visitor({piece.first_row() + row, all.first(a), all.subspan(a, b), all.last(c)});
    }
  });
}

template class BlockCircuit<bn254::Fr>;
template class BlockCircuit<bls12_381::Fr>;

}  // namespace cuzk::r1cs
