// Evictor: what can give memory back when someone needs it: free pool buffers, idle circuits, idle keys.
//
// The budget calls with no lock of its own held, from the thread that waits for memory, one thread at a time. Evicting
// means: destroy things, so that their Reservations end. Lock rank: the evictor's own lock only; it must not wait for
// memory of the same budget. Thread-safety: evictable() and evict() may run beside every other use of the object.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "memory/memory_tag.h"
#include "memory/time_source.h"

namespace cuzk::memory {

/// What the first request of the queue lacks.
struct EvictionNeed {
  std::uint64_t bytes = 0;  // more than is free
  std::uint64_t pooled_bytes =
      0;  // of the request: bytes that it will take from the pool, so that idle buffers serve it
  Priority priority = Priority::normal;
};

struct Evictable {
  std::uint64_t bytes = 0;  // could be given back now
  /// When more will be (a key that becomes idle long enough): the waiter looks again then.
  std::optional<TimeSource::TimePoint> more_at;
};

class Evictor {
 public:
  Evictor() = default;
  Evictor(const Evictor&) = delete;
  Evictor& operator=(const Evictor&) = delete;
  virtual ~Evictor() = default;

  virtual std::string_view name() const noexcept = 0;
  virtual Evictable evictable(const EvictionNeed& need) = 0;
  /// Gives back about need.bytes if it can, least valuable first; returns how much it gave back. The budget believes
  /// its own books, not this number.
  virtual std::uint64_t evict(const EvictionNeed& need) = 0;
};

/// The order in which evictors are asked; equal ones in the order of registration.
enum class EvictionOrder : std::uint8_t { pool, circuits, keys, last };

}  // namespace cuzk::memory
