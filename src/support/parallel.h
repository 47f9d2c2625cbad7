// Parallel loops over an Arena of threads: the only way in which the layers above use several cores.
//
// Arena runs on oneTBB, or on plain std::jthread when built with CUZK_PARALLEL_THREADS (thread sanitizer: Debian's
// oneTBB is not instrumented). With a concurrency of 1 all runs inline on the calling thread, in order, and no library
// is touched. The calling thread works too. A call returns when all its chunks have run; what they wrote is visible to
// the caller. Bodies must not throw (the program ends), must not block, and take no lock that the caller holds: a
// thread that waits for its loop may run chunks of another loop of the same arena meanwhile. Loops inside bodies on the
// same arena are fine. Grain: elements per chunk, at least 50 us of work; a chunk has between 1 and `grain` elements,
// in any order. Thread-safety: an Arena may be used by any number of threads at once; its end is external.
#pragma once

#include <cstddef>
#include <memory>

#include "support/function_ref.h"

namespace cuzk {

class ParallelEngine;

class Arena {
 public:
  /// At most `threads` threads work at once, the caller included; 0 means all that this process may use.
  explicit Arena(unsigned threads = 0);
  /// The same on std::jthread whatever the build's choice: the reference in tests.
  static Arena on_threads(unsigned threads);

  Arena(Arena&&) noexcept;
  Arena& operator=(Arena&&) noexcept;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  unsigned concurrency() const noexcept { return concurrency_; }

 private:
  friend class ParallelAccess;
  Arena(unsigned concurrency, std::unique_ptr<ParallelEngine> engine) noexcept;

  unsigned concurrency_;
  std::unique_ptr<ParallelEngine> engine_;  // null: inline
};

/// Called with half-open ranges [begin, end), begin < end.
using ChunkBody = FunctionRef<void(std::size_t, std::size_t)>;
using TaskBody = FunctionRef<void(std::size_t)>;

/// body(i, j) over disjoint chunks that together are [begin, end); nothing when begin >= end. grain 0 counts as 1.
void parallel_for(Arena& arena, std::size_t begin, std::size_t end, std::size_t grain, ChunkBody body) noexcept;

/// body(i) once for each i in [0, count): a few unequal pieces of work, each worth a thread.
void parallel_tasks(Arena& arena, std::size_t count, TaskBody body) noexcept;

}  // namespace cuzk
