// TimeSource: the clock by which this layer waits; tests bring one that they turn by hand.
//
// Thread-safety: concurrently.
#pragma once

#include <condition_variable>

#include "support/function_ref.h"
#include "support/mutex.h"
#include "support/stop.h"

/// On a lambda for TimeSource::wait: it runs under the waiter's lock, which the analysis cannot follow.
#define CUZK_CALLED_UNDER_LOCK CUZK_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace cuzk::memory {

class TimeSource {
 public:
  using TimePoint = Deadline::Clock::time_point;

  TimeSource() = default;
  TimeSource(const TimeSource&) = delete;
  TimeSource& operator=(const TimeSource&) = delete;
  virtual ~TimeSource() = default;

  virtual TimePoint now() const noexcept = 0;

  /// Returns when done() holds, a stop was requested, or `until` has come (TimePoint::max(): never). done() is called
  /// under the lock, which is held again at the return.
  virtual void wait(std::condition_variable_any& changed, MutexLock& lock, const StopToken& stop, TimePoint until,
                    FunctionRef<bool()> done) = 0;
};

/// The monotonic clock; lives as long as the program.
TimeSource& steady_time();

}  // namespace cuzk::memory
