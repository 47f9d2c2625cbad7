#include "backend/cuda/circuit_form.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "r1cs/block_circuit.h"

namespace cuzk::cuda {

namespace {

using r1cs::BlockCircuit;
using r1cs::BlockParts;
using r1cs::CompiledCircuit;
using r1cs::Piece;
using r1cs::PieceTerm;
using std::uint32_t;

static_assert(kPortBit == PieceTerm::kPortBit);

constexpr std::size_t kRowsOfRun = 1 << 16;                 // of a circuit without pieces
constexpr std::size_t kTermsOfPart = std::size_t{1} << 20;  // a few megabytes

unsigned bytes_for(std::size_t coefficients) noexcept {
  if (coefficients <= std::size_t{1} << 8) return 1;
  return coefficients <= std::size_t{1} << 16 ? 2 : 4;
}

uint32_t place_of(const r1cs::Term& term) noexcept { return term.wire; }
uint32_t place_of(const PieceTerm& term) noexcept { return term.place; }

/// Gathers rows and hands them on in parts.
class RowWriter {
 public:
  RowWriter(const FormSizes& sizes, FormSink& sink) : sizes_(sizes), sink_(sink) {}

  /// What is written from now on belongs to a new run, or to a new piece.
  void begin_run() noexcept { terms_of_run_ = 0; }
  std::size_t end_position() const noexcept { return ends_written_ + ends_.size(); }
  std::size_t term_position() const noexcept { return terms_written_ + places_.size(); }

  template <class Term> Status side(std::span<const Term> terms) {
    for (const Term& term : terms) {
      places_.push_back(place_of(term));
      for (unsigned i = 0; i < sizes_.coefficient_bytes; ++i) {
        coefficients_.push_back(static_cast<std::byte>(term.coefficient >> (8 * i)));
      }
    }
    terms_of_run_ += terms.size();
    if (terms_of_run_ > std::numeric_limits<uint32_t>::max()) {
      return fail(Code::unsupported, "a circuit with " + std::to_string(terms_of_run_) + " terms in a piece");
    }
    ends_.push_back(static_cast<uint32_t>(terms_of_run_));
    return places_.size() >= kTermsOfPart || ends_.size() >= kTermsOfPart ? flush() : Status();
  }
  Status flush() {
    CUZK_CHECK_OK(sink_.put_ends(ends_written_, ends_));
    CUZK_CHECK_OK(sink_.put_places(terms_written_, places_));
    CUZK_CHECK_OK(sink_.put_coefficients(terms_written_, coefficients_));
    ends_written_ += ends_.size();
    terms_written_ += places_.size();
    ends_.clear();
    places_.clear();
    coefficients_.clear();
    return {};
  }

