// Interruption: SIGINT, SIGTERM and SIGHUP as a stop token, so that what was begun can be ended in order.
//
// To be made before other threads, which inherit that they do not take these signals. A second signal ends the program
// as if nobody had asked for it. Thread-safety: external.
#pragma once

#include <csignal>
#include <thread>

#include "support/stop.h"

namespace cuzk::cli {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  StopToken token() const noexcept { return stop_.get_token(); }
  bool happened() const noexcept { return stop_.stop_requested(); }

 private:
  void wait(const StopToken& end);

  sigset_t before_{};
  sigset_t signals_{};
  std::stop_source stop_;
  std::jthread waiter_;
};

}  // namespace cuzk::cli
