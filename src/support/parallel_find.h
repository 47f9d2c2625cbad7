// The first index of a range for which a predicate holds, searched by all threads of an Arena.
//
// Chunks behind a hit that is already known are skipped, so that a late hit costs the whole range and an early one
// little. The result does not depend on the number of threads. Predicate: as a body of parallel_for. Thread-safety:
// pure function.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include "support/parallel.h"

namespace cuzk {

template <class Predicate>
std::optional<std::size_t> parallel_find_first(Arena& arena, std::size_t begin, std::size_t end, std::size_t grain,
                                               Predicate&& holds) noexcept {
  std::atomic<std::size_t> first = end;
  parallel_for(arena, begin, end, grain, [&](std::size_t chunk_begin, std::size_t chunk_end) {
    for (std::size_t i = chunk_begin; i < std::min(chunk_end, first.load()); ++i) {
      if (!holds(i)) continue;
      std::size_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first == end ? std::nullopt : std::optional(first.load());
}

}  // namespace cuzk
