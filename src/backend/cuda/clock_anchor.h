// ClockAnchor: where a device's clock stands in the host's.
//
// The driver tells times between two events, as a float: near each other they are exact. So one event after the other
// is the anchor that others are told from, and the host knows of each when it queued it. Times of the host are
// monotonic_ns(), those of the device milliseconds. Thread-safety: external.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cuzk::cuda {

class ClockAnchor {
 public:
  /// How far the two clocks go apart at most, of the time that passes.
  static constexpr double kDrift = 2e-4;

  /// An event that happened at this time.
  explicit ClockAnchor(std::uint64_t host_ns) noexcept : host_ns_(host_ns) {}

  /// Of an event so long after the anchor, or before it.
  std::uint64_t host_ns(double ms_after) const noexcept {
    return static_cast<std::uint64_t>(std::max(static_cast<double>(host_ns_) + ms_after * 1e6, 0.0));
  }
  /// The next anchor: so long after the last one, queued by the host at that time. It has happened then or later; what
  /// drift may explain is taken for drift, more is a device that was late.
  void move(double ms_after, std::uint64_t queued_ns) noexcept {
    const std::uint64_t told = host_ns(ms_after);
    const auto drift_ns = static_cast<std::uint64_t>(std::max(ms_after, 0.0) * 1e6 * kDrift);
    host_ns_ = told > queued_ns + drift_ns ? told : queued_ns;
  }

 private:
  std::uint64_t host_ns_;
};

}  // namespace cuzk::cuda
