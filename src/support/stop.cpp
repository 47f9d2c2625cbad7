#include "support/stop.h"

#include <string>

namespace cuzk {

Status check_stop(const StopToken& stop, std::string_view what) {
  if (!stop.stop_requested()) return {};
  return fail(Code::cancelled, std::string(what) + " was cancelled");
}

Deadline Deadline::after(std::chrono::nanoseconds span) noexcept {
  const Clock::time_point now = Clock::now();
  if (span >= Clock::time_point::max() - now) return never();
  return Deadline(span.count() < 0 ? now : now + span);
}

Status Deadline::check(std::string_view what) const {
  if (!passed()) return {};
  return fail(Code::deadline, std::string(what) + " has passed its deadline");
}

}  // namespace cuzk
