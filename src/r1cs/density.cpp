#include "r1cs/density.h"

#include <algorithm>
#include <bit>

#include "r1cs/block_circuit.h"

namespace cuzk::r1cs {

namespace {

// At the stop: some 100 us each.
constexpr std::size_t kRowsPerLook = 4096;
constexpr std::size_t kWordsPerLook = 1024;

/// The variables of one side (0 A, 1 B) of a piece.
struct PieceDensity {
  Bitmap locals;
  Bitmap ports;

  template <class Fr>
  PieceDensity(const BlockParts<Fr>& parts, const Piece& piece, std::size_t side)
      : locals(piece.num_locals), ports(piece.num_ports) {
    const auto ends = parts.ends.subspan(piece.first_end, 3 * std::size_t{piece.num_rows});
    const auto terms = parts.terms.subspan(piece.first_term, piece.num_terms);
    for (std::size_t at = side; at < ends.size(); at += 3) {
      for (std::uint32_t i = at == 0 ? 0 : ends[at - 1]; i < ends[at]; ++i) {
        const std::uint32_t place = terms[i].place;
        if ((place & PieceTerm::kPortBit) == 0) {
          locals.set(place);
        } else {
          ports.set(place ^ PieceTerm::kPortBit);
        }
      }
    }
  }
};

template <class Fr> void mark_side(const BlockParts<Fr>& parts, std::size_t side, Bitmap& present) {
  std::vector<PieceDensity> of_piece;
  of_piece.reserve(parts.pieces.size());
  for (const Piece& piece : parts.pieces) of_piece.emplace_back(parts, piece, side);
  for (const Placement& placement : parts.placements) {
    const PieceDensity& density = of_piece[placement.piece];
    present.set_all(density.locals, parts.num_inputs + placement.first_aux);
    density.ports.for_each([&](std::size_t port) { present.set(parts.ports[placement.first_port + port]); });
  }
}

std::vector<Wire> listed(const Bitmap& present, const StopToken& stop) {
  std::vector<Wire> list;
  if (stop.stop_requested()) return list;
  list.reserve(present.count());
  const auto words = present.words();
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at % kWordsPerLook == 0 && stop.stop_requested()) return list;
    for (std::uint64_t rest = words[at]; rest != 0; rest &= rest - 1) {
      list.push_back(static_cast<Wire>(at * Bitmap::kWordBits + static_cast<std::size_t>(std::countr_zero(rest))));
    }
  }
  return list;
}

}  // namespace

template <class Fr> DensityMaps density_maps(const CompiledCircuit<Fr>& circuit, const StopToken& stop) {
  DensityMaps maps{Bitmap(circuit.num_variables()), Bitmap(circuit.num_variables())};
  for (std::size_t i = 0; i < circuit.num_inputs(); ++i) maps.a.set(i);
  if (const auto* blocks = dynamic_cast<const BlockCircuit<Fr>*>(&circuit)) {
    mark_side(blocks->parts(), 0, maps.a);
    mark_side(blocks->parts(), 1, maps.b);
    return maps;
  }
  const std::size_t rows = circuit.num_constraints();
  for (std::size_t begin = 0; begin < rows && !stop.stop_requested(); begin += kRowsPerLook) {
    circuit.visit_rows(begin, std::min(rows, begin + kRowsPerLook), [&](const Row& row) {
      for (const Term& term : row.a) maps.a.set(term.wire);
      for (const Term& term : row.b) maps.b.set(term.wire);
    });
  }
  return maps;
}

template <class Fr> Densities densities(const CompiledCircuit<Fr>& circuit, const StopToken& stop) {
  const DensityMaps maps = density_maps(circuit, stop);
  return {listed(maps.a, stop), listed(maps.b, stop)};
}

template <class Fr> DensityCounts density_counts(const CompiledCircuit<Fr>& circuit) {
  const DensityMaps maps = density_maps<Fr>(circuit);
  const std::size_t b_inputs = maps.b.count_below(circuit.num_inputs());
  return {maps.a.count() - circuit.num_inputs(), b_inputs, maps.b.count() - b_inputs};
}

#define CUZK_INSTANTIATE(Fr)                                                       \
  template DensityMaps density_maps(const CompiledCircuit<Fr>&, const StopToken&); \
  template DensityCounts density_counts(const CompiledCircuit<Fr>&);               \
  template Densities densities(const CompiledCircuit<Fr>&, const StopToken&);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::r1cs
