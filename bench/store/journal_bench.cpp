// A journal's commits: what accepting a job costs (a wait for the disk), what progress costs (none), how the costs are
// shared when threads write together, and how long opening takes. The folder is that of TMPDIR: a folder in memory
// shows the cost without the disk.
#include <atomic>

#include <benchmark/benchmark.h>

#include "store/spool.h"
#include "tests/store/journals.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using namespace test;  // NOLINT: the helpers of its tests

struct OpenJournal {
  cuzk::test::TemporaryFolder folder;
  std::string path = folder.file("journal.db");
  std::unique_ptr<Journal> journal = open(path);
};

std::unique_ptr<OpenJournal> shared;
std::atomic<std::uint64_t> next_job{0};

void begin(const benchmark::State&) { shared = std::make_unique<OpenJournal>(); }
void end(const benchmark::State&) { shared.reset(); }

void accept(benchmark::State& state) {
  for (auto _ : state) must(shared->journal->accept(job_of(next_job++, 10)));
  state.SetItemsProcessed(state.iterations());
}

/// Started and finished, as each partition of a job is.
void partition(benchmark::State& state) {
  const Lease lease = lease_new(*shared->journal, job_of(next_job++, JobLimits::kPartitions));
  const std::vector<std::byte> proof(192);
  std::uint32_t i = 0;
  for (auto _ : state) {
    must(shared->journal->partition_started(lease, i));
    must(shared->journal->partition_finished(lease, i, proof));
    i = (i + 1) % JobLimits::kPartitions;
    if (i == 0) state.SkipWithError("more partitions than a job may have");
  }
  state.SetItemsProcessed(state.iterations());
}

void whole_job(benchmark::State& state) {
  for (auto _ : state) must(prove(*shared->journal, lease_new(*shared->journal, job_of(next_job++, 10)), 10, "result"));
  state.SetItemsProcessed(state.iterations());
}

void renew(benchmark::State& state) {
  for (std::uint64_t n = 0; n < 100; ++n) lease_new(*shared->journal, job_of(next_job++));
  for (auto _ : state) must(shared->journal->renew(kLease));
}

void list_100(benchmark::State& state) {
  for (std::uint64_t n = 0; n < 1000; ++n) must(shared->journal->accept(job_of(next_job++)));
  for (auto _ : state) must(shared->journal->list({}));
}

/// With the check of the whole file, of so many finished jobs of 10 partitions and 1920 bytes of result.
void open_existing(benchmark::State& state) {
  const std::string result(1920, 'r');
  for (std::int64_t n = 0; n < state.range(0); ++n) {
    must(prove(*shared->journal, lease_new(*shared->journal, job_of(next_job++, 10)), 10, result));
  }
  shared->journal.reset();
  for (auto _ : state) must(open_sqlite_journal(shared->path));
}

void put(benchmark::State& state) {
  const auto spool = must(Spool::open({.folder = shared->folder.file("spool")}));
  std::vector<std::byte> payload(static_cast<std::size_t>(state.range(0)));
  std::uint64_t n = 0;
  for (auto _ : state) {
    store_le(payload.data(), ++n);
    must(spool->put(payload));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void map(benchmark::State& state) {
  const auto spool = must(Spool::open({.folder = shared->folder.file("spool")}));
  const PayloadPin pin = must(spool->put(std::vector<std::byte>(static_cast<std::size_t>(state.range(0)))));
  for (auto _ : state) must(spool->map(pin.hash()));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

#define JOURNAL_BENCHMARK(name) \
  BENCHMARK(name)->Setup(begin)->Teardown(end)->UseRealTime()->Unit(benchmark::kMicrosecond)

JOURNAL_BENCHMARK(accept)->Threads(1)->Threads(4)->Threads(16)->Threads(64);
JOURNAL_BENCHMARK(partition)->Iterations(20'000);
JOURNAL_BENCHMARK(partition)->Threads(16)->Iterations(4'000);
JOURNAL_BENCHMARK(whole_job)->Threads(1)->Threads(16);
JOURNAL_BENCHMARK(renew);
JOURNAL_BENCHMARK(list_100);
JOURNAL_BENCHMARK(open_existing)->Arg(0)->Arg(2'000)->Iterations(5);
JOURNAL_BENCHMARK(put)->Arg(1 << 20)->Arg(64 << 20);
JOURNAL_BENCHMARK(map)->Arg(64 << 20);

}  // namespace
}  // namespace cuzk::store
