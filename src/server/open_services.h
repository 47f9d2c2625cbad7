// OpenServices: health and reflection, which gRPC has for every service and which ask for no token.
//
// gRPC's own ones have gRPC read their messages, of any size and from anybody; here a message is read when it has a
// slot, and is small. Who sends none makes room for who comes. Health: grpc.health.v1.Health, Check and Watch, for the
// server ("") and the service; reflection: grpc.reflection.v1alpha.ServerReflection. gRPC's headers stay in
// open_services.cpp. Thread-safety: concurrently.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace grpc {
class Service;
}  // namespace grpc

namespace cuzk::server {

struct OpenServicesOptions {
  unsigned receiving = 64;        // messages at the same time
  std::size_t max_streams = 256;  // watchers of health, and as many calls of reflection
  /// A call whose client does not take an answer is cancelled then.
  std::chrono::milliseconds writing_patience = std::chrono::seconds{30};
};

/// Must outlive the server that its services are registered with.
class OpenServices {
 public:
  /// `service`: the full name of the one that they speak of.
  explicit OpenServices(std::string service, OpenServicesOptions options = {});
  OpenServices(const OpenServices&) = delete;
  OpenServices& operator=(const OpenServices&) = delete;
  ~OpenServices();

  grpc::Service& health() noexcept;
  grpc::Service& reflection() noexcept;
  /// Serving at the start.
  void set_serving(bool serving) noexcept;
  /// Streams last for as long as their clients want: those that run end soon, and so does each new one.
  void end_streams() noexcept;

 private:
  class Health;
  class Reflection;
  struct Shared;
  const std::unique_ptr<Shared> shared_;
  const std::unique_ptr<Health> health_;
  const std::unique_ptr<Reflection> reflection_;
};

}  // namespace cuzk::server
