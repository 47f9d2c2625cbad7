#include "filecoin/primitives/challenges.h"

#include <algorithm>
#include <string_view>

#include "filecoin/primitives/update_shape.h"
#include "hash/blake2b_mac.h"
#include "hash/chacha.h"
#include "hash/poseidon.h"
#include "hash/sha256_compress.h"
#include "support/sha256.h"

namespace cuzk::filecoin {
namespace {

constexpr std::uint64_t kSyntheticPool = std::uint64_t{1} << 18;
constexpr std::string_view kGenerationKey = "filecoin.io|PoRep|1|Synthetic|1|Generation";
constexpr std::string_view kSelectionKey = "filecoin.io|PoRep|1|Synthetic|1|Selection";
constexpr std::string_view kNonInteractiveTag = "filecoin.io|PoRep|1|NonInteractive|1";

/// A 256-bit integer modulo (nodes - 1), plus 1.
std::uint64_t reduce(const U256& value, std::uint64_t nodes) noexcept {
  u128 rest = 0;
  for (std::size_t i = U256::limbs; i-- > 0;) rest = (rest << 64 | value.limb[i]) % (nodes - 1);
  return static_cast<std::uint64_t>(rest) + 1;
}

template <std::unsigned_integral T> std::array<std::byte, sizeof(T)> le_bytes(T value) noexcept {
  std::array<std::byte, sizeof(T)> bytes;
  store_le(bytes.data(), value);
  return bytes;
}

U256 number_of(const Sha256::Digest& digest) noexcept { return U256::from_le_bytes(digest.data()); }

/// The keystream of a synthetic proof: bytes [at, at + out.size()), which lie in one block.
void synthetic_keystream(std::string_view key, const Node& replica_id, Bytes of, std::uint64_t at, MutableBytes out) {
  constexpr std::uint64_t kBlockBytes = 64;
  static constexpr std::string_view kNonce{"synth-porep\0", 12};
  std::array<std::byte, 12> nonce;
  std::copy_n(text_bytes(kNonce).begin(), nonce.size(), nonce.begin());

  std::array<std::byte, 64> message;
  replica_id.to_le_bytes(message.data());
  std::copy(of.begin(), of.end(), message.begin() + 32);

  std::array<std::byte, kBlockBytes> block;
  const auto position = hash::ChachaPosition::ietf(nonce, static_cast<std::uint32_t>(at / kBlockBytes));
  hash::chacha_keystream(20, hash::blake2b_mac(key, message), position, block);
  std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(at % kBlockBytes), out.size(), out.begin());
}

std::uint64_t interactive(const SealedReplica& replica, std::uint64_t nodes, std::uint32_t number) {
  return reduce(
      number_of(
          Sha256().update(object_bytes(replica.replica_id)).update(replica.seed).update(le_bytes(number)).finish()),
      nodes);
}

std::uint64_t synthetic(const SealedReplica& replica, std::uint64_t nodes, std::uint32_t number) {
  std::array<std::byte, 4> choice;
  synthetic_keystream(kSelectionKey, replica.replica_id, replica.seed, std::uint64_t{4} * number, choice);
  const std::uint64_t pool = std::min(nodes, kSyntheticPool);
  return synthetic_challenge(nodes, replica.replica_id, replica.comm_r, load_le<std::uint32_t>(choice.data()) % pool);
}

std::uint64_t non_interactive(const SealedReplica& replica, std::uint64_t nodes, std::uint32_t number) {
  return reduce(number_of(Sha256()
                              .update(text_bytes(kNonInteractiveTag))
                              .update(object_bytes(replica.replica_id))
                              .update(object_bytes(replica.comm_r))
                              .update(le_bytes(number))
                              .finish()),
                nodes);
}

std::uint64_t first_u64(const Sha256::Digest& digest) noexcept { return load_le<std::uint64_t>(digest.data()); }

}  // namespace

std::uint64_t synthetic_challenge(std::uint64_t nodes, const Node& replica_id, const Node& comm_r,
                                  std::uint64_t index) {
  std::array<std::byte, 32> number;
  synthetic_keystream(kGenerationKey, replica_id, object_bytes(comm_r), 32 * index, number);
  return reduce(U256::from_le_bytes(number.data()), nodes);
}

Challenges porep_challenges(const SealProof& proof, const SealedReplica& replica, unsigned partition) {
  CUZK_ASSERT(partition < proof.partitions());
  const auto derive = proof.feature == PorepFeature::synthetic         ? synthetic
                      : proof.feature == PorepFeature::non_interactive ? non_interactive
                                                                       : interactive;
  const unsigned count = proof.sector->porep_challenges;
  Challenges challenges;
  for (unsigned i = 0; i < count; ++i)
    challenges.push_back(derive(replica, proof.sector->nodes(), count * partition + i));
  return challenges;
}

std::uint64_t post_challenge(std::uint64_t nodes, const Node& randomness, std::uint64_t sector_id,
                             std::uint64_t index) {
  std::array<std::byte, 64> block{};  // a partition hashes 23,490 of them: message and padding are one block
  constexpr std::size_t kLength = 32 + 8 + 8;
  randomness.to_le_bytes(block.data());
  store_le(block.data() + 32, sector_id);
  store_le(block.data() + 40, index);
  hash::sha256_pad(block, kLength);
  hash::Sha256State state = hash::kSha256Initial;
  hash::sha256_compress(state, block);
  return (std::uint64_t{byte_swap(state[1])} << 32 | byte_swap(state[0])) % nodes;
}

Challenges winning_challenges(const SectorShape& sector, const Node& randomness, std::uint64_t sector_id) {
  Challenges challenges;
  for (unsigned i = 0; i < kWinningSectors; ++i)
    challenges.push_back(post_challenge(sector.nodes(), randomness, sector_id, i));
  return challenges;
}

Challenges window_challenges(const PostProof& proof, const Node& randomness, std::uint64_t sector_id,
                             std::uint64_t position) {
  const std::uint64_t first = proof.api == ApiVersion::v1_2_0 ? 0 : position * kWindowChallenges;
  Challenges challenges;
  for (unsigned i = 0; i < kWindowChallenges; ++i)
    challenges.push_back(post_challenge(proof.sector->nodes(), randomness, sector_id, first + i));
  return challenges;
}

std::uint64_t winning_sector(const Bytes32& prover_id, const Node& randomness, std::uint64_t n, std::uint64_t sectors) {
  return first_u64(Sha256().update(prover_id).update(object_bytes(randomness)).update(le_bytes(n)).finish()) % sectors;
}

Challenges update_challenges(const SectorShape& sector, const Node& comm_r_new, unsigned partition) {
  CUZK_ASSERT(partition < sector.update_partitions);
  const UpdateShape shape(sector);
  const std::size_t bits = shape.offset_bits();
  Challenges challenges;
  for (std::size_t i = 0; i < shape.digests(); ++i) {
    const U256 number = U256::from_u64(partition * shape.digests() + i);
    const U256 digest = hash::poseidon(hash::PoseidonKind::randomness, std::array{comm_r_new, number});
    for (std::size_t j = 0; j < shape.challenges_of_digest() && challenges.size() < shape.challenges(); ++j)
      challenges.push_back(std::uint64_t{partition} << bits | digest.window(j * bits, static_cast<unsigned>(bits)));
  }
  return challenges;
}

}  // namespace cuzk::filecoin
