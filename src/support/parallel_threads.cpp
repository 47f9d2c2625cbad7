// The engine on std::jthread: a list of running loops; idle threads help the newest one that has chunks left.
//
// The thread that starts a loop works on it until its chunks are taken, then waits for those that others have taken. A
// helper never waits for another loop, except inside a body that starts one, where the same holds: so all loops end.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/mutex.h"
#include "support/parallel_engine.h"

namespace cuzk {

namespace {

/// A loop while it runs; lives on the stack of the thread that started it.
class RunningLoop {
 public:
  explicit RunningLoop(const ParallelLoop& loop) noexcept
      : loop_(loop), chunks_((loop.end - loop.begin - 1) / loop.grain + 1) {}

  bool has_chunks() const noexcept { return next_.load() < chunks_; }

  void work() noexcept {
    for (std::size_t chunk = next_.fetch_add(1); chunk < chunks_; chunk = next_.fetch_add(1)) {
      const std::size_t begin = loop_.begin + chunk * loop_.grain;
      loop_.body(begin, begin + std::min(loop_.grain, loop_.end - begin));
    }
  }

  unsigned helpers = 0;  // guarded by the engine's mutex

 private:
  const ParallelLoop& loop_;
  std::size_t chunks_;
  std::atomic<std::size_t> next_ = 0;
};

class ThreadEngine final : public ParallelEngine {
 public:
  explicit ThreadEngine(unsigned concurrency) {
    threads_.reserve(concurrency - 1);
    for (unsigned i = 1; i < concurrency; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { help(stop); });
    }
  }

  void run(const ParallelLoop& loop) noexcept override {
    if (loop.is_one_chunk()) return loop.body(loop.begin, loop.end);
    RunningLoop running(loop);
    {
      const MutexLock lock(mutex_);
      loops_.push_back(&running);
    }
    work_arrived_.notify_all();
    running.work();
    MutexLock lock(mutex_);
    std::erase(loops_, &running);
    while (running.helpers > 0) helper_left_.wait(lock);
  }

 private:
  void help(const std::stop_token& stop) noexcept {
    MutexLock lock(mutex_);
    while (true) {
      RunningLoop* loop = nullptr;
      work_arrived_.wait(lock, stop,
                         [&]() CUZK_REQUIRES(mutex_) { return (loop = newest_with_chunks_locked()) != nullptr; });
      if (loop == nullptr) return;  // stopped
      ++loop->helpers;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--loop->helpers == 0) helper_left_.notify_all();
    }
  }

  RunningLoop* newest_with_chunks_locked() const CUZK_REQUIRES(mutex_) {
    const auto found =
        std::find_if(loops_.rbegin(), loops_.rend(), [](const RunningLoop* l) { return l->has_chunks(); });
    return found == loops_.rend() ? nullptr : *found;
  }

  Mutex mutex_;
  std::condition_variable_any work_arrived_;
  std::condition_variable_any helper_left_;
  std::vector<RunningLoop*> loops_ CUZK_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: ends before what it uses
};

}  // namespace

std::unique_ptr<ParallelEngine> make_thread_engine(unsigned concurrency) {
  return std::make_unique<ThreadEngine>(concurrency);
}

}  // namespace cuzk
