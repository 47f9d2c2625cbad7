// Body of post_circuit.h.
#pragma once

#include "filecoin/circuits/post_circuit.h"
#include "gadgets/merkle_path.h"

namespace cuzk::filecoin {

namespace detail {

template <class CS> void post_sector(CS& cs, const PostSectorInstance& sector) {
  using gadgets::alloc_canonical;
  const auto comm_r_last = alloc_canonical(cs, sector.comm_r_last);
  const auto comm_c = alloc_canonical(cs, sector.comm_c);
  const auto comm_r = alloc_canonical(cs, sector.comm_r);
  gadgets::inputize(cs, comm_r);
  const std::array roots = {comm_c, comm_r_last};
  gadgets::enforce_equal(cs, comm_r, gadgets::poseidon<CS>(cs, hash::PoseidonKind::arity_2, roots));

  for (const MerkleProof& challenge : sector.challenges) {
    const auto leaf = alloc_canonical(cs, challenge.leaf);
    gadgets::merkle_inclusion(cs, leaf, std::span<const PathLevel>(challenge.path), comm_r_last,
                              gadgets::TreeHash::poseidon);
  }
}

}  // namespace detail

template <r1cs::ConstraintSystem CS> void post_circuit(CS& cs, const PostInstance& instance, const StopToken& stop) {
  for (const PostSectorInstance& sector : instance.sectors) {
    if (stop.stop_requested()) return;
    detail::post_sector(cs, sector);
  }
}

}  // namespace cuzk::filecoin