 private:
  const FormSizes& sizes_;
  FormSink& sink_;
  std::vector<uint32_t> ends_, places_;
  std::vector<std::byte> coefficients_;
  std::size_t ends_written_ = 0, terms_written_ = 0;
  std::uint64_t terms_of_run_ = 0;
};

/// A piece's side, as PlacedPiece finds it.
template <class Fr>
std::span<const PieceTerm> side_of(const BlockParts<Fr>& parts, const Piece& piece, std::size_t row, unsigned side) {
  const std::size_t at = 3 * row + side;
  const uint32_t* const ends = parts.ends.data() + piece.first_end;
  const uint32_t begin = at == 0 ? 0 : ends[at - 1];
  return parts.terms.subspan(piece.first_term + begin, ends[at] - begin);
}

template <class Fr> std::size_t terms_of(const BlockParts<Fr>& parts, unsigned sides) {
  std::size_t terms = 0;
  for (const Piece& piece : parts.pieces) {
    for (std::size_t row = 0; row < piece.num_rows; ++row) {
      for (unsigned s = 0; s < sides; ++s) terms += side_of(parts, piece, row, s).size();
    }
  }
  return terms;
}

template <class Fr>
Result<std::vector<RowRun>> write_blocks(const BlockParts<Fr>& parts, const FormSizes& sizes, RowWriter& writer) {
  std::vector<RowRun> of_piece;
  for (const Piece& piece : parts.pieces) {
    writer.begin_run();
    of_piece.push_back({.first_end = writer.end_position(), .first_term = writer.term_position()});
    for (std::size_t row = 0; row < piece.num_rows; ++row) {
      for (unsigned s = 0; s < sizes.sides; ++s) CUZK_CHECK_OK(writer.side(side_of(parts, piece, row, s)));
    }
  }
  std::vector<RowRun> runs;
  for (const r1cs::Placement& placement : parts.placements) {
    RowRun run = of_piece[placement.piece];
    run.first_row = placement.first_row;
    run.first_port = placement.first_port;
    run.first_wire = static_cast<uint32_t>(parts.num_inputs + placement.first_aux);
    runs.push_back(run);
  }
  return runs;
}

template <class Fr>
Result<std::vector<RowRun>> write_rows(const CompiledCircuit<Fr>& circuit, const FormSizes& sizes, RowWriter& writer) {
  std::vector<RowRun> runs;
  Status status;
  const auto write = [&](const r1cs::Row& row) {
    const std::array sides = {row.a, row.b, row.c};
    for (unsigned s = 0; s < sizes.sides && status; ++s) status = writer.side(sides[s]);
  };
  for (std::size_t row = 0; row < circuit.num_constraints() && status; row += kRowsOfRun) {
    writer.begin_run();
    runs.push_back({.first_row = row, .first_end = writer.end_position(), .first_term = writer.term_position()});
    circuit.visit_rows(row, std::min(row + kRowsOfRun, circuit.num_constraints()), write);
  }
  CUZK_CHECK_OK(std::move(status));
  return runs;
}

/// The last run that begins at or before the first row of each group; the end lies behind all rows.
std::vector<uint32_t> groups_of(std::span<const RowRun> runs, std::size_t groups) {
  std::vector<uint32_t> first(groups);
  std::size_t run = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    while (run + 1 < runs.size() && runs[run + 1].first_row <= g * kRowsOfGroup) ++run;
    first[g] = static_cast<uint32_t>(run);
  }
  return first;
}

}  // namespace

template <class Fr> Result<FormSizes> form_sizes(const CompiledCircuit<Fr>& circuit, unsigned sides) {
  if (circuit.num_variables() > kPortBit) {
    return fail(Code::unsupported,
                "a circuit of " + std::to_string(circuit.num_variables()) + " variables on a device");
  }
  FormSizes sizes{.groups = (circuit.num_constraints() + kRowsOfGroup - 1) / kRowsOfGroup + 1,
                  .sides = sides,
                  .coefficient_bytes = bytes_for(circuit.coefficients().size())};
  if (const auto* blocks = dynamic_cast<const BlockCircuit<Fr>*>(&circuit)) {
    const BlockParts<Fr>& parts = blocks->parts();
    sizes.runs = parts.placements.size();
    for (const Piece& piece : parts.pieces) sizes.ends += sides * std::size_t{piece.num_rows};
    sizes.terms = terms_of(parts, sides);
    sizes.ports = parts.ports.size();
    return sizes;
  }
  const r1cs::NonZeros non_zeros = circuit.non_zeros();
  sizes.runs = (circuit.num_constraints() + kRowsOfRun - 1) / kRowsOfRun;
  sizes.ends = sides * circuit.num_constraints();
  sizes.terms = non_zeros.a + non_zeros.b + (sides == 3 ? non_zeros.c : 0);
  return sizes;
}

template <class Fr> Status write_form(const CompiledCircuit<Fr>& circuit, const FormSizes& sizes, FormSink& sink) {
  RowWriter writer(sizes, sink);
  std::vector<RowRun> runs;
  if (const auto* blocks = dynamic_cast<const BlockCircuit<Fr>*>(&circuit)) {
    CUZK_TRY(runs, write_blocks(blocks->parts(), sizes, writer));
    CUZK_CHECK_OK(sink.put_ports(0, blocks->parts().ports));
  } else {
    CUZK_TRY(runs, write_rows(circuit, sizes, writer));
  }
  CUZK_CHECK_OK(writer.flush());
  CUZK_REQUIRE(runs.size() == sizes.runs && writer.end_position() == sizes.ends &&
               writer.term_position() == sizes.terms);
  CUZK_CHECK_OK(sink.put_runs(0, runs));
  return sink.put_groups(0, groups_of(runs, sizes.groups));
}

#define CUZK_INSTANTIATE(Fr)                                                               \
  template Result<FormSizes> form_sizes(const r1cs::CompiledCircuit<Fr>&, unsigned sides); \
  template Status write_form(const r1cs::CompiledCircuit<Fr>&, const FormSizes&, FormSink&);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::cuda
