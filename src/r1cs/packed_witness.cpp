#include "r1cs/packed_witness.h"

#include <algorithm>

#include "support/result.h"

namespace cuzk::r1cs {

namespace {

/// Words of 64 variables in one chunk of a loop; chunks begin at word borders, so they share no word.
constexpr std::size_t kWordsOfChunk = 1024;

constexpr bool is_bit(const U256& value) noexcept {
  return (value.limb[0] >> 1 | value.limb[1] | value.limb[2] | value.limb[3]) == 0;
}

/// The variables of word `w`.
std::span<const U256> variables_of(std::span<const U256> aux, std::size_t w) noexcept {
  return aux.subspan(64 * w, std::min<std::size_t>(64, aux.size() - 64 * w));
}

u64 map_of(std::span<const U256> variables) noexcept {
  u64 map = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) map |= u64{!is_bit(variables[i])} << i;
  return map;
}

/// The general map of all variables; returns how many are general, in ranks[w] those of the words before w.
std::size_t mark_general(Arena& arena, std::span<const U256> aux, std::span<u64> general_map,
                         std::span<std::uint32_t> ranks) {
  parallel_for(arena, 0, general_map.size(), kWordsOfChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) general_map[w] = map_of(variables_of(aux, w));
  });
  std::size_t before = 0;
  for (std::size_t w = 0; w < general_map.size(); ++w) {
    ranks[w] = static_cast<std::uint32_t>(before);
    before += static_cast<std::size_t>(std::popcount(general_map[w]));
  }
  return before;
}

}  // namespace

PackedWitness::PackedWitness(std::size_t num_inputs, WitnessExtent extent)
    : num_aux_(extent.aux),
      inputs_(num_inputs),
      general_map_(packed_words(extent.aux)),
      bits_(packed_words(extent.aux)),
      ranks_(packed_words(extent.aux)),
      general_(extent.general) {}

PackedWitness pack(Arena& arena, std::span<const U256> assignment, std::size_t num_inputs) {
  const std::span<const U256> aux = assignment.subspan(num_inputs);
  std::vector<u64> map(packed_words(aux.size()));
  std::vector<std::uint32_t> ranks(map.size());
  const std::size_t general = mark_general(arena, aux, map, ranks);

  PackedWitness packed(num_inputs, {.aux = aux.size(), .general = general});
  const PackedDestination to = packed.destination();
  std::ranges::copy(assignment.first(num_inputs), to.inputs.begin());
  std::ranges::copy(map, to.general_map.begin());
  std::ranges::copy(ranks, to.ranks.begin());
  parallel_for(arena, 0, map.size(), kWordsOfChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      std::size_t next_general = ranks[w];
      const std::span<const U256> variables = variables_of(aux, w);
      for (std::size_t i = 0; i < variables.size(); ++i) {
        if ((map[w] >> i & 1) != 0)
          to.general[next_general++] = variables[i];
        else
          to.bits[w] |= variables[i].limb[0] << i;
      }
    }
  });
  return packed;
}

void expand(Arena& arena, const PackedView& packed, std::span<U256> out) {
  CUZK_ASSERT(out.size() == packed.size());
  std::ranges::copy(packed.inputs, out.begin());
  const std::span<U256> aux = out.subspan(packed.inputs.size());
  parallel_for(arena, 0, packed.bits.size(), kWordsOfChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      std::size_t next_general = packed.ranks[w];
      const std::size_t first = 64 * w, count = std::min<std::size_t>(64, aux.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        const bool general = (packed.general_map[w] >> i & 1) != 0;
        aux[first + i] = general ? packed.general[next_general++] : U256::from_u64(packed.bits[w] >> i & 1);
      }
    }
  });
}

Witness expand(Arena& arena, const PackedView& packed) {
  Witness witness = Witness::uninitialised(packed.size());
  expand(arena, packed, witness.writable());
  return witness;
}

}  // namespace cuzk::r1cs
