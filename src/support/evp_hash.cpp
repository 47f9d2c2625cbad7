#include "support/evp_hash.h"

#include <openssl/evp.h>

#include "support/result.h"

namespace cuzk {

namespace {

const EVP_MD* evp_algorithm(HashAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case HashAlgorithm::sha256:
      return EVP_sha256();
    case HashAlgorithm::blake2b_512:
      return EVP_blake2b512();
    case HashAlgorithm::blake2s_256:
      return EVP_blake2s256();
  }
  return nullptr;
}

}  // namespace

void EvpHash::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

EvpHash::EvpHash(HashAlgorithm algorithm) : algorithm_(algorithm), context_(EVP_MD_CTX_new()) {
  CUZK_REQUIRE(context_ != nullptr);
  start();
}

void EvpHash::start() { CUZK_REQUIRE(EVP_DigestInit_ex2(context_.get(), evp_algorithm(algorithm_), nullptr) == 1); }

void EvpHash::update(Bytes bytes) { CUZK_REQUIRE(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }

void EvpHash::finish(MutableBytes out) {
  CUZK_REQUIRE(out.size() == static_cast<std::size_t>(EVP_MD_CTX_get_size(context_.get())));
  CUZK_REQUIRE(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(out.data()), nullptr) == 1);
  start();
}

}  // namespace cuzk
