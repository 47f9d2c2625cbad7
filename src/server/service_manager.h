// What the service manager (systemd) is told of this process. Without one all of it does nothing.
//
// Thread-safety: concurrently.
#pragma once

#include <chrono>
#include <string_view>
#include <thread>

#include "server/proving_service.h"

namespace cuzk::server {

void notify_ready();
void notify_status(std::string_view text);
/// The configuration is being read again; notify_ready() ends it.
void notify_reloading();

/// From now on the process ends: it is said, and the manager is asked for time again and again, as long as the engine
/// moves (movement.h) and at most for `longest`. Each time for three intervals: one request may be late.
class TimeToStop {
 public:
  /// `proving` must outlive it.
  TimeToStop(const ProvingService& proving, std::chrono::milliseconds longest,
             std::chrono::milliseconds interval = std::chrono::seconds(10));

 private:
  std::jthread thread_;
};

/// Pings the manager's watchdog while the engine answers and moves (movement.h); without a watchdog no thread is made.
class Watchdog {
 public:
  /// `proving` must outlive it.
  explicit Watchdog(const ProvingService& proving);

 private:
  std::jthread thread_;
};

}  // namespace cuzk::server
