#include "server/tls_credentials.h"

#include <cstdint>
#include <utility>

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpcpp/grpcpp.h>

#include "support/mutex.h"

namespace cuzk::server {

class TlsCredentials::Current {
 public:
  explicit Current(TlsTexts texts) : texts_(std::move(texts)) {}

  void replace(TlsTexts texts) {
    const MutexLock lock(mutex_);
    texts_ = std::move(texts);
    ++version_;
  }
  bool asks_clients() const {
    const MutexLock lock(mutex_);
    return !texts_.client_ca.empty();
  }
  /// What is newer than `seen`; null: nothing is.
  grpc_ssl_server_certificate_config* newer(std::uint64_t& seen) const {
    const MutexLock lock(mutex_);
    if (std::exchange(seen, version_) == version_) return nullptr;
    const grpc_ssl_pem_key_cert_pair pair{texts_.key.c_str(), texts_.certificate.c_str()};
    // gRPC wants roots even where no client is asked for a certificate; they are not used then.
    const std::string& roots = texts_.client_ca.empty() ? texts_.certificate : texts_.client_ca;
    return grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
  }

 private:
  mutable Mutex mutex_;
  TlsTexts texts_ CUZK_GUARDED_BY(mutex_);
  std::uint64_t version_ CUZK_GUARDED_BY(mutex_) = 1;
};

namespace {

/// gRPC's C++ interface has no credentials that are asked for again at each connection; its C interface has.
class FetchedCredentials final : public grpc::ServerCredentials {
 public:
  explicit FetchedCredentials(std::shared_ptr<const TlsCredentials::Current> current) : current_(std::move(current)) {
    const auto clients = current_->asks_clients() ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                                  : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(clients, &FetchedCredentials::fetch, this));
  }
  FetchedCredentials(const FetchedCredentials&) = delete;
  FetchedCredentials& operator=(const FetchedCredentials&) = delete;
  ~FetchedCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>& /*none is used*/) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  /// Called under a lock of gRPC, for the address alone.
  static grpc_ssl_certificate_config_reload_status fetch(void* self, grpc_ssl_server_certificate_config** config) {
    auto& mine = *static_cast<FetchedCredentials*>(self);
    *config = mine.current_->newer(mine.seen_);
    return *config == nullptr ? GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED : GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<const TlsCredentials::Current> current_;
  std::uint64_t seen_ = 0;  // version that gRPC has
  grpc_server_credentials* credentials_ = nullptr;
};

}  // namespace

TlsCredentials::TlsCredentials(TlsTexts texts) : current_(std::make_shared<Current>(std::move(texts))) {}

void TlsCredentials::replace(TlsTexts texts) { current_->replace(std::move(texts)); }

std::shared_ptr<grpc::ServerCredentials> TlsCredentials::for_address() {
  return given_.emplace_back(std::make_shared<FetchedCredentials>(current_));
}

}  // namespace cuzk::server
