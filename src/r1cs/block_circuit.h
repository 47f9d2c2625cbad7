// A compiled circuit that holds each repeated piece once: what RecordingSystem makes and circuit files hold.
//
// A circuit is a list of placements of pieces, in the order of its rows. A piece is a run of rows whose variables are
// local (an auxiliary variable allocated within the piece: its offset from the first one) or ports (any other variable:
// a number, by first use). A placement says which piece, where its local variables begin, and which wires its ports
// are. A SHA-256 block or a level of a Merkle path is then stored once, however often it occurs: a 32 GiB PoRep
// partition, 722 million terms, takes some tens of megabytes (docs/adr/0004). How a circuit was cut into pieces changes
// none of its rows.
//
// The arrays are views of memory that `owner` keeps: vectors of a recorder or a mapped file. The order of a row's terms
// is that in which the circuit wrote them. Thread-safety: const methods concurrently.
#pragma once

#include <algorithm>
#include <memory>

#include "r1cs/compiled_circuit.h"

namespace cuzk::r1cs {

/// A term within a piece.
struct PieceTerm {
  static constexpr std::uint32_t kPortBit = std::uint32_t{1} << 31;

  std::uint32_t place;        // a local variable, or kPortBit | a port
  std::uint32_t coefficient;  // index into the dictionary

  friend bool operator==(const PieceTerm&, const PieceTerm&) noexcept = default;
};

/// Row i's sides are the terms [end(3 i - 1), end(3 i)), [end(3 i), end(3 i + 1)), [end(3 i + 1), end(3 i + 2)),
/// counted from first_term; end(j) is ends[first_end + j], end(-1) is 0.
struct Piece {
  std::uint32_t num_rows;
  std::uint32_t num_ports;
  std::uint32_t num_locals;  // greatest local variable + 1
  std::uint32_t num_terms;
  std::uint64_t first_end;
  std::uint64_t first_term;
};

struct Placement {
  std::uint32_t piece;
  std::uint32_t first_aux;  // auxiliary variable that is the piece's local variable 0
  std::uint64_t first_row;
  std::uint64_t first_port;  // in the array of ports
};

/// What a BlockCircuit consists of.
template <class Fr> struct BlockParts {
  std::size_t num_inputs = 1;  // with ONE
  std::size_t num_aux = 0;
  std::size_t num_constraints = 0;
  std::span<const Fr> coefficients;
  std::span<const Piece> pieces;
  std::span<const std::uint32_t> ends;
  std::span<const PieceTerm> terms;
  std::span<const Placement> placements;  // by first_row; together all rows
  std::span<const Wire> ports;
  /// Bit j: auxiliary variable j is kept at 0 or 1 by a constraint, as far as the recorder was told.
  std::span<const std::uint64_t> bits;
};

/// A piece at its place.
class PlacedPiece {
 public:
  template <class Fr>
  PlacedPiece(const BlockParts<Fr>& parts, const Placement& placement) noexcept
      : piece_(parts.pieces[placement.piece]),
        first_row_(placement.first_row),
        first_local_(static_cast<Wire>(parts.num_inputs + placement.first_aux)),
        ends_(parts.ends.data() + piece_.first_end),
        terms_(parts.terms.data() + piece_.first_term),
        ports_(parts.ports.data() + placement.first_port) {}

  std::size_t first_row() const noexcept { return first_row_; }
  std::size_t num_rows() const noexcept { return piece_.num_rows; }
  /// Side 0, 1, 2 (A, B, C) of a row of the piece.
  std::span<const PieceTerm> side(std::size_t row, std::size_t which) const noexcept {
    const std::size_t at = 3 * row + which;
    const std::uint32_t begin = at == 0 ? 0 : ends_[at - 1];
    return {terms_ + begin, ends_[at] - begin};
  }
  Wire wire(std::uint32_t place) const noexcept {
    return (place & PieceTerm::kPortBit) != 0 ? ports_[place ^ PieceTerm::kPortBit] : first_local_ + place;
  }

 private:
  const Piece& piece_;
  std::size_t first_row_;
  Wire first_local_;
  const std::uint32_t* ends_;
  const PieceTerm* terms_;
  const Wire* ports_;
};

template <class Fr> class BlockCircuit final : public CompiledCircuit<Fr> {
 public:
  /// precondition: the parts are consistent (a recorder's are; circuit_file.h checks those of a file).
  BlockCircuit(const BlockParts<Fr>& parts, std::shared_ptr<const void> owner);

  std::size_t num_variables() const noexcept override { return parts_.num_inputs + parts_.num_aux; }
  std::size_t num_public() const noexcept override { return parts_.num_inputs - 1; }
  std::size_t num_constraints() const noexcept override { return parts_.num_constraints; }
  NonZeros non_zeros() const noexcept override { return non_zeros_; }
  std::span<const Fr> coefficients() const noexcept override { return parts_.coefficients; }
  void visit_rows(std::size_t begin, std::size_t end, RowVisitor visitor) const override;

  const BlockParts<Fr>& parts() const noexcept { return parts_; }
  /// precondition: aux < num_aux().
  bool is_bit(std::size_t aux) const noexcept { return (parts_.bits[aux / 64] >> (aux % 64) & 1) != 0; }

  /// visit(PlacedPiece, first, last) for the rows [begin, end) in order: rows [first, last) of that piece.
  template <class Visit> void visit_pieces(std::size_t begin, std::size_t end, Visit&& visit) const {
    CUZK_ASSERT(begin <= end && end <= num_constraints());
    if (begin == end) return;
    const auto starts_behind = [](std::size_t row, const Placement& placement) { return row < placement.first_row; };
    auto at = std::upper_bound(parts_.placements.begin(), parts_.placements.end(), begin, starts_behind) - 1;
    for (; at != parts_.placements.end() && at->first_row < end; ++at) {
      const PlacedPiece piece(parts_, *at);
      visit(piece, std::max(begin, piece.first_row()) - piece.first_row(),
            std::min(end - piece.first_row(), piece.num_rows()));
    }
  }

 private:
  BlockParts<Fr> parts_;
  std::shared_ptr<const void> owner_;
  NonZeros non_zeros_;
};

}  // namespace cuzk::r1cs
