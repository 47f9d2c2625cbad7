#include "r1cs/packed_witness.h"

#include <algorithm>
#include <atomic>

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

}  // namespace

PackedWitness::PackedWitness(std::size_t num_inputs, WitnessExtent extent)
    : num_aux_(extent.aux),
      inputs_(num_inputs),
      general_map_(packed_words(extent.aux)),
      bits_(packed_words(extent.aux)),
      ranks_(packed_words(extent.aux)),
      general_(extent.general) {}

PackedWitness::PackedWitness(std::size_t num_inputs, std::size_t num_aux, PackedBits bits)
    : num_aux_(num_aux),
      inputs_(num_inputs),
      general_map_(std::move(bits.general_map)),
      bits_(std::move(bits.bits)),
      ranks_(std::move(bits.ranks)),
      general_(bits.general) {}

std::optional<PackedBits> find_bits(Arena& arena, std::span<const U256> aux, std::size_t most_general) {
  const std::size_t words = packed_words(aux.size());
  PackedBits found{std::vector<u64>(words), std::vector<u64>(words), std::vector<std::uint32_t>(words), 0};
  std::atomic<std::size_t> known_general = 0;
  parallel_for(arena, 0, words, kWordsOfChunk, [&](std::size_t begin, std::size_t end) {
    if (known_general.load(std::memory_order_relaxed) > most_general) return;
    std::size_t of_chunk = 0;
    for (std::size_t w = begin; w < end; ++w) {
      const std::span<const U256> variables = variables_of(aux, w);
      u64 map = 0, bits = 0;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        const u64 general = is_bit(variables[i]) ? 0 : 1;
        map |= general << i;
        bits |= (variables[i].limb[0] & (1 - general)) << i;
      }
      found.general_map[w] = map;
      found.bits[w] = bits;
      of_chunk += static_cast<std::size_t>(std::popcount(map));
    }
    known_general.fetch_add(of_chunk, std::memory_order_relaxed);
  });
  if (known_general > most_general) return std::nullopt;
  for (std::size_t w = 0; w < words; ++w) {
    found.ranks[w] = static_cast<std::uint32_t>(found.general);
    found.general += static_cast<std::size_t>(std::popcount(found.general_map[w]));
  }
  return found;
}

PackedWitness pack(Arena& arena, std::span<const U256> assignment, std::size_t num_inputs) {
  const std::span<const U256> aux = assignment.subspan(num_inputs);
  return pack(arena, assignment, num_inputs, *find_bits(arena, aux, aux.size()));
}

PackedWitness pack(Arena& arena, std::span<const U256> assignment, std::size_t num_inputs, PackedBits bits) {
  const std::span<const U256> aux = assignment.subspan(num_inputs);
  CUZK_ASSERT(bits.general_map.size() == packed_words(aux.size()));
  PackedWitness packed(num_inputs, aux.size(), std::move(bits));
  const PackedDestination to = packed.destination();
  std::ranges::copy(assignment.first(num_inputs), to.inputs.begin());
  parallel_for(arena, 0, to.general_map.size(), kWordsOfChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      std::size_t next_general = to.ranks[w];
      for (u64 map = to.general_map[w]; map != 0; map &= map - 1) {
        to.general[next_general++] = aux[64 * w + static_cast<std::size_t>(std::countr_zero(map))];
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
