#include "filecoin/primitives/update.h"

#include <array>

#include "field/fp.h"
#include "filecoin/primitives/update_shape.h"
#include "hash/poseidon.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;

Node randomness_of(const Node& a, const Node& b) noexcept {
  return hash::poseidon(hash::PoseidonKind::randomness, std::array{a, b});
}

}  // namespace

Node update_phi(const Node& comm_d_new, const Node& comm_r_old) noexcept {
  return randomness_of(comm_d_new, comm_r_old);
}

std::uint64_t update_high_bits(const SectorShape& sector, std::uint64_t node) noexcept {
  return node >> (sector.log2_nodes() - sector.update_h);
}

Node update_rho(const Node& phi, std::uint64_t high_bits) noexcept {
  return randomness_of(phi, Node::from_u64(high_bits));
}

Node encode_update(const Node& r_old, const Node& d_new, const Node& rho) noexcept {
  return (Fr::from_canonical(r_old) + Fr::from_canonical(d_new) * Fr::from_canonical(rho)).canonical();
}

std::uint64_t update_partition_and_h(const SectorShape& sector, unsigned partition) noexcept {
  return partition | std::uint64_t{sector.update_h_select} << UpdateShape(sector).partition_bits();
}

}  // namespace cuzk::filecoin
