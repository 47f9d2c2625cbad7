// EvpHash: one hash computation that runs through OpenSSL's EVP interface; the base of Sha256, Blake2b512 and
// Blake2s256.
//
// A failure of the library (no memory, algorithm switched off by a policy) ends the program: a wrong digest could
// accept wrong bytes. Thread-safety: external; separate objects concurrently. A moved-from object may only be assigned
// or destroyed.
#pragma once

#include <array>
#include <memory>

#include "support/bytes.h"

struct evp_md_ctx_st;  // EVP_MD_CTX

namespace cuzk {

enum class HashAlgorithm : std::uint8_t { sha256, blake2b_512, blake2s_256 };

class EvpHash {
 public:
  explicit EvpHash(HashAlgorithm algorithm);

  void update(Bytes bytes);
  /// Writes the digest (out.size() must be its size) and starts afresh.
  void finish(MutableBytes out);

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  void start();

  HashAlgorithm algorithm_;
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// A hash with its digest's size in the type: update() as often as wanted, then finish(), which starts afresh.
template <HashAlgorithm kAlgorithm, std::size_t kDigestBytes> class Hash {
 public:
  using Digest = std::array<std::byte, kDigestBytes>;

  Hash() : hash_(kAlgorithm) {}
  Hash& update(Bytes bytes) {
    hash_.update(bytes);
    return *this;
  }
  Digest finish() {
    Digest digest;
    hash_.finish(digest);
    return digest;
  }

 private:
  EvpHash hash_;
};

}  // namespace cuzk
