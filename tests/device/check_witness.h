// Random assignments of the kinds that circuits have, packed by value or by any map, and on a device.
#pragma once

#include "backend/cuda/witness.h"
#include "tests/device/check_tools.h"

namespace cuzk::test {

enum class ValueKind : std::uint8_t { zeros, ones, bits, mixed, full };
inline constexpr ValueKind kValueKinds[] = {ValueKind::zeros, ValueKind::ones, ValueKind::bits, ValueKind::mixed,
                                            ValueKind::full};

template <class Fr> U256 value_of_kind(ValueKind kind) {
  const u64 word = random_words()();
  switch (kind) {
    case ValueKind::zeros:
      return U256::zero();
    case ValueKind::ones:
      return U256::from_u64(1);
    case ValueKind::bits:
      return U256::from_u64(word % 2);
    case ValueKind::mixed:
      if (word % 8 != 0) return U256::from_u64(word >> 8 & 1);
      if (word % 16 == 0) return U256::from_u64(word >> 40);
      return random_value<Fr>();
    default:
      return random_value<Fr>();
  }
}
/// ONE, other inputs of any kind, auxiliary variables of one.
template <class Fr> std::vector<U256> assignment(ValueKind kind, std::size_t num_inputs, std::size_t num_aux) {
  std::vector<U256> z = {U256::from_u64(1)};
  while (z.size() < num_inputs) z.push_back(value_of_kind<Fr>(kValueKinds[random_words()() % 5]));
  while (z.size() < num_inputs + num_aux) z.push_back(value_of_kind<Fr>(kind));
  return z;
}

/// Packed so that some bits are general too, as the structure of a circuit may ask for.
inline r1cs::PackedWitness pack_loosely(std::span<const U256> z, std::size_t num_inputs) {
  const std::span<const U256> aux = z.subspan(num_inputs);
  std::vector<bool> general(aux.size());
  std::size_t count = 0;
  for (std::size_t j = 0; j < aux.size(); ++j) {
    general[j] = !(aux[j] < U256::from_u64(2)) || random_words()() % 3 == 0;
    count += general[j] ? 1 : 0;
  }
  r1cs::PackedWitness packed(num_inputs, {.aux = aux.size(), .general = count});
  const r1cs::PackedDestination to = packed.destination();
  std::ranges::copy(z.first(num_inputs), to.inputs.begin());
  std::uint32_t next = 0;
  for (std::size_t j = 0; j < aux.size(); ++j) {
    if (j % 64 == 0) to.ranks[j / 64] = next;
    if (general[j]) {
      to.general_map[j / 64] |= u64{1} << (j % 64);
      to.general[next++] = aux[j];
    } else {
      to.bits[j / 64] |= aux[j].limb[0] << (j % 64);
    }
  }
  return packed;
}

/// A witness with the device's memory for it.
struct WitnessOnDevice {
  DeviceBuffer memory;
  cuda::DeviceWitness witness;

  explicit WitnessOnDevice(const cuda::WitnessShape& shape)
      : memory(poisoned(cuda::witness_bytes(shape))), witness(shape, memory.as<std::byte>()) {}
  WitnessOnDevice(const Stream& stream, const r1cs::PackedView& packed)
      : WitnessOnDevice({packed.inputs.size(), packed.num_aux, packed.general.size()}) {
    must(witness.upload(stream, packed), "upload");
    must(stream.wait(), "upload");
  }
};

}  // namespace cuzk::test
