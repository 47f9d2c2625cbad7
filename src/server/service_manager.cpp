#include "server/service_manager.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include <sys/resource.h>
#include <systemd/sd-daemon.h>

#include "server/movement.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/sleep.h"
#include "support/thread.h"

namespace cuzk::server {
namespace {

using std::chrono::microseconds;

/// Whether there is a manager.
bool notify(const std::string& state) { return ::sd_notify(0, state.c_str()) > 0; }

/// What the process has had read from disks, in files and in maps of files. Where the system does not count blocks
/// (some file systems of networks), pages that were waited for.
std::uint64_t process_read_bytes() {
  constexpr std::uint64_t kBlock = 512;  // of ru_inblock, on Linux
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::max(static_cast<std::uint64_t>(usage.ru_inblock) * kBlock,
                  static_cast<std::uint64_t>(usage.ru_majflt) * page);
}

ProcessUse use_so_far() { return {.cpu_ns = process_cpu_ns(), .read_bytes = process_read_bytes()}; }

/// A snapshot takes the engine's locks: where one is never let go, no ping is sent either.
void watch(const ProvingService& proving, microseconds interval, const StopToken& stop) {
  Movement movement;
  do {
    const Motion motion = movement.observe(proving.snapshot(), use_so_far());
    if (motion.alive) {
      notify("WATCHDOG=1");
    } else {
      log_error("no ping to the watchdog: " + motion.reason);
    }
  } while (!stopped_within(interval, stop));
}

/// As watch(): what hangs gets no more time.
void extend(const ProvingService& proving, microseconds interval, Deadline end, const StopToken& stop) {
  Movement movement;
  do {
    const Motion motion = movement.observe(proving.snapshot(), use_so_far());
    const auto left = std::chrono::duration_cast<microseconds>(end.when() - Deadline::Clock::now());
    if (left.count() <= 0) return log_warn("the service manager is asked for no more time: it is over");
    if (motion.alive) {
      notify("EXTEND_TIMEOUT_USEC=" + std::to_string(std::min(3 * interval, left).count()));
    } else {
      log_error("the service manager is asked for no more time: " + motion.reason);
    }
  } while (!stopped_within(interval, stop));
}

}  // namespace

void notify_ready() { notify("READY=1"); }

void notify_status(std::string_view text) { notify("STATUS=" + std::string(text)); }

void notify_reloading() { notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_ns() / 1000)); }

TimeToStop::TimeToStop(const ProvingService& proving, std::chrono::milliseconds longest,
                       std::chrono::milliseconds interval) {
  if (!notify("STOPPING=1\nSTATUS=draining")) return;
  thread_ = named_thread("cuzk-stop-time", [&proving, interval, end = Deadline::after(longest)](const StopToken& stop) {
    extend(proving, interval, end, stop);
  });
}

Watchdog::Watchdog(const ProvingService& proving) {
  std::uint64_t span = 0;
  if (::sd_watchdog_enabled(0, &span) <= 0 || span == 0) return;
  // Three pings in the manager's time: one may be late.
  const microseconds interval(span / 3);
  thread_ =
      named_thread("cuzk-watchdog", [&proving, interval](const StopToken& stop) { watch(proving, interval, stop); });
}

}  // namespace cuzk::server
