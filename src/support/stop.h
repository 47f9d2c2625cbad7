// Ends of waiting and of long work: a stop token that someone else pulls, and a deadline that the clock pulls.
//
// Thread-safety: values; concurrently.
#pragma once

#include <chrono>
#include <stop_token>
#include <string_view>

#include "support/result.h"

namespace cuzk {

using StopToken = std::stop_token;

/// cancelled when a stop was requested; `what` is the work that ends here ("proving").
Status check_stop(const StopToken& stop, std::string_view what);

/// A point on the monotonic clock, or never.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline never() noexcept { return Deadline(Clock::time_point::max()); }
  static Deadline at(Clock::time_point when) noexcept { return Deadline(when); }
  /// A span too long for the clock is never; a negative one has passed.
  static Deadline after(std::chrono::nanoseconds span) noexcept;

  bool is_never() const noexcept { return when_ == Clock::time_point::max(); }
  bool passed() const noexcept { return !is_never() && Clock::now() >= when_; }
  Clock::time_point when() const noexcept { return when_; }

  /// Code::deadline when it has passed.
  Status check(std::string_view what) const;

 private:
  explicit Deadline(Clock::time_point when) noexcept : when_(when) {}

  Clock::time_point when_;
};

}  // namespace cuzk
