#include "filecoin/primitives/replica.h"

#include <algorithm>

#include "field/fp.h"
#include "filecoin/registry.h"
#include "hash/poseidon.h"
#include "hash/sha256_compress.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;

constexpr std::size_t kNodeBytes = sizeof(Node);
constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLabelHeader = 64;  // replica_id, layer, node, zeros

constexpr std::size_t kPaddedLabelBlocks = (kLabelHeader + kLabelParents * kNodeBytes) / kBlockBytes + 1;

/// SHA-256 of the first `length` bytes, behind which there is room for the padding, as a node.
Node hash_to_node(MutableBytes message, std::size_t length) noexcept {
  hash::sha256_pad(message, length);
  hash::Sha256State state = hash::kSha256Initial;
  hash::sha256_compress(state, message);
  return hash::trimmed_digest(state);
}

}  // namespace

Node replica_id(const Bytes32& prover_id, std::uint64_t sector_number, const Bytes32& ticket, const Node& comm_d,
                const Bytes32& porep_id) {
  constexpr std::size_t kLength = 4 * 32 + 8;
  std::array<std::byte, 3 * kBlockBytes> message{};
  std::byte* to = std::copy(prover_id.begin(), prover_id.end(), message.begin());
  store_be(to, sector_number);
  to = std::copy(ticket.begin(), ticket.end(), to + 8);
  comm_d.to_le_bytes(to);
  std::copy(porep_id.begin(), porep_id.end(), to + kNodeBytes);
  return hash_to_node(message, kLength);
}

Node node_label(const Node& replica_id, std::uint32_t layer, std::uint64_t node,
                std::span<const Node> parents) noexcept {
  CUZK_ASSERT(parents.empty() || parents.size() == kLabelParents);
  std::array<std::byte, kPaddedLabelBlocks * kBlockBytes> buffer{};
  const std::size_t length = kLabelHeader + parents.size() * kNodeBytes;
  const MutableBytes message(buffer.data(), (length / kBlockBytes + 1) * kBlockBytes);
  replica_id.to_le_bytes(message.data());
  store_be(message.data() + kNodeBytes, layer);
  store_be(message.data() + kNodeBytes + 4, node);
  for (std::size_t i = 0; i < parents.size(); ++i)
    parents[i].to_le_bytes(message.data() + kLabelHeader + i * kNodeBytes);
  return hash_to_node(message, length);
}

Node column_hash(std::span<const Node> rows) noexcept {
  return hash::poseidon(hash::poseidon_kind_of_arity(static_cast<unsigned>(rows.size())), rows);
}

Node comm_r_of(const Node& comm_c, const Node& comm_r_last) noexcept {
  return hash::poseidon(hash::PoseidonKind::arity_2, std::array{comm_c, comm_r_last});
}

Node encode_node(const Node& key, const Node& data) noexcept {
  return (Fr::from_canonical(key) + Fr::from_canonical(data)).canonical();
}

Node decode_node(const Node& key, const Node& replica) noexcept {
  return (Fr::from_canonical(replica) - Fr::from_canonical(key)).canonical();
}

}  // namespace cuzk::filecoin
