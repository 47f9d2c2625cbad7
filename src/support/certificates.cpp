#include "support/certificates.h"

#include <climits>
#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace cuzk {

namespace {

template <auto Free> struct Freed {
  void operator()(auto* object) const noexcept { Free(object); }
};
using Source = std::unique_ptr<BIO, Freed<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

/// What the library has to say of the fault stays with it: it speaks of its own insides.
struct NoErrorsLeft {
  NoErrorsLeft() = default;
  NoErrorsLeft(const NoErrorsLeft&) = delete;
  NoErrorsLeft& operator=(const NoErrorsLeft&) = delete;
  ~NoErrorsLeft() { ERR_clear_error(); }
};

char* no_password() noexcept {
  static char empty[] = "";
  return empty;
}

Source source_of(std::string_view text) {
  return Source(text.size() > INT_MAX ? nullptr : BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// Null: there is no further one. The password is of no use, and without one the library would ask the terminal.
Certificate next_certificate(BIO& source) {
  return Certificate(PEM_read_bio_X509(&source, nullptr, nullptr, no_password()));
}

}  // namespace

Status check_certificates(std::string_view pem) {
  const NoErrorsLeft at_the_end;
  const Source source = source_of(pem);
  unsigned count = 0;
  while (source && next_certificate(*source)) ++count;
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (count > 0 && ended) return {};
  return fail(Code::malformed, ended ? "there is no PEM certificate in it"
                                     : "certificate " + std::to_string(count) + " in it cannot be read");
}

Status check_identity(std::string_view chain, std::string_view key) {
  CUZK_CHECK_OK(check_certificates(chain));
  const NoErrorsLeft at_the_end;
  const Source certificates = source_of(chain);
  const Source keys = source_of(key);
  const Certificate certificate = certificates ? next_certificate(*certificates) : nullptr;
  const PrivateKey own(keys ? PEM_read_bio_PrivateKey(keys.get(), nullptr, nullptr, no_password()) : nullptr);
  if (!own) return fail(Code::malformed, "there is no PEM key without a password in it");
  if (certificate && X509_check_private_key(certificate.get(), own.get()) == 1) return {};
  return fail(Code::malformed, "the key is not that of the first certificate");
}

}  // namespace cuzk
