// Poseidon hashes of field elements (poseidon_constants.h): the value, and the trace of values that the circuit's
// variables hold.
//
// Thread-safety: pure functions. Complexity: arity 8 takes about as long as 1400 products, its trace an eighth more.
#pragma once

#include "hash/poseidon_constants.h"

namespace cuzk::hash {

/// precondition: as many inputs as the kind's arity.
Fr poseidon(PoseidonKind kind, std::span<const Fr> inputs) noexcept;
/// Canonical values in and out.
U256 poseidon(PoseidonKind kind, std::span<const U256> inputs) noexcept;

/// Variables of the circuit of one hash, in order; the last one is the hash (docs/circuits.md, "Poseidon, the
/// circuit").
constexpr std::size_t poseidon_trace_size(unsigned arity, unsigned partial_rounds) noexcept {
  return 3 * arity + 28 * (arity + 1) + 4 * partial_rounds + 1;
}
std::size_t poseidon_trace_size(PoseidonKind kind) noexcept;

/// Writes poseidon_trace_size(kind) elements and returns the hash. precondition: sizes.
Fr poseidon_trace(PoseidonKind kind, std::span<const Fr> inputs, std::span<Fr> trace) noexcept;
/// The same with canonical values in and out: what a witness holds.
U256 poseidon_trace(PoseidonKind kind, std::span<const U256> inputs, std::span<U256> trace) noexcept;

}  // namespace cuzk::hash
