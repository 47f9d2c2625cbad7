#include "server/receiving.h"

#include <malloc.h>

namespace cuzk::server {

bool ReceivingSlots::enter(std::function<void()> begin) {
  {
    const MutexLock lock(mutex_);
    if (free_ == 0 && waiting_.size() >= max_waiting_) return false;
    waiting_.push_back(std::move(begin));
  }
  give();
  return true;
}

void ReceivingSlots::leave() {
  {
    const MutexLock lock(mutex_);
    ++free_;
  }
  give();
}

void ReceivingSlots::late(const void* who, std::function<void()> end) {
  {
    const MutexLock lock(mutex_);
    const auto [place, is_new] = late_places_.try_emplace(who);
    if (is_new) place->second = late_.insert(late_.end(), {who, {}});
    place->second->end = std::move(end);
  }
  give();
}

void ReceivingSlots::forget(const void* who) {
  std::function<void()> end;  // ends outside the lock
  const MutexLock lock(mutex_);
  const auto found = late_places_.find(who);
  if (found == late_places_.end()) return;
  end = std::move(found->second->end);
  late_.erase(found->second);
  late_places_.erase(found);
}

void ReceivingSlots::give() {
  MutexLock lock(mutex_);
  if (giving_) return;  // who gives sees what has changed
  giving_ = true;
  while (!waiting_.empty() && (free_ > 0 || !late_.empty())) {
    std::function<void()> next;
    if (free_ > 0) {
      next = std::move(waiting_.front());
      waiting_.pop_front();
      --free_;
    } else {
      next = std::move(late_.front().end);
      late_places_.erase(late_.front().who);
      late_.pop_front();
    }
    lock.unlock();
    next();
    next = nullptr;
    lock.lock();
  }
  giving_ = false;
}

void give_back_freed_memory(std::size_t bytes) noexcept {
  constexpr std::size_t kLarge = std::size_t{4} << 20;
  if (bytes >= kLarge) ::malloc_trim(0);
}

}  // namespace cuzk::server
