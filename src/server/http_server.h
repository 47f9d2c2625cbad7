// HttpServer: HttpPages on one address, a TCP port or a unix socket.
//
//   HttpServer ─owns─► listener ("cuzk-http") ─► a thread for each connection, at most max_connections
//
// A connection carries one request: what a client sends after it is not looked at. Heads have 16 KiB at most, bodies
// are refused by their stated length before a byte of them is read, and who is slower than `patience` loses its
// connection. There is no TLS: other machines come through a proxy that has it.
// Thread-safety: external; set_*() and stop() from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/grpc_server.h"
#include "server/http_pages.h"
#include "server/listen_address.h"
#include "support/stop.h"

namespace cuzk::server {

struct HttpOptions {
  ListenAddress listen;
  unsigned socket_mode = 0660;
  std::string socket_group;
  std::uint32_t max_connections = 256;
  /// For the head of a request, and for each 256 KiB of a body or a reply.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
  HttpPagesOptions pages;
  bool opens_more = false;  // those who may not use gRPC may have proofs made here
};

/// None where the configuration wants no HTTP. Token, limits and rules of the socket are those of gRPC. Without a token
/// /v1 is there as daemon.http_proving says: by itself only where whoever reaches it may use gRPC too.
Result<std::optional<HttpOptions>> http_options(const Config& config, const GrpcOptions& grpc);

/// What an operator should know of it: others can reach it.
std::vector<std::string> exposure_warnings(const HttpOptions& options);

class HttpServer {
 public:
  /// Errors: conflict (the address is taken), not_found (no such host), those of SocketPlace.
  static Result<std::unique_ptr<HttpServer>> start(ProvingService& proving, const HttpOptions& options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// As stop() without patience.
  ~HttpServer();

  /// Where it listens, with the port that was chosen.
  const ListenAddress& address() const noexcept;
  /// What /readyz and /status say; not ready at the start.
  void set_ready(bool ready);
  /// What /readyz says as long as it is not ready.
  void set_not_ready(std::string why);
  void set_warnings(std::vector<std::string> warnings);
  void set_orphan_grace(std::chrono::milliseconds grace);
  /// Of requests that come from now on; where none was wanted, none will be.
  void set_token(std::string token);
  /// No new connections; requests that run may end until the deadline, and are cut off then.
  void stop(Deadline deadline);

 private:
  struct Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts) noexcept;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuzk::server
