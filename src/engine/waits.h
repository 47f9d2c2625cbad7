// Waits: partitions that wait for memory, or for others who load what they need. A wait is on the terms that the
// partition's job has at its beginning; it is given up, to be begun anew, when somebody joins the job and they change,
// and where it is overtaken.
//
// Lock rank: 15; under it stops are pulled, and queues are looked at. Thread-safety: concurrently.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/task.h"
#include "support/mutex.h"
#include "support/stop.h"

namespace cuzk::engine {

class Waits {
 public:
  using Overtaken = std::function<bool(const Task&)>;

  Waits() = default;
  explicit Waits(Overtaken is_overtaken) : is_overtaken_(std::move(is_overtaken)) {}

  /// One partition that waits. External: one thread, except for look_again().
  class Wait {
   public:
    /// The task stays where it is for as long as this lives.
    Wait(Waits& waits, const Task& task)
        : waits_(waits),
          task_(task),
          terms_(task.job->terms()),
          on_end_(task.job->stop_token(), [this] { stop_.request_stop(); }) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { end(); }

    const Terms& terms() const noexcept { return terms_; }
    /// From now on it may be given up; at once, when there is a reason already.
    void begin() {
      const MutexLock lock(waits_.mutex_);
      if (std::ranges::find(waits_.all_, this) == waits_.all_.end()) waits_.all_.push_back(this);
      waits_.look_again_locked(*this);
    }
    /// It goes on whatever happens: what it loads is there for others too.
    void end() {
      const MutexLock lock(waits_.mutex_);
      std::erase(waits_.all_, this);
    }
    /// Ends with the job, and when the wait is given up.
    StopToken stop_token() const noexcept { return stop_.get_token(); }
    bool given_up() const noexcept { return !task_.job->stopped() && (stop_.stop_requested() || has_other_terms()); }

   private:
    friend class Waits;
    bool has_other_terms() const noexcept { return terms_ != task_.job->terms(); }

    Waits& waits_;
    const Task& task_;
    const Terms terms_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> on_end_;
  };

  /// A job has got other terms, or there is something new that may overtake.
  void look_again() {
    const MutexLock lock(mutex_);
    for (Wait* const wait : all_) look_again_locked(*wait);
  }

 private:
  void look_again_locked(Wait& wait) CUZK_REQUIRES(mutex_) {
    if (wait.has_other_terms() || (is_overtaken_ && is_overtaken_(wait.task_))) wait.stop_.request_stop();
  }

  const Overtaken is_overtaken_;
  Mutex mutex_;
  std::vector<Wait*> all_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::engine
