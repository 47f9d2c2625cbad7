// parallel_copy: bytes from one place in memory to another, by all threads of an arena.
//
// One thread copies some 10 GB/s from memory that is in no cache; a link to a device takes 55. Thread-safety: as
// parallel_for.
#pragma once

#include <cstring>

#include "support/bytes.h"
#include "support/parallel.h"

namespace cuzk {

/// What a thread copies at once: a chunk of some megabytes must be several pieces a core (docs/benchmarks.md).
inline constexpr std::size_t kBytesPerCopy = std::size_t{256} << 10;

/// precondition: both have the same size and do not overlap.
inline void parallel_copy(Arena& arena, MutableBytes to, Bytes from) {
  parallel_for(arena, 0, to.size(), kBytesPerCopy,
               [&](std::size_t begin, std::size_t end) { std::memcpy(&to[begin], &from[begin], end - begin); });
}

}  // namespace cuzk
