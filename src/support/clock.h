// Readings of this process: monotonic time, processor time, memory.
//
// Units: nanoseconds and bytes. A reading that the system refuses is 0. Thread-safety: concurrently.
#pragma once

#include <cstdint>

namespace cuzk {

/// Nanoseconds of the monotonic clock; only differences mean something.
std::uint64_t monotonic_ns() noexcept;

/// User and system time of all threads since the process began.
std::uint64_t process_cpu_ns() noexcept;

/// Resident memory now, and its highest value so far.
std::uint64_t resident_bytes() noexcept;
std::uint64_t peak_resident_bytes() noexcept;

class Stopwatch {
 public:
  std::uint64_t elapsed_ns() const noexcept { return monotonic_ns() - begin_ns_; }
  double seconds() const noexcept { return static_cast<double>(elapsed_ns()) * 1e-9; }
  void restart() noexcept { begin_ns_ = monotonic_ns(); }

 private:
  std::uint64_t begin_ns_ = monotonic_ns();
};

}  // namespace cuzk
