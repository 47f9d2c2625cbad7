// Bodies of gadgets/multipack.h.
#pragma once

#include <algorithm>

#include "gadgets/multipack.h"

namespace cuzk::gadgets {

namespace detail {

/// precondition: at most kCapacity bits.
template <class Fr> Fr value_of(std::span<const Boolean> bits) noexcept {
  typename Fr::Repr value = Fr::Repr::zero();
  for (std::size_t i = 0; i < bits.size(); ++i) value.limb[i / 64] |= u64{bits[i].value()} << (i % 64);
  return Fr::from_canonical(value);
}

}  // namespace detail

template <r1cs::ConstraintSystem CS> std::vector<Boolean> to_bits_le(CS& cs, const Num<typename CS::Field>& x) {
  using Fr = typename CS::Field;
  constexpr std::size_t kBits = Fr::modulus.bit_length();
  const r1cs::Block block(cs);
  typename Fr::Repr value = Fr::Repr::zero();
  if constexpr (CS::kHasValues) value = x.value.canonical();
  std::vector<Boolean> bits;
  bits.reserve(kBits);
  for (std::size_t i = 0; i < kBits; ++i) bits.push_back(alloc_bit(cs, value.bit(i)));
  cs.enforce(r1cs::kNothing, r1cs::kNothing, [&](auto& lc) {
    weighted_sum<Fr>(bits)(lc);
    lc.sub(x.variable);
  });
  return bits;
}

template <r1cs::ConstraintSystem CS> Num<typename CS::Field> pack_bits(CS& cs, std::span<const Boolean> bits) {
  using Fr = typename CS::Field;
  const auto used = bits.first(std::min(bits.size(), kCapacity<Fr>));
  const auto x = alloc_num(cs, detail::value_of<Fr>(used));
  cs.enforce(weighted_sum<Fr>(used), r1cs::kOne, r1cs::term(x.variable));
  return x;
}

template <r1cs::ConstraintSystem CS> void pack_into_input(CS& cs, std::span<const Boolean> bits) {
  using Fr = typename CS::Field;
  for (std::size_t begin = 0; begin < bits.size(); begin += kCapacity<Fr>) {
    const auto chunk = bits.subspan(begin, std::min(bits.size() - begin, kCapacity<Fr>));
    const r1cs::Variable input = cs.input(detail::value_of<Fr>(chunk));
    cs.enforce(weighted_sum<Fr>(chunk), r1cs::kOne, r1cs::term(input));
  }
}

template <r1cs::ConstraintSystem CS> std::vector<Boolean> alloc_bits(CS& cs, u64 value, unsigned count) {
  std::vector<Boolean> bits;
  bits.reserve(count);
  for (unsigned i = 0; i < count; ++i) bits.push_back(alloc_bit(cs, (value >> i & 1) != 0));
  return bits;
}

inline std::vector<Boolean> reverse_bit_numbering(std::span<const Boolean> bits) {
  std::vector<Boolean> reversed((bits.size() + 7) / 8 * 8, Boolean::constant(false));
  for (std::size_t i = 0; i < bits.size(); ++i) reversed[i / 8 * 8 + 7 - i % 8] = bits[i];
  return reversed;
}

}  // namespace cuzk::gadgets
