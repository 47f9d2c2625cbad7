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

class TbbEngine final : public ParallelEngine {
 public:
  explicit TbbEngine(unsigned concurrency)
      : allowed_(oneapi::tbb::global_control::max_allowed_parallelism,
                 std::max(concurrency, std::thread::hardware_concurrency())),
        arena_(static_cast<int>(concurrency)) {}

  void run(const ParallelLoop& loop) noexcept override {
    // simple_partitioner splits down to the grain: chunk sizes are a promise, and unequal chunks balance.
    arena_.execute([&loop] {
      oneapi::tbb::parallel_for(
          Range(loop.begin, loop.end, loop.grain),
          [&loop](const Range& range) noexcept { loop.body(range.begin(), range.end()); },
          oneapi::tbb::simple_partitioner());
    });
  }

 private:
  // Without it the library starts no more threads than there are processors, and says so on standard error.
  oneapi::tbb::global_control allowed_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<ParallelEngine> make_tbb_engine(unsigned concurrency) {
  return std::make_unique<TbbEngine>(concurrency);
}

}  // namespace cuzk

#endif
