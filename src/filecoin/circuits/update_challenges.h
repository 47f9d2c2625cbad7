// The numbers of an empty-sector update's circuit that choose: challenges as bits of digests, and the high bits of a
// challenge from which rho comes. Variables, constraints and their order: docs/circuits.md, "Empty-sector update".
// Thread-safety: a constraint system belongs to one thread.
#pragma once

#include <algorithm>

#include "filecoin/primitives/update_shape.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon.h"

namespace cuzk::filecoin {

template <class CS> using NumOf = gadgets::Num<typename CS::Field>;

/// sum 2^i bits[i] = x. Other than to_bits_le, the sum stands on the left, with ONE beside it.
template <r1cs::ConstraintSystem CS>
void enforce_bits(CS& cs, std::span<const gadgets::Boolean> bits, const NumOf<CS>& x) {
  cs.enforce(gadgets::weighted_sum<typename CS::Field>(bits), r1cs::kOne, r1cs::term(x.variable));
}

/// The bits of Poseidon(comm_r_new, partition * digests + j).
template <r1cs::ConstraintSystem CS>
std::vector<gadgets::Boolean> digest_bits(CS& cs, const UpdateShape& shape, const NumOf<CS>& partition,
                                          const NumOf<CS>& comm_r_new, std::size_t j) {
  using Fr = typename CS::Field;
  const Fr digests = Fr::from_u64(shape.digests()), offset = Fr::from_u64(j);
  const NumOf<CS> index = gadgets::alloc_num(cs, partition.value * digests + offset);
  cs.enforce(
      [&](auto& lc) {
        lc.add(partition.variable, digests);
        lc.add(r1cs::Variable::one(), offset);
      },
      r1cs::kOne, r1cs::term(index.variable));
  const std::array preimage = {comm_r_new, index};
  const NumOf<CS> digest = gadgets::poseidon<CS>(cs, hash::PoseidonKind::randomness, preimage);
  const U256 value = digest.value.canonical();
  std::vector<gadgets::Boolean> bits;
  bits.reserve(UpdateShape::kDigestBits);
  for (std::size_t i = 0; i < UpdateShape::kDigestBits; ++i) bits.push_back(gadgets::alloc_bit(cs, value.bit(i)));
  enforce_bits(cs, std::span<const gadgets::Boolean>(bits), digest);
  return bits;
}

/// Offset_bits() bits for each challenge, one after another.
template <r1cs::ConstraintSystem CS>
std::vector<gadgets::Boolean> challenge_offsets(CS& cs, const UpdateShape& shape, const NumOf<CS>& partition,
                                                const NumOf<CS>& comm_r_new) {
  std::vector<gadgets::Boolean> all;
  const std::size_t wanted = shape.challenges() * shape.offset_bits();
  for (std::size_t j = 0; j < shape.digests(); ++j) {
    const auto bits = digest_bits(cs, shape, partition, comm_r_new, j);
    const std::size_t take = std::min(shape.bits_of_digest(), wanted - all.size());
    all.insert(all.end(), bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(take));
  }
  return all;
}

/// The high bits of a challenge as a number, as many as the set one of h_bits says: a product for each choice there is,
/// of which one is not zero, and their sum.
template <r1cs::ConstraintSystem CS>
NumOf<CS> high_bits(CS& cs, const UpdateShape& shape, std::span<const gadgets::Boolean> challenge,
                    std::span<const gadgets::Boolean> h_bits) {
  using Fr = typename CS::Field;
  std::array<NumOf<CS>, UpdateShape::kHighBitChoices> chosen;
  Fr sum = Fr::zero();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const NumOf<CS> high = gadgets::pack_bits(cs, challenge.last(shape.high_bits(i)));
    const gadgets::Boolean& wanted = h_bits[i];
    chosen[i] = gadgets::alloc_num(cs, wanted.value() ? high.value : Fr::zero());
    cs.enforce(r1cs::term(high.variable), [&](auto& lc) { wanted.add_to(lc); }, r1cs::term(chosen[i].variable));
    sum += chosen[i].value;
  }
  const NumOf<CS> selected = gadgets::alloc_num(cs, sum);
  cs.enforce(
      [&](auto& lc) {
        for (const NumOf<CS>& x : chosen) lc.add(x.variable);
      },
      r1cs::kOne, r1cs::term(selected.variable));
  return selected;
}

}  // namespace cuzk::filecoin
