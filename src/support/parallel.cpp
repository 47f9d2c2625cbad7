#include "support/parallel.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "support/parallel_engine.h"

namespace cuzk {

namespace {

/// hardware_concurrency() counts the processors that this process may run on, and is 0 when that is unknown.
unsigned resolve(unsigned threads) noexcept {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

std::unique_ptr<ParallelEngine> make_engine(unsigned concurrency) {
  if (concurrency == 1) return nullptr;
#if defined(CUZK_PARALLEL_THREADS)
  return make_thread_engine(concurrency);
#else
  return make_tbb_engine(concurrency);
#endif
}

void run_inline(const ParallelLoop& loop) noexcept {
  for (std::size_t i = loop.begin; i < loop.end;) {
    const std::size_t chunk_end = i + std::min(loop.grain, loop.end - i);
    loop.body(i, chunk_end);
    i = chunk_end;
  }
}

}  // namespace

/// The one door from the free functions to an arena's engine.
class ParallelAccess {
 public:
  static void run(Arena& arena, const ParallelLoop& loop) noexcept {
    const bool one_chunk = loop.end - loop.begin <= loop.grain;
    if (one_chunk || arena.engine_ == nullptr) {
      run_inline(loop);
    } else {
      arena.engine_->run(loop);
    }
  }
};

Arena::Arena(unsigned threads) : concurrency_(resolve(threads)), engine_(make_engine(concurrency_)) {}

Arena::Arena(unsigned concurrency, std::unique_ptr<ParallelEngine> engine) noexcept
    : concurrency_(concurrency), engine_(std::move(engine)) {}

Arena Arena::on_threads(unsigned threads) {
  const unsigned concurrency = resolve(threads);
  return Arena(concurrency, concurrency == 1 ? nullptr : make_thread_engine(concurrency));
}

Arena::Arena(Arena&&) noexcept = default;
Arena& Arena::operator=(Arena&&) noexcept = default;
Arena::~Arena() = default;

void parallel_for(Arena& arena, std::size_t begin, std::size_t end, std::size_t grain, ChunkBody body) noexcept {
  if (begin >= end) return;
  ParallelAccess::run(arena, {begin, end, std::max<std::size_t>(grain, 1), body});
}

void parallel_tasks(Arena& arena, std::size_t count, TaskBody body) noexcept {
  parallel_for(arena, 0, count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace cuzk
