#include "support/parallel.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "support/parallel_engine.h"

namespace cuzk {

/// hardware_concurrency() counts the processors that this process may run on, and is 0 when that is unknown.
unsigned ParallelAccess::resolve(unsigned threads) noexcept {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

std::unique_ptr<ParallelEngine> ParallelAccess::engine_for(unsigned concurrency, ThreadsGo go) {
  if (concurrency == 1) return nullptr;
#if defined(CUZK_PARALLEL_THREADS)
  static_cast<void>(go);  // each arena has threads of its own
  return make_thread_engine(concurrency);
#else
  return make_tbb_engine(concurrency, go);
#endif
}

void ParallelAccess::run(Arena& arena, const ParallelLoop& loop) noexcept {
  if (arena.engine_ == nullptr) {
    InlineEngine().run(loop);
  } else {
    arena.engine_->run(loop);
  }
}

Arena::Arena(unsigned threads)
    : concurrency_(ParallelAccess::resolve(threads)),
      engine_(ParallelAccess::engine_for(concurrency_, ThreadsGo::in_turn)) {}

Arena::Arena(unsigned concurrency, std::unique_ptr<ParallelEngine> engine) noexcept
    : concurrency_(concurrency), engine_(std::move(engine)) {}

Arena Arena::on_threads(unsigned threads) {
  const unsigned concurrency = ParallelAccess::resolve(threads);
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
