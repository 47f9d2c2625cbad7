#include "filecoin/primitives/graph.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

#include "hash/blake2b_block.h"
#include "hash/chacha.h"
#include "support/sha256.h"

namespace cuzk::filecoin {
namespace {

constexpr unsigned kSampledParents = kDrgParents - 1;  // the sixth is the predecessor

Sha256::Digest domain_seed(std::string_view tag, const Bytes32& porep_id) {
  return Sha256().update(text_bytes(tag)).update(porep_id).finish();
}

/// Half of the bits of a permutation of at least `edges` numbers.
unsigned half_bits(std::uint64_t edges) noexcept {
  unsigned bits = 1;
  while ((std::uint64_t{1} << (2 * bits)) < edges) ++bits;
  return bits;
}

/// A distance in the graph of degree-many copies of each node: first its power of two, then itself.
std::uint64_t sampled_distance(hash::ChachaStream& random, std::uint64_t copy) noexcept {
  const unsigned buckets = static_cast<unsigned>(std::bit_width(copy));  // ceil(log2(copy)): 5n is no power of two
  const unsigned bucket = static_cast<unsigned>(random.next_u64() % buckets) + 1;
  const std::uint64_t high = std::min(copy, std::uint64_t{1} << bucket);
  const std::uint64_t low = std::max<std::uint64_t>(2, high >> 1);
  return low + random.next_u64() % (high - low + 1);
}

/// First 8 bytes, big-endian, of BLAKE2b over the two numbers.
std::uint64_t feistel_round(std::uint64_t right, std::uint64_t key) noexcept {
  std::array<std::byte, 16> message;
  store_be(message.data(), right);
  store_be(message.data() + 8, key);
  return load_be<std::uint64_t>(hash::blake2b_512_block(message).data());
}

}  // namespace

Graph::Graph(std::uint64_t nodes, const Bytes32& porep_id, ApiVersion api)
    : nodes_(nodes), api_(api), feistel_half_bits_(half_bits(kExpanderParents * nodes)) {
  CUZK_ASSERT(std::has_single_bit(nodes) && nodes <= std::uint64_t{1} << 31);
  std::copy_n(domain_seed("Filecoin_DRSample", porep_id).begin(), drg_seed_.size(), drg_seed_.begin());
  const Sha256::Digest keys = domain_seed("Filecoin_Feistel", porep_id);
  for (std::size_t i = 0; i < feistel_keys_.size(); ++i) feistel_keys_[i] = load_le<std::uint64_t>(keys.data() + 8 * i);
}

DrgParents Graph::drg_parents(std::uint32_t node) const noexcept {
  CUZK_ASSERT(node < nodes_);
  DrgParents parents{};
  if (node < 2) return parents;
  const bool predecessor_first = api_ != ApiVersion::v1_0_0;
  parents[predecessor_first ? 0 : kSampledParents] = node - 1;
  std::uint32_t* const sampled = parents.data() + (predecessor_first ? 1 : 0);

  hash::ChachaKey key;
  std::copy(drg_seed_.begin(), drg_seed_.end(), key.begin());
  store_le(key.data() + drg_seed_.size(), node);
  hash::ChachaStream random(8, key, hash::ChachaPosition::zero_nonce());
  const std::uint64_t copy = std::uint64_t{kSampledParents} * node;
  for (unsigned i = 0; i < kSampledParents; ++i) {
    const auto parent = static_cast<std::uint32_t>((copy - sampled_distance(random, copy)) / kSampledParents);
    sampled[i] = parent == node ? node - 1 : parent;
  }
  return parents;
}

std::uint64_t Graph::permuted_edge(std::uint64_t edge) const noexcept {
  const std::uint64_t mask = (std::uint64_t{1} << feistel_half_bits_) - 1;
  std::uint64_t left = edge >> feistel_half_bits_ & mask, right = edge & mask;
  for (const std::uint64_t key : feistel_keys_) {
    const std::uint64_t next = left ^ (feistel_round(right, key) & mask);
    left = right;
    right = next;
  }
  return left << feistel_half_bits_ | right;
}

ExpanderParents Graph::expander_parents(std::uint32_t node) const noexcept {
  CUZK_ASSERT(node < nodes_);
  const std::uint64_t edges = kExpanderParents * nodes_;
  ExpanderParents parents;
  for (unsigned i = 0; i < kExpanderParents; ++i) {
    std::uint64_t edge = std::uint64_t{kExpanderParents} * node + i;
    do edge = permuted_edge(edge);
    while (edge >= edges);  // the permutation is of a power of four: walk its cycle back into range
    if (api_ == ApiVersion::v1_0_0) edge &= std::numeric_limits<std::uint32_t>::max();
    parents[i] = static_cast<std::uint32_t>(edge / kExpanderParents);
  }
  return parents;
}

}  // namespace cuzk::filecoin
