// Numbers as bits and bits as numbers. Least significant bit first. Variables and constraints: docs/circuits.md,
// "Packing".
#pragma once

#include <span>
#include <vector>

#include "gadgets/boolean.h"
#include "gadgets/num.h"
#include "gadgets/powers_of_two.h"

namespace cuzk::gadgets {

/// As many bits as every element of the field can hold: 254 for BLS12-381.
template <class Fr> inline constexpr std::size_t kCapacity = Fr::modulus.bit_length() - 1;

/// sum 2^i bits[i], for enforce(). The bits must outlive it. precondition: at most 256 bits.
template <class Fr> auto weighted_sum(std::span<const Boolean> bits) {
  return [bits](auto& lc) {
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i].add_to(lc, kPowersOfTwo<Fr>[i]);
  };
}

/// All bits of x (255 for BLS12-381): one variable and constraint each, then 0 * 0 = sum 2^i b_i - x. Not strict: for a
/// small x the bits of x + r satisfy it too, a witness has those of the canonical value. A Block.
template <r1cs::ConstraintSystem CS> std::vector<Boolean> to_bits_le(CS& cs, const Num<typename CS::Field>& x);

/// x = sum 2^i b_i over the first kCapacity bits (more are left out, as bellpepper-core does), constrained as
/// (sum 2^i b_i) * 1 = x.
template <r1cs::ConstraintSystem CS> Num<typename CS::Field> pack_bits(CS& cs, std::span<const Boolean> bits);

/// A public input for each kCapacity bits, the last for fewer: (sum 2^i b_i) * 1 = input.
template <r1cs::ConstraintSystem CS> void pack_into_input(CS& cs, std::span<const Boolean> bits);

/// `count` (0..64) new bits of a value.
template <r1cs::ConstraintSystem CS> std::vector<Boolean> alloc_bits(CS& cs, u64 value, unsigned count);

/// Fills up to whole bytes with constant zeros and reverses each byte: between the order of a number's bits and that in
/// which SHA-256 reads the number's little-endian bytes. Its own inverse on whole bytes.
std::vector<Boolean> reverse_bit_numbering(std::span<const Boolean> bits);

}  // namespace cuzk::gadgets

#include "gadgets/multipack_impl.h"
