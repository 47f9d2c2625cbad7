// Whether PEM texts are what a TLS server can use: asked before it listens, since afterwards only its clients would
// notice. OpenSSL's headers stay in certificates.cpp. Thread-safety: concurrently.
#pragma once

#include <string_view>

#include "support/result.h"

namespace cuzk {

/// `chain` begins with the certificate of `key`, which has no password. malformed: it does not, or is no PEM.
Status check_identity(std::string_view chain, std::string_view key);

/// There is a certificate, and nothing that begins as one and is none. malformed: else.
Status check_certificates(std::string_view pem);

}  // namespace cuzk
