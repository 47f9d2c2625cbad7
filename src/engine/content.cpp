#include "engine/content.h"

namespace cuzk::engine {

namespace {

void add(Sha256& hash, Bytes part) {
  std::array<std::byte, 8> length;
  store_le<std::uint64_t>(length.data(), part.size());
  hash.update(length).update(part);
}

}  // namespace

std::uint64_t JobContent::payload_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Payload& payload : payloads) sum += payload.bytes.size();
  return sum;
}

std::vector<store::PayloadHash> payload_hashes(const JobContent& content) {
  std::vector<store::PayloadHash> hashes;
  hashes.reserve(content.payloads.size());
  for (const Payload& payload : content.payloads) hashes.push_back(sha256(payload.bytes));
  return hashes;
}

store::JobDigest digest_of(const JobContent& content, const std::vector<store::PayloadHash>& payloads) {
  Sha256 hash;
  add(hash, text_bytes(content.kind));
  add(hash, text_bytes(content.circuit));
  add(hash, content.key);
  std::array<std::byte, 4> partitions;
  store_le<std::uint32_t>(partitions.data(), content.partitions);
  add(hash, partitions);
  add(hash, content.metadata);
  for (const store::PayloadHash& payload : payloads) add(hash, payload);
  return hash.finish();
}

}  // namespace cuzk::engine
