// OrderedQueue: owned items that wait, the most urgent one first. Nothing is ever overwritten or reordered by its key:
// order is asked anew at each look, so a raised priority counts at once. One look is at one moment: each item is asked
// for its order once, and what else it depends on who is taken is asked once for all of them.
//
// An item is a std::unique_ptr or std::shared_ptr to something with `Order order() const` and `queued_ns`. Complexity:
// a pop looks at all items (some thousands at most). Lock rank: 20; order(), looks and filters may take those below.
// Thread-safety: concurrently.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <vector>

#include "memory/memory_tag.h"
#include "support/clock.h"
#include "support/function_ref.h"
#include "support/mutex.h"
#include "support/stop.h"

namespace cuzk::engine {

/// Who goes first: priority, deadline, age of the job, partition.
struct Order {
  memory::Priority priority = memory::Priority::normal;
  Deadline::Clock::time_point deadline = Deadline::Clock::time_point::max();
  std::uint64_t sequence = 0;
  std::uint32_t partition = 0;

  friend bool before(const Order& a, const Order& b) noexcept {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.deadline != b.deadline) return a.deadline < b.deadline;
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    return a.partition < b.partition;
  }
};

template <class Item> class OrderedQueue {
 public:
  using Filter = FunctionRef<bool(const Item&)>;

  void push(Item item) {
    item->queued_ns = monotonic_ns();
    const MutexLock lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_all();
  }

  /// Waits for an item that can be taken; null when the stop was pulled first. `look()` is called at each look and
  /// gives what tells, for all items, whether one can be: bool(const Item&, const Order&). It holds what it depends on,
  /// of that moment, so that nobody less urgent is taken because something has changed between two questions.
  template <class Look> Item pop(const StopToken& stop, Look look) {
    MutexLock lock(mutex_);
    auto first = items_.end();
    changed_.wait(lock, stop, [&]() CUZK_REQUIRES(mutex_) {
      first = first_locked(look());
      return first != items_.end();
    });
    if (first == items_.end() || stop.stop_requested()) return Item();
    Item item = std::move(*first);
    items_.erase(first);
    return item;
  }
  Item pop(const StopToken& stop) {
    return pop(stop, [] { return [](const Item&, const Order&) { return true; }; });
  }

  /// All that the filter takes; to be destroyed by the caller, outside the lock.
  std::vector<Item> take_all(Filter filter) {
    const MutexLock lock(mutex_);
    const auto kept = std::partition(items_.begin(), items_.end(), [&](const Item& i) { return !filter(i); });
    std::vector<Item> taken(std::make_move_iterator(kept), std::make_move_iterator(items_.end()));
    items_.erase(kept, items_.end());
    return taken;
  }

  /// What a look depends on has changed, or the order of an item has.
  void look_again() {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  }

  std::size_t size() const {
    const MutexLock lock(mutex_);
    return items_.size();
  }
  std::size_t count(Filter filter) const {
    const MutexLock lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(items_, [&](const Item& item) { return filter(item); }));
  }
  /// When its oldest item came, 0: it is empty.
  std::uint64_t oldest_ns() const {
    const MutexLock lock(mutex_);
    std::uint64_t oldest = 0;
    for (const Item& item : items_) oldest = oldest == 0 ? item->queued_ns : std::min(oldest, item->queued_ns);
    return oldest;
  }

 private:
  template <class Takes> auto first_locked(const Takes& takes) CUZK_REQUIRES(mutex_) {
    auto first = items_.end();
    Order first_order;
    for (auto item = items_.begin(); item != items_.end(); ++item) {
      const Order order = (*item)->order();
      const bool sooner = first == items_.end() || before(order, first_order);
      if (!sooner || !takes(*item, order)) continue;
      first = item;
      first_order = order;
    }
    return first;
  }

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Item> items_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::engine
