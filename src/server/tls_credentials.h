// TlsCredentials: certificate, key and clients' roots of a TLS server, which may be replaced while it listens.
//
// Connections that are there keep what they began with; new ones get what was set last: texts that check_identity() and
// check_certificates() find in order. gRPC's headers stay in tls_credentials.cpp.
// Thread-safety: replace() at any time; else external.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace grpc {
class ServerCredentials;
}  // namespace grpc

namespace cuzk::server {

/// PEM texts.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string client_ca;  // empty: clients show no certificate; stays empty or not

  friend bool operator==(const TlsTexts&, const TlsTexts&) = default;
};

class TlsCredentials {
 public:
  explicit TlsCredentials(TlsTexts texts);

  void replace(TlsTexts texts);
  /// For one address of a server that must not outlive this.
  std::shared_ptr<grpc::ServerCredentials> for_address();

  class Current;

 private:
  const std::shared_ptr<Current> current_;
  std::vector<std::shared_ptr<grpc::ServerCredentials>> given_;  // gRPC asks them, and does not keep them
};

}  // namespace cuzk::server
