// The variables of the circuits that hash nodes with SHA-256: a level of the data tree, a label.
//
// Page: docs/circuits.md, "SHA-256" and "PoRep". Nodes are canonical. Thread-safety: pure functions over a sink.
#pragma once

#include <span>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"
#include "filecoin/witness/sha256_witness.h"

namespace cuzk::filecoin::witness {

using r1cs::WitnessExtent;
using r1cs::WitnessSink;

// --- a node's bits

inline constexpr unsigned kNodeBits = 255;
inline constexpr WitnessExtent kNodeBitsExtent = r1cs::bits_extent(kNodeBits);

template <WitnessSink S> void put_node_bits(S& sink, const Node& node) noexcept {
  for (std::size_t i = 0; i < 3; ++i) sink.bits(node.limb[i], 64);
  sink.bits(node.limb[3], 63);
}

// --- messages

namespace node_hashes_detail {

using HalfMask = std::array<uint32_t, 8>;

/// The top bit of a node's last byte, which no field element has.
inline constexpr HalfMask kNode = {0, 0, 0, 0, 0, 0, 0, 0x80};
inline constexpr uint32_t kAll = ~uint32_t{0};
inline constexpr HalfMask kConstant = {kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll};
/// Layer, number of the node (64 bits), zeros.
inline constexpr HalfMask kLabelPrefix = {kAll, 0, 0, kAll, kAll, kAll, kAll, kAll};

constexpr BlockPattern block_of(const HalfMask& first, const HalfMask& second, bool constant_state) noexcept {
  BlockPattern pattern{.constant = {}, .constant_state = constant_state};
  for (std::size_t i = 0; i < 8; ++i) {
    pattern.constant[i] = first[i];
    pattern.constant[8 + i] = second[i];
  }
  return pattern;
}

constexpr void set_node(MessageBlock& block, std::size_t at, const Node& node) noexcept {
  for (std::size_t i = 0; i < 4; ++i) {
    block[at + 2 * i] = byte_swap(static_cast<uint32_t>(node.limb[i]));
    block[at + 2 * i + 1] = byte_swap(static_cast<uint32_t>(node.limb[i] >> 32));
  }
}
constexpr MessageBlock block_of(const Node& first, const Node& second) noexcept {
  MessageBlock block{};
  set_node(block, 0, first);
  set_node(block, 8, second);
  return block;
}

/// Ends a message of `bytes`: a one, zeros, the length in bits.
constexpr void set_padding(MessageBlock& block, std::size_t at, uint32_t bytes) noexcept {
  for (std::size_t i = at; i < 15; ++i) block[i] = 0;
  block[at] = uint32_t{1} << 31;
  block[15] = 8 * bytes;
}

inline constexpr BlockPattern kFirstPair = block_of(kNode, kNode, true);
inline constexpr BlockPattern kLaterPair = block_of(kNode, kNode, false);
inline constexpr BlockPattern kPadding = block_of(kConstant, kConstant, false);
inline constexpr BlockPattern kLabelStart = block_of(kNode, kLabelPrefix, true);
inline constexpr BlockPattern kLabelEnd = block_of(kNode, kConstant, false);

}  // namespace node_hashes_detail

// --- a level of the data tree

inline constexpr uint32_t kPairBytes = 64;
inline constexpr WitnessExtent kPairExtent =
    r1cs::bits_extent(u64{2} * kNodeBits + sha256_block_variables(node_hashes_detail::kFirstPair) +
                      sha256_block_variables(node_hashes_detail::kPadding)) +
    r1cs::values_extent(1);

/// Both nodes' bits, the hash, the node that it makes; returns the latter.
template <WitnessSink S> Node put_pair(S& sink, const Node& left, const Node& right) noexcept {
  using namespace node_hashes_detail;
  put_node_bits(sink, left);
  put_node_bits(sink, right);
  Sha256State state = put_sha256_block<kFirstPair>(sink, hash::kSha256Initial, block_of(left, right));
  MessageBlock padding{};
  set_padding(padding, 0, kPairBytes);
  state = put_sha256_block<kPadding>(sink, state, padding);
  const Node node = hash::trimmed_digest(state);
  sink.value(node);
  return node;
}

// --- a label

/// Nodes that a label hashes after its prefix: the parents, cycled.
inline constexpr std::size_t kLabelNodes = kLabelParents;
inline constexpr uint32_t kLabelBytes = 64 + 32 * kLabelNodes;
inline constexpr WitnessExtent kLabelExtent =
    r1cs::bits_extent(sha256_block_variables(node_hashes_detail::kLabelStart) +
                      kLabelNodes / 2 * sha256_block_variables(node_hashes_detail::kLaterPair) +
                      sha256_block_variables(node_hashes_detail::kLabelEnd)) +
    r1cs::values_extent(1);

/// The hash and the label; the bits of all nodes have been put before. `parents` are repeated in their order.
template <WitnessSink S>
Node put_label(S& sink, const Node& replica_id, uint32_t layer, u64 node, std::span<const Node> parents) noexcept {
  using namespace node_hashes_detail;
  MessageBlock block{};
  set_node(block, 0, replica_id);
  block[8] = layer;
  block[9] = static_cast<uint32_t>(node >> 32);
  block[10] = static_cast<uint32_t>(node);
  Sha256State state = put_sha256_block<kLabelStart>(sink, hash::kSha256Initial, block);
  const auto parent = [&](std::size_t i) -> const Node& { return parents[i % parents.size()]; };
  for (std::size_t i = 0; i + 1 < kLabelNodes; i += 2) {
    state = put_sha256_block<kLaterPair>(sink, state, block_of(parent(i), parent(i + 1)));
  }
  set_node(block, 0, parent(kLabelNodes - 1));
  set_padding(block, 8, kLabelBytes);
  state = put_sha256_block<kLabelEnd>(sink, state, block);
  const Node label = hash::trimmed_digest(state);
  sink.value(label);
  return label;
}

}  // namespace cuzk::filecoin::witness
