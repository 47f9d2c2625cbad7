#include "filecoin/witness/generate.h"

#include <algorithm>

#include "filecoin/primitives/public_inputs.h"
#include "filecoin/witness/porep_witness.h"
#include "filecoin/witness/post_witness.h"
#include "filecoin/witness/update_witness.h"
#include "r1cs/packed_sink.h"
#include "r1cs/plain_sink.h"
#include "support/result.h"

namespace cuzk::filecoin {

namespace {

using r1cs::WitnessExtent;
using PackedSink = r1cs::PackedSink<hash::Fr>;
using PlainSink = r1cs::PlainSink<hash::Fr>;

/// Calls f with the generator of the instance's kind.
template <class F> decltype(auto) with_generator(const Circuit& circuit, const Instance& instance, F&& f) {
  struct MakeGenerator {
    const SectorShape& sector;
    F& use;
    decltype(auto) operator()(const PorepInstance& porep) const { return use(witness::PorepWitness(sector, porep)); }
    decltype(auto) operator()(const PostInstance& post) const { return use(witness::PostWitness(sector, post)); }
    decltype(auto) operator()(const UpdateInstance& update) const {
      return use(witness::UpdateWitness(sector, update));
    }
  };
  return std::visit(MakeGenerator{*circuit.sector, f}, instance);
}

/// Where each piece begins; last, where all end.
template <class Generator> std::vector<WitnessExtent> piece_borders(const Generator& generator) {
  std::vector<WitnessExtent> borders;
  borders.reserve(generator.num_pieces() + 1);
  WitnessExtent at;
  borders.push_back(at);
  for (std::size_t i = 0; i < generator.num_pieces(); ++i) borders.push_back(at += generator.extent(i));
  return borders;
}

bool stands_at(const PlainSink& sink, WitnessExtent border) noexcept { return sink.position() == border.aux; }
bool stands_at(const PackedSink& sink, WitnessExtent border) noexcept { return sink.position() == border; }

/// make_sink(begin of the piece).
template <class Generator, class MakeSink>
void put_pieces(Arena& arena, const Generator& generator, std::span<const WitnessExtent> borders, const StopToken& stop,
                MakeSink make_sink) {
  parallel_for(arena, 0, generator.num_pieces(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && !stop.stop_requested(); ++i) {
      auto sink = make_sink(borders[i]);
      generator.put(i, sink);
      sink.finish();
      CUZK_ASSERT(stands_at(sink, borders[i + 1]));
    }
  });
}

void set_inputs(const Instance& instance, std::span<U256> inputs) {
  const std::vector<U256> values = public_inputs(instance);
  CUZK_ASSERT(inputs.size() == values.size() + 1);
  inputs[0] = U256::from_u64(1);
  std::ranges::copy(values, inputs.begin() + 1);
}

}  // namespace

WitnessShape witness_shape(const Circuit& circuit) {
  const OwnedInstance blank = blank_instance(circuit);
  const WitnessExtent extent =
      with_generator(circuit, blank.instance, [](const auto& generator) { return piece_borders(generator).back(); });
  return {.num_inputs = circuit.num_public() + 1, .extent = extent};
}

void generate_witness(Arena& arena, const Circuit& circuit, const Instance& instance, std::span<U256> destination,
                      const StopToken& stop) {
  const std::size_t num_inputs = circuit.num_public() + 1;
  set_inputs(instance, destination.first(num_inputs));
  const std::span<U256> aux = destination.subspan(num_inputs);
  with_generator(circuit, instance, [&](const auto& generator) {
    const std::vector<WitnessExtent> borders = piece_borders(generator);
    CUZK_ASSERT(borders.back().aux == aux.size());
    put_pieces(arena, generator, borders, stop, [&](WitnessExtent begin) { return PlainSink(aux, begin.aux); });
  });
}

r1cs::Witness generate_witness(Arena& arena, const Circuit& circuit, const Instance& instance, const StopToken& stop) {
  r1cs::Witness witness = r1cs::Witness::uninitialised(witness_shape(circuit).size());
  generate_witness(arena, circuit, instance, witness.writable(), stop);
  return witness;
}

void generate_packed_witness(Arena& arena, const Circuit& circuit, const Instance& instance,
                             const r1cs::PackedDestination& destination, const StopToken& stop) {
  set_inputs(instance, destination.inputs);
  with_generator(circuit, instance, [&](const auto& generator) {
    const std::vector<WitnessExtent> borders = piece_borders(generator);
    CUZK_ASSERT(r1cs::packed_words(borders.back().aux) == destination.bits.size());
    CUZK_ASSERT(borders.back().general == destination.general.size());
    for (const WitnessExtent& border : borders) r1cs::clear_border(destination, border.aux);
    put_pieces(arena, generator, borders, stop, [&](WitnessExtent begin) { return PackedSink(destination, begin); });
  });
}

r1cs::PackedWitness generate_packed_witness(Arena& arena, const Circuit& circuit, const Instance& instance) {
  const WitnessShape shape = witness_shape(circuit);
  r1cs::PackedWitness packed(shape.num_inputs, shape.extent);
  generate_packed_witness(arena, circuit, instance, packed.destination());
  return packed;
}

}  // namespace cuzk::filecoin
