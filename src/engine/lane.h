// Lane: those who collect key, circuit and memory for a partition, one after the other, so that nobody overtakes the
// most urgent one. Whoever waits for any of them gives way when something more urgent comes into the queue.
//
// Thread-safety: concurrently.
#pragma once

#include <mutex>

#include "engine/ordered_queue.h"
#include "engine/waits.h"

namespace cuzk::engine {

class Lane {
 public:
  /// The critical lane has critical partitions of the queue alone.
  Lane(bool critical, const OrderedQueue<TaskPtr>& queue)
      : waits([this](const Task& task) { return is_overtaken(task); }), critical_(critical), queue_(queue) {}

  bool is_critical() const noexcept { return critical_; }
  bool takes(const Order& order) const noexcept { return !critical_ || order.priority == Priority::critical; }

  /// Held by the one who collects; given back while he loads.
  std::mutex turn;
  Waits waits;

 private:
  bool is_overtaken(const Task& task) const {
    const Order own = task.order();
    return queue_.count([&](const TaskPtr& other) {
      const Order order = other->order();
      return takes(order) && before(order, own);
    }) > 0;
  }

  const bool critical_;
  const OrderedQueue<TaskPtr>& queue_;
};

}  // namespace cuzk::engine
