#include "memory/time_source.h"

namespace cuzk::memory {

namespace {

class SteadyTime final : public TimeSource {
 public:
  TimePoint now() const noexcept override { return Deadline::Clock::now(); }

  void wait(std::condition_variable_any& changed, MutexLock& lock, const StopToken& stop, TimePoint until,
            FunctionRef<bool()> done) override {
    if (until == TimePoint::max()) {
      changed.wait(lock, stop, done);
    } else {
      changed.wait_until(lock, stop, until, done);
    }
  }
};

}  // namespace

TimeSource& steady_time() {
  static SteadyTime* const instance = new SteadyTime;  // never destroyed: threads may wait while the program ends
  return *instance;
}

}  // namespace cuzk::memory
