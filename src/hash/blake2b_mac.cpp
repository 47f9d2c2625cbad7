#include "hash/blake2b_mac.h"

#include <memory>

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "support/result.h"

namespace cuzk::hash {

namespace {

template <auto kFree> struct Deleter {
  template <class T> void operator()(T* object) const noexcept { kFree(object); }
};
using Mac = std::unique_ptr<EVP_MAC, Deleter<EVP_MAC_free>>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, Deleter<EVP_MAC_CTX_free>>;

}  // namespace

std::array<std::byte, 32> blake2b_mac(std::string_view key, Bytes message) {
  std::array<std::byte, 32> digest;
  std::size_t digest_bytes = digest.size();
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &digest_bytes),
                                   OSSL_PARAM_construct_end()};
  const Mac mac(EVP_MAC_fetch(nullptr, "BLAKE2BMAC", nullptr));
  CUZK_REQUIRE(mac != nullptr);
  const MacContext context(EVP_MAC_CTX_new(mac.get()));
  CUZK_REQUIRE(context != nullptr);
  const Bytes key_bytes = text_bytes(key);
  CUZK_REQUIRE(EVP_MAC_init(context.get(), reinterpret_cast<const unsigned char*>(key_bytes.data()), key_bytes.size(),
                            parameters) == 1);
  CUZK_REQUIRE(EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(message.data()), message.size()) ==
               1);
  CUZK_REQUIRE(
      EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(digest.data()), &digest_bytes, digest.size()) == 1);
  CUZK_REQUIRE(digest_bytes == digest.size());
  return digest;
}

}  // namespace cuzk::hash
