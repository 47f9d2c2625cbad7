// The encoding of an empty-sector update: new data laid over an old replica with randomness of both.
//
// Page: docs/circuits.md, "EmptySectorUpdate". Nodes are canonical in and out. Thread-safety: pure functions.
#pragma once

#include <cstdint>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

Node update_phi(const Node& comm_d_new, const Node& comm_r_old) noexcept;

/// The bits of a node's position that choose its rho. precondition: the sector has updates.
std::uint64_t update_high_bits(const SectorShape& sector, std::uint64_t node) noexcept;
Node update_rho(const Node& phi, std::uint64_t high_bits) noexcept;

/// r_old + d_new * rho
Node encode_update(const Node& r_old, const Node& d_new, const Node& rho) noexcept;

/// The first public input: the partition, and above its bits which of the circuit's h is used.
std::uint64_t update_partition_and_h(const SectorShape& sector, unsigned partition) noexcept;

}  // namespace cuzk::filecoin
