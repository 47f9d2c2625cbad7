// PhaseLog: when the phases of a proof ran on the device's streams, by events that are queued between them.
//
// Events are made once and used by proof after proof; nothing waits for them but who waits for the proof anyhow. Each
// step is a range for profilers too (nvtx.h). Thread-safety: a PhaseLog belongs to one thread at a time; a DeviceClock
// concurrently.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "backend/cuda/clock_anchor.h"
#include "backend/cuda/runtime.h"
#include "backend/device_times.h"
#include "support/mutex.h"

namespace cuzk::cuda {

/// A device's clock in the host's time.
class DeviceClock {
 public:
  /// Of the current device, which has nothing else to do.
  static Result<std::unique_ptr<DeviceClock>> create();

  /// The next anchor is queued when the last one is old. Waits for nothing.
  Status keep_up();
  /// The host's time of each event. precondition: they have happened.
  Result<std::vector<std::uint64_t>> host_ns(std::span<const Event> events);

 private:
  struct Anchor {
    Event event;
    std::uint64_t queued_ns = 0;
  };
  DeviceClock(Stream stream, Anchor anchor, Anchor next)
      : stream_(std::move(stream)), at_(anchor.queued_ns), anchor_(std::move(anchor)), next_(std::move(next)) {}
  void use_next_locked() CUZK_REQUIRES(mutex_);

  const Stream stream_;
  Mutex mutex_;
  ClockAnchor at_ CUZK_GUARDED_BY(mutex_);
  Anchor anchor_ CUZK_GUARDED_BY(mutex_);
  Anchor next_ CUZK_GUARDED_BY(mutex_);  // queued_ns is 0: it is not
};

class PhaseLog {
 public:
  struct Step {
    backend::DevicePhase phase;
    FunctionRef<Status()> queue;
  };

  /// So that a proof of the ordinary need not make events.
  Status prepare();
  /// Forgets the proof before.
  void clear() noexcept {
    used_ = 0;
    marks_.clear();
  }
  /// Lets the steps queue their work one after the other, and notes when each of them begins and ends on the stream.
  Status run(const Stream& stream, std::initializer_list<Step> steps);
  /// precondition: all has run.
  Result<std::vector<backend::DeviceTimes::Span>> read(DeviceClock& clock) const;

 private:
  struct Mark {
    backend::DevicePhase phase;
    std::size_t begin, end;  // numbers of events
  };
  Status record(const Stream& stream);

  std::vector<Event> events_;
  std::size_t used_ = 0;
  std::vector<Mark> marks_;
};

}  // namespace cuzk::cuda
