// Slots: a bound on how many are somewhere. Whoever holds a Slot is one of them; its end makes room.
//
// Slots must outlive its tokens. Thread-safety: concurrently.
#pragma once

#include <condition_variable>
#include <memory>

#include "support/mutex.h"
#include "support/stop.h"

namespace cuzk::engine {

class Slots {
 public:
  using Slot = std::shared_ptr<const void>;

  explicit Slots(std::size_t capacity) noexcept : capacity_(capacity) {}

  /// Waits for room; null when the stop was pulled first.
  Slot take(const StopToken& stop) {
    MutexLock lock(mutex_);
    const bool room = changed_.wait(lock, stop, [&]() CUZK_REQUIRES(mutex_) { return used_ < capacity_; });
    if (!room) return nullptr;
    ++used_;
    return Slot(this, [](const void* self) { static_cast<Slots*>(const_cast<void*>(self))->give_back(); });
  }

  std::size_t used() const {
    const MutexLock lock(mutex_);
    return used_;
  }

 private:
  void give_back() {
    const MutexLock lock(mutex_);
    --used_;
    changed_.notify_one();
  }

  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t used_ CUZK_GUARDED_BY(mutex_) = 0;
};

}  // namespace cuzk::engine
