// BusyTime: how long at least one of many spans ran, of a device's kernels for example: the union of intervals, which
// come in any order and overlap.
//
// It keeps the newest kIntervals of disjoint intervals; what is added of the time before them is not counted. Times are
// nanoseconds of one clock. Memory: 16 KiB. Thread-safety: external.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/device_times.h"

namespace cuzk::backend {

class BusyTime {
 public:
  static constexpr std::size_t kIntervals = 1024;

  void add(std::uint64_t begin_ns, std::uint64_t end_ns);
  /// What kernels computed.
  void add(const DeviceTimes& times);

  /// Since the beginning.
  std::uint64_t total_ns() const noexcept { return total_ns_; }
  /// Of the time between the beginning of the first interval and the end of the last one, without what was before
  /// `since_ns`. None: nothing ran since.
  std::optional<double> share(std::uint64_t since_ns = 0) const noexcept;

 private:
  struct Interval {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::vector<Interval> intervals_;  // disjoint, in order
  std::uint64_t forgotten_ns_ = 0;   // the end of what is kept no more
  std::uint64_t total_ns_ = 0;
};

}  // namespace cuzk::backend
