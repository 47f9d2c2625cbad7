// The engine on oneTBB: work stealing, so that a nested loop is shared too.
#include "support/parallel_engine.h"

#if !defined(CUZK_PARALLEL_THREADS)

#include <algorithm>
#include <thread>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

namespace cuzk {

namespace {

using Range = oneapi::tbb::blocked_range<std::size_t>;
using Priority = oneapi::tbb::task_arena::priority;

/// The library's threads leave an arena, between two chunks, for one of a higher priority that has work for them.
Priority priority_of(ThreadsGo go) noexcept {
  switch (go) {
    case ThreadsGo::first:
      return Priority::high;
    case ThreadsGo::last:
      return Priority::low;
    case ThreadsGo::in_turn:
      break;
  }
  return Priority::normal;
}

class TbbEngine final : public ParallelEngine {
 public:
  TbbEngine(unsigned concurrency, ThreadsGo go)
      : allowed_(oneapi::tbb::global_control::max_allowed_parallelism,
                 std::max(concurrency, std::thread::hardware_concurrency())),
        arena_(static_cast<int>(concurrency), 1, priority_of(go)) {}

  void run(const ParallelLoop& loop) noexcept override {
    if (loop.is_one_chunk()) return loop.body(loop.begin, loop.end);
    // simple_partitioner splits down to the grain: chunk sizes are a promise, and unequal chunks balance.
    arena_.execute([&loop] {
      oneapi::tbb::parallel_for(
          Range(loop.begin, loop.end, loop.grain),
          [&loop](const Range& range) noexcept { loop.body(range.begin(), range.end()); },
          oneapi::tbb::simple_partitioner());
    });
  }

  bool lends_threads() const noexcept override { return true; }

 private:
  // Without it the library starts no more threads than there are processors, and says so on standard error.
  oneapi::tbb::global_control allowed_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<ParallelEngine> make_tbb_engine(unsigned concurrency, ThreadsGo go) {
  return std::make_unique<TbbEngine>(concurrency, go);
}

}  // namespace cuzk

#endif
