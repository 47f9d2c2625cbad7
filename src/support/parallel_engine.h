// ParallelEngine: what runs the chunks of a loop on several threads; private to support/parallel.h.
//
// Thread-safety: run() concurrently, and from inside a body.
#pragma once

#include <memory>

#include "support/parallel.h"

namespace cuzk {

/// A loop over [begin, end), begin < end, in chunks of at most `grain` > 0 elements.
struct ParallelLoop {
  std::size_t begin;
  std::size_t end;
  std::size_t grain;
  ChunkBody body;
};

class ParallelEngine {
 public:
  ParallelEngine() = default;
  ParallelEngine(const ParallelEngine&) = delete;
  ParallelEngine& operator=(const ParallelEngine&) = delete;
  virtual ~ParallelEngine() = default;

  virtual void run(const ParallelLoop& loop) noexcept = 0;
};

/// At most `concurrency` > 1 threads at once, the caller included.
std::unique_ptr<ParallelEngine> make_thread_engine(unsigned concurrency);
#if !defined(CUZK_PARALLEL_THREADS)
std::unique_ptr<ParallelEngine> make_tbb_engine(unsigned concurrency);
#endif

}  // namespace cuzk
