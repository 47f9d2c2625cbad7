#include "support/sleep.h"

#include <condition_variable>

#include "support/mutex.h"

namespace cuzk {

bool stopped_within(std::chrono::nanoseconds span, const StopToken& stop) {
  const Deadline end = Deadline::after(span);
  const auto never = [] { return false; };
  Mutex mutex;
  std::condition_variable_any wake;
  MutexLock lock(mutex);
  end.is_never() ? wake.wait(lock, stop, never) : wake.wait_until(lock, stop, end.when(), never);
  return stop.stop_requested();
}

}  // namespace cuzk
