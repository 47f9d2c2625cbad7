// What page-locking costs on this machine, and what it gains: one line of JSON.
//
//   pin_rate [SIZE]        SIZE: how much memory is used, "1GiB" by default; "12GiB" is one large partition
//
// By the driver's cuMemHostRegister where there is one, else by mlock. For chunks of 2 MiB and 64 MiB: mapping, first
// touch by one thread and by all, locking of touched pages, unlocking, each in milliseconds for a GiB. Then the pool: a
// buffer that must be made, one that lies ready, and making them ahead. With a driver, copies both ways in GB/s (10^9
// bytes) from page-locked and from ordinary memory; medians of five rounds, each over all chunks.
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "memory/cuda_driver.h"
#include "memory/host_memory.h"
#include "memory/pinned_pool.h"
#include "support/clock.h"
#include "support/json_writer.h"
#include "support/parallel.h"

namespace {

using namespace cuzk;
using namespace cuzk::memory;

constexpr int kRounds = 5;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class Measurement {
 public:
  explicit Measurement(std::uint64_t bytes) : bytes_(bytes), choice_(choose_page_locker()) {
    auto driver = CudaDriver::load();
    if (driver) driver_ = *std::move(driver);
  }

  Status run() {
    const HostMemory host = read_host_memory();
    json_.begin_object();
    json_.key("bytes").integer(bytes_);
    json_.key("threads").integer(arena_.concurrency());
    json_.key("huge_pages").string(host.huge_pages);
    json_.key("memlock_limit_bytes").integer(host.memlock_limit_bytes.value_or(0));
    json_.key("locker").string(choice_.locker->name());
    json_.key("why_not_the_driver").string(choice_.reason);
    json_.key("device").string(driver_ == nullptr ? "" : driver_->device_name());
    for (const std::uint64_t chunk : {2 * kMiB, 64 * kMiB}) CUZK_CHECK_OK(measure_chunks(chunk));
    CUZK_CHECK_OK(measure_pool());
    json_.end_object();
    std::puts(json_.take().c_str());
    return {};
  }

 private:
  void per_gib(std::string_view name, const Stopwatch& watch) {
    const double gib = static_cast<double>(bytes_) / static_cast<double>(kGiB);
    json_.key(std::string(name) + "_ms_per_gib").real(static_cast<double>(watch.elapsed_ns()) * 1e-6 / gib);
  }

  static void touch(MutableBytes block) {
    for (std::size_t at = 0; at < block.size(); at += page_bytes()) {
      *const_cast<volatile std::byte*>(block.data() + at) = std::byte{1};
    }
  }

  Result<std::vector<PageBlock>> map(std::uint64_t chunk_bytes) const {
    std::vector<PageBlock> chunks;
    for (std::uint64_t i = 0; i < bytes_ / chunk_bytes; ++i) {
      CUZK_TRY(chunks.emplace_back(), PageBlock::map(chunk_bytes));
    }
    return chunks;
  }

  Status measure_chunks(std::uint64_t chunk_bytes) {
    json_.key("chunks_of_" + std::to_string(chunk_bytes / kMiB) + "_mib").begin_object();
    {
      CUZK_TRY(const auto chunks, map(chunk_bytes));
      const Stopwatch watch;
      for (const PageBlock& chunk : chunks) touch(chunk.bytes());
      per_gib("touch_one_thread", watch);
      CUZK_CHECK_OK(measure_copies(chunks, "ordinary"));
    }
    Stopwatch watch;
    CUZK_TRY(auto chunks, map(chunk_bytes));
    per_gib("map", watch);
    watch.restart();
    parallel_for(arena_, 0, chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) touch(chunks[i].bytes());
    });
    per_gib("touch", watch);
    watch.restart();
    for (const PageBlock& chunk : chunks) CUZK_CHECK_OK(choice_.locker->lock(chunk.bytes()));
    per_gib("lock", watch);
    CUZK_CHECK_OK(measure_copies(chunks, "locked"));
    watch.restart();
    for (const PageBlock& chunk : chunks) choice_.locker->unlock(chunk.bytes());
    per_gib("unlock", watch);
    watch.restart();
    chunks.clear();
    per_gib("unmap", watch);
    json_.end_object();
    return {};
  }

  Status measure_copies(const std::vector<PageBlock>& chunks, const std::string& memory) {
    if (driver_ == nullptr) return {};
    const std::size_t chunk_bytes = chunks[0].size();
    CUZK_TRY(const std::uint64_t on_device, driver_->allocate(chunk_bytes));
    const auto rate = [&](std::string_view way, auto copy) -> Status {
      std::vector<double> rates;
      for (int round = 0; round < kRounds; ++round) {
        const Stopwatch watch;
        for (const PageBlock& chunk : chunks) CUZK_CHECK_OK(copy(chunk.bytes()));
        const std::size_t bytes = chunks.size() * chunk_bytes;
        rates.push_back(static_cast<double>(bytes) / static_cast<double>(watch.elapsed_ns()));
      }
      json_.key(memory + "_" + std::string(way) + "_gb_per_s").real(median(std::move(rates)));
      return {};
    };
    CUZK_CHECK_OK(rate("to_device", [&](MutableBytes block) { return driver_->copy_to_device(on_device, block); }));
    CUZK_CHECK_OK(rate("from_device", [&](MutableBytes block) { return driver_->copy_from_device(block, on_device); }));
    return driver_->free(on_device);
  }

  Status measure_pool() {
    CUZK_TRY(const auto budget, MemoryBudget::create({.total_bytes = 2 * bytes_}));
    PoolOptions options;
    options.arena = &arena_;
    options.locker = choice_.locker;
    CUZK_TRY(const auto pool, PinnedPool::create(budget, std::move(options)));
    const auto buffer = [&]() -> Result<HostBuffer> {
      ReserveRequest request;
      request.bytes = pool->footprint_bytes(bytes_);
      request.pooled_bytes = request.bytes;
      CUZK_TRY(Reservation paid, budget->reserve(request));
      return pool->acquire(bytes_, paid);
    };
    json_.key("pool").begin_object();
    Stopwatch watch;
    CUZK_TRY(HostBuffer made, buffer());
    per_gib("buffer_made", watch);
    json_.key("pageable_bytes").integer(made.pageable_bytes());
    json_.key("last_refusal").string(pool->statistics().last_refusal);
    made.release();
    watch.restart();
    CUZK_TRY(HostBuffer ready, buffer());
    json_.key("buffer_that_lies_ready_us").real(static_cast<double>(watch.elapsed_ns()) * 1e-3);
    ready.release();
    watch.restart();
    pool->shrink(2 * bytes_);
    per_gib("shrink", watch);
    watch.restart();
    pool->prewarm(std::array{bytes_});
    CUZK_CHECK_OK(pool->wait_prewarmed({}, Deadline::never()));
    per_gib("prewarm", watch);
    json_.key("prewarm_end").string(pool->statistics().prewarm_end);
    json_.end_object();
    return {};
  }

  const std::uint64_t bytes_;
  const LockerChoice choice_;
  std::shared_ptr<CudaDriver> driver_;
  Arena arena_;
  JsonWriter json_;
};

Status run(int argc, char** argv) {
  if (argc > 2) return fail(Code::invalid_argument, "usage: pin_rate [SIZE]");
  CUZK_TRY(const std::uint64_t bytes, parse_memory_size(argc == 2 ? argv[1] : "1GiB"));
  const std::uint64_t whole = bytes / (64 * kMiB) * (64 * kMiB);
  if (whole == 0) return fail(Code::invalid_argument, "at least 64MiB");
  return Measurement(whole).run();
}

}  // namespace

int main(int argc, char** argv) {
  const Status done = run(argc, argv);
  if (done) return 0;
  std::fprintf(stderr, "pin_rate: %s\n", done.error().to_string().c_str());
  return 1;
}
