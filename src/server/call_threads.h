// CallThreads: threads for calls that wait; as many as wait at the same time, and never more than a limit.
//
// Threads are made when they are needed, and end when there was nothing to do for a while. Thread-safety: concurrently.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <thread>

#include "support/mutex.h"

namespace cuzk::server {

class CallThreads {
 public:
  /// The name is that of the threads; one that had nothing to do for so long ends.
  CallThreads(std::string name, std::uint32_t limit, std::chrono::milliseconds idle = std::chrono::minutes{1})
      : name_(std::move(name)), limit_(limit), idle_(idle) {}
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;
  /// Runs what was started to its end.
  ~CallThreads();

  /// Runs body, which must not throw, on a thread at once; false: all threads are at work and there can be no other,
  /// and nothing was done.
  bool start(std::function<void()> body);
  std::uint32_t limit() const noexcept { return limit_; }

 private:
  using Threads = std::list<std::jthread>;

  void work(Threads::iterator self);
  bool add_thread() CUZK_REQUIRES(mutex_);

  const std::string name_;
  const std::uint32_t limit_;
  const std::chrono::milliseconds idle_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> bodies_ CUZK_GUARDED_BY(mutex_);
  std::uint32_t busy_ CUZK_GUARDED_BY(mutex_) = 0;  // at work, or about to take a body
  bool ending_ CUZK_GUARDED_BY(mutex_) = false;
  Threads threads_ CUZK_GUARDED_BY(mutex_);
  Threads ended_ CUZK_GUARDED_BY(mutex_);  // or about to; nothing under the lock comes after
};

}  // namespace cuzk::server
