// Preloader: makes the circuits of a list resident, one after the other, in a thread of its own ("cuzk-preload").
//
// A new list takes the place of the former one at once: what was being loaded for that is given up. What fails for a
// reason that may pass (memory, a device, a file that is not there yet) is tried again, each time after twice as long.
// The end is only told when all of the list is resident at the same moment and page-locked memory is ready, so that
// nothing of it is left to the first jobs. Thread-safety: concurrently; no function waits but the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "server/proving_service.h"
#include "support/mutex.h"

namespace cuzk::server {

struct PreloadState {
  bool done = false;                    // all are there
  std::string doing{};                  // "preloading porep-32g (2 of 3)"; empty: nothing for now
  std::vector<std::string> problems{};  // what is not preloaded, and why
};

struct PreloaderOptions {
  /// Returns when buffers are ready that are expected to be used, or cannot be; null: there are none.
  std::function<Status(const StopToken&)> wait_for_buffers{};
  /// Called in its thread at each change.
  std::function<void(const PreloadState&)> tell{};
  std::chrono::milliseconds first_pause = std::chrono::seconds(2);
  std::chrono::milliseconds longest_pause = std::chrono::minutes(1);
};

class Preloader {
 public:
  /// `proving` must outlive it.
  Preloader(ProvingService& proving, PreloaderOptions options);
  Preloader(const Preloader&) = delete;
  Preloader& operator=(const Preloader&) = delete;
  /// Waits for what is being loaded to look at its stop token.
  ~Preloader() { request_stop(); }

  void load(std::vector<std::string> circuits);
  /// Loads no more.
  void request_stop();

 private:
  struct Order {
    std::uint64_t number = 0;  // 0: there was none
    std::vector<std::string> circuits{};
    StopToken superseded{};
  };

  void run(const StopToken& stop);
  /// The present list, when it is another one than that of this number, or the pause is over (0: it never is).
  Order next(std::uint64_t number, std::chrono::milliseconds pause, const StopToken& stop);
  /// Whether another try may end differently.
  bool load_all(const Order& order);
  bool load_one(const std::string& circuit, const StopToken& stop, PreloadState& state);
  void check_resident(const Order& order, PreloadState& state) const;
  void note_problem(std::string text, PreloadState& state);

  ProvingService& proving_;
  const PreloaderOptions options_;
  std::vector<std::string> told_;  // problems that are in the log; of the thread
  Mutex mutex_;
  std::condition_variable_any changed_;
  Order order_ CUZK_GUARDED_BY(mutex_);
  std::stop_source supersede_ CUZK_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace cuzk::server
