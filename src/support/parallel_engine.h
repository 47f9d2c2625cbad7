// ParallelEngine: what runs the chunks of a loop on several threads; private to support/parallel.h and right_of_way.h.
//
// Thread-safety: run() concurrently, and from inside a body.
#pragma once

#include <algorithm>
#include <memory>

#include "support/parallel.h"

namespace cuzk {

class Crossing;

/// A loop over [begin, end), begin < end, in chunks of at most `grain` > 0 elements.
struct ParallelLoop {
  std::size_t begin;
  std::size_t end;
  std::size_t grain;
  ChunkBody body;

  bool is_one_chunk() const noexcept { return end - begin <= grain; }
};

/// Of the threads that the library lends, when there are loops of several arenas.
enum class ThreadsGo : std::uint8_t { first, in_turn, last };

class ParallelEngine {
 public:
  ParallelEngine() = default;
  ParallelEngine(const ParallelEngine&) = delete;
  ParallelEngine& operator=(const ParallelEngine&) = delete;
  virtual ~ParallelEngine() = default;

  virtual void run(const ParallelLoop& loop) noexcept = 0;
  /// Whether its helpers work for other arenas too: a chunk must not keep them.
  virtual bool lends_threads() const noexcept { return false; }
  /// Of the urgent arena of two; else null.
  virtual Crossing* crossing() const noexcept { return nullptr; }
};

/// On the calling thread alone, in order.
class InlineEngine final : public ParallelEngine {
 public:
  void run(const ParallelLoop& loop) noexcept override {
    for (std::size_t i = loop.begin; i < loop.end;) {
      const std::size_t chunk_end = i + std::min(loop.grain, loop.end - i);
      loop.body(i, chunk_end);
      i = chunk_end;
    }
  }
};

/// At most `concurrency` > 1 threads at once, the caller included.
std::unique_ptr<ParallelEngine> make_thread_engine(unsigned concurrency);
#if !defined(CUZK_PARALLEL_THREADS)
std::unique_ptr<ParallelEngine> make_tbb_engine(unsigned concurrency, ThreadsGo go = ThreadsGo::in_turn);
#endif

/// The door to an arena's engine.
class ParallelAccess {
 public:
  /// `wrap` gets the engine for so many threads (as Arena) and gives the arena's.
  template <class Wrap> static Arena make(unsigned threads, ThreadsGo go, Wrap wrap) {
    const unsigned concurrency = resolve(threads);
    auto below = engine_for(concurrency, go);
    if (below == nullptr) below = std::make_unique<InlineEngine>();
    return Arena(concurrency, wrap(std::move(below)));
  }
  static Crossing* crossing(const Arena& arena) noexcept {
    return arena.engine_ == nullptr ? nullptr : arena.engine_->crossing();
  }
  static void run(Arena& arena, const ParallelLoop& loop) noexcept;

  static unsigned resolve(unsigned threads) noexcept;
  /// Null for one thread.
  static std::unique_ptr<ParallelEngine> engine_for(unsigned concurrency, ThreadsGo go);
};

}  // namespace cuzk
