// FakeTime: a clock that stands still until a test turns it.
//
// Waiters wake by their condition, their stop token, or advance(). Thread-safety: concurrently; it must outlive what
// waits by it, and no waiter may end while advance() runs.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <vector>

#include "memory/time_source.h"

namespace cuzk::memory::test {

class FakeTime final : public TimeSource {
 public:
  TimePoint now() const noexcept override { return TimePoint(std::chrono::nanoseconds(now_ns_.load())); }

  void wait(std::condition_variable_any& changed, MutexLock& lock, const StopToken& stop, TimePoint until,
            FunctionRef<bool()> done) override {
    {
      const MutexLock own(mutex_);
      waiting_.push_back(&changed);
    }
    changed.wait(lock, stop, [&] { return done() || now() >= until; });
    const MutexLock own(mutex_);
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &changed));
  }

  /// Between the new time and the notification a waiter may be about to sleep: so it is told until it has gone.
  void advance(std::chrono::nanoseconds by) {
    now_ns_ += by.count();
    notify();
  }
  void notify() {
    const MutexLock own(mutex_);
    for (std::condition_variable_any* const changed : waiting_) changed->notify_all();
  }

 private:
  std::atomic<std::int64_t> now_ns_ = 1'000'000'000;
  Mutex mutex_;
  std::vector<std::condition_variable_any*> waiting_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::memory::test
