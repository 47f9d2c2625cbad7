// GrpcServer: cuzk.v1.ProvingEngine, health and reflection on the addresses that the configuration names.
//
// TCP addresses may have TLS, client certificates and a token; unix sockets have mode and group. Nothing compressed is
// taken, pings of clients are never answered with "too many", and the server pings idle connections itself: calls are
// silent for as long as a proof takes. Connections are accepted by Acceptor, not by gRPC. gRPC's headers stay in
// grpc_server.cpp. Thread-safety: external; stop() and open_again() from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/config.h"
#include "server/grpc_service.h"
#include "server/listen_address.h"
#include "support/stop.h"

namespace cuzk::server {

struct GrpcOptions {
  std::vector<ListenAddress> listen;
  unsigned socket_mode = 0660;
  std::string socket_group;
  // PEM texts; empty: none.
  std::string tls_certificate, tls_key, tls_client_ca;
  std::uint64_t max_message_bytes = 256 * memory::kMiB;
  std::uint64_t max_held_bytes =
      0;  // of what is received, of all connections; 0: by the number of messages with a payload
  GrpcServiceOptions service;
};

/// Reads the files that the configuration names. Errors: those of the files, malformed (an empty one).
Result<GrpcOptions> grpc_options(const Config& config);

/// What an operator should know of it: an address that others can reach without TLS or without a token.
std::vector<std::string> exposure_warnings(const GrpcOptions& options);

class GrpcServer {
 public:
  /// Errors: conflict (a socket or port is taken), invalid_argument (TLS), those of SocketPlace.
  static Result<std::unique_ptr<GrpcServer>> start(ProvingService& proving, const GrpcOptions& options);
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;
  /// As stop() without patience.
  ~GrpcServer();

  /// Where it listens, with the ports that were chosen.
  const std::vector<ListenAddress>& addresses() const noexcept;
  /// What the health service answers; serving at the start.
  void set_serving(bool serving);
  void set_orphan_grace(std::chrono::milliseconds grace);
  /// TLS and token of these options, from the next connection and call on. Whether there is TLS, certificates of
  /// clients or a token at all stays.
  void set_access(const GrpcOptions& options);
  /// Listens again where the file of a unix socket was removed beneath it. What is in the way, by address; it is
  /// to be tried again then.
  std::vector<std::string> open_again();
  /// No new calls; those that run may end until the deadline, and are cancelled then.
  void stop(Deadline deadline);

 private:
  struct Parts;
  explicit GrpcServer(std::unique_ptr<Parts> parts) noexcept;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuzk::server
