// A sleep that a stop ends.
//
// Thread-safety: concurrently.
#pragma once

#include <chrono>

#include "support/stop.h"

namespace cuzk {

/// Sleeps for the span, or until a stop is requested; whether it was. A span too long for the clock has no end.
bool stopped_within(std::chrono::nanoseconds span, const StopToken& stop);

}  // namespace cuzk
