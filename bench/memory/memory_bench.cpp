// What memory costs on the way of a job: a reservation alone and among many threads, a buffer of the pool that lies
// ready, one that must be made, and the same bytes on the heap.
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "memory/pinned_pool.h"
#include "tests/support/must.h"

namespace cuzk::memory {
namespace {

using cuzk::test::must;

constexpr std::uint64_t kBufferBytes = 200 * kMiB + 12'345;

std::shared_ptr<MemoryBudget> shared_budget() {
  static const auto budget = must(MemoryBudget::create({.total_bytes = 4 * kGiB}));
  return budget;
}

ReserveRequest request_of(std::uint64_t bytes) {
  ReserveRequest request;
  request.bytes = bytes;
  request.owner = "job";
  return request;
}

void reserve_and_release(benchmark::State& state) {
  const auto budget = shared_budget();
  const ReserveRequest request = request_of(kGiB / 2);
  for (auto _ : state) benchmark::DoNotOptimize(must(budget->reserve(request)));
}

/// Everybody waits for everybody: half of the total at a time.
void reserve_and_wait(benchmark::State& state) {
  const auto budget = shared_budget();
  const ReserveRequest request = request_of(2 * kGiB);
  for (auto _ : state) benchmark::DoNotOptimize(must(budget->reserve(request)));
}

/// Stands in for a driver: locks nothing, so that the pool's own cost is seen.
class FreeLocker final : public PageLocker {
 public:
  std::string_view name() const noexcept override { return "free"; }
  Status lock(MutableBytes /*block*/) override { return {}; }
  void unlock(MutableBytes /*block*/) noexcept override {}
};

struct Pool {
  explicit Pool(Arena* arena = nullptr) {
    PoolOptions options;
    options.locker = std::make_shared<FreeLocker>();
    options.arena = arena;
    budget = must(MemoryBudget::create({.total_bytes = kGiB}));
    pool = must(PinnedPool::create(budget, options));
  }
  HostBuffer buffer() const {
    ReserveRequest request = request_of(pool->footprint_bytes(kBufferBytes));
    request.pooled_bytes = request.bytes;
    Reservation paid = must(budget->reserve(request));
    return must(pool->acquire(kBufferBytes, paid));
  }

  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<PinnedPool> pool;
};

void buffer_that_lies_ready(benchmark::State& state) {
  const Pool pool;
  pool.buffer().release();
  for (auto _ : state) benchmark::DoNotOptimize(pool.buffer());
  state.counters["misses"] = static_cast<double>(pool.pool->statistics().misses);
}

void buffer_that_is_made(benchmark::State& state) {
  Arena arena(static_cast<unsigned>(state.range(0)));
  const Pool pool(&arena);
  for (auto _ : state) {
    pool.buffer().release();
    pool.pool->shrink(kGiB);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(kBufferBytes) * state.iterations());
}

void same_bytes_on_the_heap(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::byte> bytes(kBufferBytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(kBufferBytes) * state.iterations());
}

void write_through_parts(benchmark::State& state) {
  const Pool pool;
  const HostBuffer buffer = pool.buffer();
  const auto words = buffer.as<std::uint64_t>();
  for (auto _ : state) {
    words.for_each_part(0, words.size(), [](std::span<std::uint64_t> part, std::uint64_t first) {
      for (std::uint64_t& word : part) word = first++;
    });
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(words.size() * 8) * state.iterations());
}

BENCHMARK(reserve_and_release)->UseRealTime()->Threads(1)->Threads(4);
BENCHMARK(reserve_and_wait)->UseRealTime()->Threads(4)->Threads(16);
BENCHMARK(buffer_that_lies_ready)->Unit(benchmark::kMicrosecond);
BENCHMARK(buffer_that_is_made)->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(same_bytes_on_the_heap)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(write_through_parts)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuzk::memory
