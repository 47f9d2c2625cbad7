// Random bytes from the operating system, and the interface by which a test puts its own in their place.
//
// fill_random reads getrandom(2), which blocks only until the kernel's pool was seeded once after boot. Nothing here is
// ever seeded from a clock. Error: unavailable (a kernel without getrandom); the bytes are then unspecified and must
// not be used. Thread-safety: concurrently.
#pragma once

#include "support/bytes.h"
#include "support/function_ref.h"
#include "support/result.h"

namespace cuzk {

Status fill_random(MutableBytes out);

/// Fills a span with random bytes, or fails. `fill_random` is one; a test passes a lambda over a seeded generator.
using RandomSource = FunctionRef<Status(MutableBytes)>;

}  // namespace cuzk
