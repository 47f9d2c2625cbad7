// ReceivingSlots: how many messages are received at the same time.
//
// The size of a message is known when it has come; so that what is on its way stays bounded, a call is read from only
// while it has a slot. Slots are given in the order of arrival. Whoever has one for too long is told to end as soon as
// others wait, who became late first before the others, so that slow clients do not keep them out; until he gives it
// back his slot is his. Thread-safety: concurrently; nothing is called under the lock.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

#include "support/mutex.h"

namespace cuzk::server {

class ReceivingSlots {
 public:
  /// At most so many wait.
  explicit ReceivingSlots(unsigned slots, std::size_t max_waiting = std::size_t{1} << 20) noexcept
      : max_waiting_(max_waiting), free_(slots) {}
  ReceivingSlots(const ReceivingSlots&) = delete;
  ReceivingSlots& operator=(const ReceivingSlots&) = delete;

  /// Calls `begin`, which must not wait, with a slot, now or when one is free; by whichever thread enters or leaves.
  /// False: too many wait already, and `begin` is never called.
  bool enter(std::function<void()> begin);
  /// Gives a slot back: to who has waited longest.
  void leave();
  /// `who` has a slot for too long: `end`, which must not wait, is called once, now or when somebody waits.
  void late(const void* who, std::function<void()> end);
  /// `who` is no longer late.
  void forget(const void* who);

 private:
  /// One thread at a time, and no call within another, however many leave at once.
  void give();

  const std::size_t max_waiting_;
  Mutex mutex_;
  bool giving_ CUZK_GUARDED_BY(mutex_) = false;
  unsigned free_ CUZK_GUARDED_BY(mutex_);
  std::deque<std::function<void()>> waiting_ CUZK_GUARDED_BY(mutex_);
  struct Late {
    const void* who;
    std::function<void()> end;
  };
  std::list<Late> late_ CUZK_GUARDED_BY(mutex_);  // by when they became so
  std::unordered_map<const void*, std::list<Late>::iterator> late_places_ CUZK_GUARDED_BY(mutex_);
};

/// To be called when so many bytes were freed that had come in small pieces: the allocator keeps such memory, for each
/// thread apart, and a few large messages would stay in the process after their end. Nothing for small ones.
void give_back_freed_memory(std::size_t bytes) noexcept;

}  // namespace cuzk::server
