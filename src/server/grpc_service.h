// The RPCs of cuzk.v1.ProvingEngine over a ProvingService.
//
// What fails is told in one of two ways, as clients expect it: Prove answers OK with status FAILED for everything that
// is wrong with the proof asked for (payload, key, witness, device); a status of gRPC is for calls that could not be
// taken: no such kind or job, too large, no room, shutting down, no token. gRPC's headers stay in grpc_service.cpp.
// Thread-safety: concurrently.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "server/proving_service.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace cuzk::server {

struct GrpcServiceOptions {
  std::string token;               // that callers of TCP must show; empty: none
  std::uint32_t max_calls = 1024;  // that may wait at the same time; as many watch a job
  std::chrono::milliseconds orphan_grace = std::chrono::minutes{5};
  unsigned receiving = 4;           // messages with a payload at the same time
  unsigned receiving_small = 1024;  // others; where there are more, who has been sending for longest is refused
  /// Who takes longer to send one with a payload is refused as soon as others wait.
  std::chrono::milliseconds receiving_patience = std::chrono::seconds{10};
  /// A call whose client has not taken its answer, or the next message of its stream, is cancelled then; later where
  /// the answer is large.
  std::chrono::milliseconds writing_patience = std::chrono::seconds{30};
  /// Beside max_calls, for what must get through: cancelling, loading and dropping keys, critical proofs.
  std::uint32_t reserved_calls = 16;
  engine::PayloadLimits limits{};
};

/// Owner of the service and of the threads of its calls; both must outlive the server that it is registered with.
class GrpcService {
 public:
  GrpcService(ProvingService& proving, GrpcServiceOptions options);
  GrpcService(const GrpcService&) = delete;
  GrpcService& operator=(const GrpcService&) = delete;
  ~GrpcService();

  grpc::Service& service() noexcept;
  /// Of jobs that come from now on.
  void set_orphan_grace(std::chrono::milliseconds grace) noexcept;
  /// Of calls that come from now on; where none was wanted, none will be.
  void set_token(std::string token);

 private:
  class Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace cuzk::server
