// Cuts a stream of rows into pieces and stores each distinct one once: the part of RecordingSystem that knows no field.
//
// The rows of the piece being written are kept with their variables already renamed to local ones and ports
// (block_circuit.h). cut() ends the piece: one with the same rows as an earlier one, by hash and then by comparison of
// all of it, becomes another placement of that one. No allocation for a row once the buffers have grown. Memory: the
// distinct pieces, 24 bytes a placement, 4 a port. Thread-safety: belongs to one thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "r1cs/block_circuit.h"
#include "r1cs/variable.h"

namespace cuzk::r1cs {

class PieceRecorder {
 public:
  PieceRecorder();

  /// A term of the side being written: the number of its coefficient, to be changed when the variable comes again.
  /// Valid until the next call.
  struct Slot {
    std::uint32_t& coefficient;
    bool is_new;  // coefficient is to be set
  };
  Slot term(Variable v) {
    const std::uint32_t place = place_of(v);
    Seen& seen = (place & PieceTerm::kPortBit) != 0 ? seen_ports_[place ^ PieceTerm::kPortBit] : seen_local(place);
    const bool is_new = seen.side != side_;
    if (is_new) {
      seen = {side_, static_cast<std::uint32_t>(terms_.size())};
      terms_.push_back({place, 0});
    }
    return {terms_[seen.at].coefficient, is_new};
  }
  /// Ends a side; A, B, C in turn. Terms whose coefficient is `zero` are dropped when there are any.
  static constexpr std::uint32_t kZero = ~std::uint32_t{0};
  void end_side(bool has_zeros) {
    if (has_zeros) drop_zeros();
    ends_.push_back(static_cast<std::uint32_t>(terms_.size()));
    if (++side_ == 0) forget_sides();
  }

  std::size_t rows_in_piece() const noexcept { return ends_.size() / 3; }
  std::size_t terms_in_piece() const noexcept { return terms_.size(); }
  /// Ends the piece; variables allocated from now on, num_aux and above, are local to the next one.
  void cut(std::size_t num_aux);

  /// What was recorded; the views are of a memory that the second owns. precondition: the last row was cut.
  struct Recorded {
    std::vector<Piece> pieces;
    std::vector<std::uint32_t> ends;
    std::vector<PieceTerm> terms;
    std::vector<Placement> placements;
    std::vector<Wire> ports;
    std::size_t num_rows = 0;
  };
  Recorded finish(std::size_t num_inputs) &&;

 private:
  /// Where a variable was met in the current side.
  struct Seen {
    std::uint32_t side = 0;
    std::uint32_t at = 0;
  };
  /// A place of the table that finds ports by their variable.
  struct PortEntry {
    Variable variable = Variable::one();
    std::uint32_t piece = 0;  // of which piece this entry is; others are free
    std::uint32_t port = 0;
  };
  /// A variable further than this behind the first of its piece counts as a port, so that tables stay small.
  static constexpr std::uint32_t kMaxLocals = 1 << 22;

  std::uint32_t place_of(Variable v) {
    if (!v.is_input() && v.index() >= first_aux_ && v.index() - first_aux_ < kMaxLocals) return v.index() - first_aux_;
    return PieceTerm::kPortBit | port_of(v);
  }
  std::uint32_t port_of(Variable v) {
    for (std::size_t at = port_hash(v);; ++at) {
      const PortEntry& entry = port_table_[at & (port_table_.size() - 1)];
      if (entry.piece != piece_number_) return add_port(v, at);
      if (entry.variable == v) return entry.port;
    }
  }
  static std::size_t port_hash(Variable v) noexcept;
  std::uint32_t add_port(Variable v, std::size_t at);
  void grow_port_table();
  Seen& seen_local(std::uint32_t place) {
    if (place >= seen_locals_.size()) seen_locals_.resize(2 * std::size_t{place} + 64);
    return seen_locals_[place];
  }
  void drop_zeros();
  void forget_sides();
  std::uint64_t hash_of_piece() const noexcept;
  bool is_same(const Piece& piece) const noexcept;
  std::uint32_t find_or_store();

  // the piece being written
  std::uint32_t first_aux_ = 0;
  std::size_t first_port_ = 0;
  std::uint32_t side_ = 1;
  std::uint32_t piece_number_ = 1;
  std::vector<PieceTerm> terms_;
  std::vector<std::uint32_t> ends_;
  std::vector<Seen> seen_locals_;
  std::vector<Seen> seen_ports_;
  std::vector<PortEntry> port_table_;

  std::vector<Variable> ports_;
  Recorded recorded_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace cuzk::r1cs
