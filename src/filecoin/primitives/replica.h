// What a replica is made of, node by node: its id, labels, the hash of a column, the encoding, the commitments.
//
// Page: docs/circuits.md, "Labels, columns, commitments". Nodes are canonical in and out. Thread-safety: pure
// functions.
#pragma once

#include <cstdint>
#include <span>

#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

/// SHA-256(prover_id | sector number, big-endian | ticket | comm_d | porep_id), trimmed to 254 bits.
Node replica_id(const Bytes32& prover_id, std::uint64_t sector_number, const Bytes32& ticket, const Node& comm_d,
                const Bytes32& porep_id);

/// Label of a node. `parents`: the labels of its parents as the hash takes them: 37, cycled (kLabelParents); none for
/// node 0. precondition: 0 or 37 of them, and layer >= 1.
Node node_label(const Node& replica_id, std::uint32_t layer, std::uint64_t node,
                std::span<const Node> parents) noexcept;

/// Poseidon over a node's labels, layer 1 first. precondition: 2 or 11 of them.
Node column_hash(std::span<const Node> rows) noexcept;

/// Poseidon of two: comm_r of comm_c and comm_r_last.
Node comm_r_of(const Node& comm_c, const Node& comm_r_last) noexcept;

/// A node of the replica: label of the last layer plus data.
Node encode_node(const Node& key, const Node& data) noexcept;
Node decode_node(const Node& key, const Node& replica) noexcept;

}  // namespace cuzk::filecoin
