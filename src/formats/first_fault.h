// The first element of a long array that breaks a rule, looked for by all threads.
//
// Thread-safety: a pure function; ok(i) is called concurrently, at most once an index.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "support/parallel.h"

namespace cuzk::formats {

/// The smallest i in [0, count) with !ok(i), or count. Chunks behind a fault that is known already are skipped.
template <class Ok> std::size_t first_fault(Arena& arena, std::size_t count, std::size_t grain, const Ok& ok) {
  std::atomic<std::size_t> first{count};
  parallel_for(arena, 0, count, grain, [&](std::size_t begin, std::size_t end) noexcept {
    const std::size_t stop = std::min(end, first.load());
    for (std::size_t i = begin; i < stop; ++i) {
      if (ok(i)) continue;
      std::size_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first.load();
}

}  // namespace cuzk::formats
