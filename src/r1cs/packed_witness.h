// The packed form of an assignment: a bit for a variable that is a bit, 32 bytes for any other.
//
// Most variables of a circuit of hashes are bits; packed, a 32 GiB PoRep partition takes 95 MB instead of 4.2 GB, which
// is what crosses to a device. Auxiliary variables, by index j, 64 to a word, least significant bit first:
//
//   general_map  bit j: whether variable j is general, that is: stored whole
//   bits         bit j: its value, where it is not general; else 0
//   ranks        ranks[w]: how many general variables stand before the word w
//   general      their values, canonical, in order
//
// so a general variable j is general[ranks[j / 64] + popcount(general_map[j / 64] below bit j % 64)]. Bits beyond the
// last variable are zero. Inputs (ONE first) stand apart, whole. Which variables are general is free: witnesses of
// Filecoin's circuits decide by the circuit's structure, so that map and ranks are the same for every proof; pack()
// decides by value. Page: docs/witness.md. Thread-safety: const methods concurrently.
#pragma once

#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "r1cs/witness.h"
#include "r1cs/witness_sink.h"
#include "support/parallel.h"

namespace cuzk::r1cs {

constexpr std::size_t packed_words(std::size_t num_aux) noexcept { return (num_aux + 63) / 64; }

/// Where a packed witness is written: memory of the caller's, of these lengths: inputs; packed_words(num_aux) three
/// times; number of general variables.
struct PackedDestination {
  std::span<U256> inputs;
  std::span<u64> general_map;
  std::span<u64> bits;
  std::span<std::uint32_t> ranks;
  std::span<U256> general;
};

/// A packed witness where it lies.
struct PackedView {
  std::span<const U256> inputs;
  std::size_t num_aux = 0;
  std::span<const u64> general_map;
  std::span<const u64> bits;
  std::span<const std::uint32_t> ranks;
  std::span<const U256> general;

  std::size_t size() const noexcept { return inputs.size() + num_aux; }
  bool is_general(std::size_t aux) const noexcept { return (general_map[aux / 64] >> (aux % 64) & 1) != 0; }
  /// precondition: aux < num_aux.
  U256 aux(std::size_t aux) const noexcept {
    const u64 map = general_map[aux / 64], below = (u64{1} << (aux % 64)) - 1;
    if ((map >> (aux % 64) & 1) == 0) return U256::from_u64(bits[aux / 64] >> (aux % 64) & 1);
    return general[ranks[aux / 64] + static_cast<std::size_t>(std::popcount(map & below))];
  }
  std::size_t bytes() const noexcept {
    return inputs.size_bytes() + general_map.size_bytes() + bits.size_bytes() + ranks.size_bytes() +
           general.size_bytes();
  }
};

/// What the auxiliary variables are by value: what is neither 0 nor 1 is general.
struct PackedBits {
  std::vector<u64> general_map, bits;
  std::vector<std::uint32_t> ranks;
  std::size_t general = 0;
};
/// One pass over the variables, which ends early where more than `most_general` are general: nothing then.
/// precondition: most_general below 2^32.
std::optional<PackedBits> find_bits(Arena& arena, std::span<const U256> aux, std::size_t most_general);

/// One that owns its memory. Move-only, as a witness is.
class PackedWitness {
 public:
  /// Zero everywhere; num_inputs with ONE.
  PackedWitness(std::size_t num_inputs, WitnessExtent extent);
  PackedWitness(PackedWitness&&) noexcept = default;
  PackedWitness& operator=(PackedWitness&&) noexcept = default;
  PackedWitness(const PackedWitness&) = delete;
  PackedWitness& operator=(const PackedWitness&) = delete;

  PackedDestination destination() noexcept { return {inputs_, general_map_, bits_, ranks_, general_}; }
  PackedView view() const noexcept { return {inputs_, num_aux_, general_map_, bits_, ranks_, general_}; }

 private:
  friend PackedWitness pack(Arena& arena, std::span<const U256> assignment, std::size_t num_inputs, PackedBits bits);
  PackedWitness(std::size_t num_inputs, std::size_t num_aux, PackedBits bits);

  std::size_t num_aux_;
  std::vector<U256> inputs_;
  std::vector<u64> general_map_, bits_;
  std::vector<std::uint32_t> ranks_;
  std::vector<U256> general_;
};

/// Packs by value. precondition: 1 <= num_inputs <= size, below 2^32 general.
PackedWitness pack(Arena& arena, std::span<const U256> assignment, std::size_t num_inputs);
/// The same with what find_bits() said of the auxiliary variables; reads the general ones alone.
PackedWitness pack(Arena& arena, std::span<const U256> assignment, std::size_t num_inputs, PackedBits bits);

/// Writes inputs, then every auxiliary variable. precondition: out.size() == packed.size().
void expand(Arena& arena, const PackedView& packed, std::span<U256> out);
Witness expand(Arena& arena, const PackedView& packed);

}  // namespace cuzk::r1cs
