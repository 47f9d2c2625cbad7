// Wall and processor time of a step, for the tools of this folder. Thread-safety: a value.
#pragma once

#include <string>
#include <string_view>

#include "support/clock.h"
#include "support/json_writer.h"

namespace cuzk {

/// Seconds since it was made.
class Timer {
 public:
  void print(JsonWriter& json, std::string_view name) const {
    json.key(std::string(name) + "_seconds").real(watch_.seconds());
    json.key(std::string(name) + "_cpu_seconds").real(static_cast<double>(process_cpu_ns() - begin_cpu_) * 1e-9);
  }

 private:
  Stopwatch watch_;
  std::uint64_t begin_cpu_ = process_cpu_ns();
};

inline double peak_mebibytes() noexcept { return static_cast<double>(peak_resident_bytes()) / (1 << 20); }

}  // namespace cuzk
