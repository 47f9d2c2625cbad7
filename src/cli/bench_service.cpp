#include <atomic>
#include <optional>

#include "cli/bench_result.h"
#include "cli/bench_workload.h"
#include "cli/interruption.h"
#include "cli/remote.h"
#include "support/clock.h"
#include "support/mutex.h"
#include "support/random.h"
#include "support/thread.h"

namespace cuzk::cli {
namespace {

SampleEnd end_of(const client::Outcome& outcome) {
  if (outcome.end == client::End::completed && !outcome.proof.empty()) return SampleEnd::completed;
  if (outcome.end == client::End::cancelled || outcome.failure == "transient") return SampleEnd::transient;
  return outcome.failure == "caller" ? SampleEnd::caller : SampleEnd::defect;
}

SampleEnd end_of(Code code) {
  switch (code) {
    case Code::exhausted:
      return SampleEnd::refused;
    case Code::unavailable:
    case Code::deadline:
    case Code::cancelled:
    case Code::conflict:
      return SampleEnd::transient;
    case Code::internal:
    case Code::device:
      return SampleEnd::defect;
    default:
      return SampleEnd::caller;
  }
}

const char* name_of(BenchOptions::Mode mode) {
  constexpr const char* kNames[] = {"single", "batch", "stress"};
  return kNames[static_cast<std::size_t>(mode)];
}

/// Asks for all the proofs from several threads, each of which waits for one at a time.
class Run {
 public:
  Run(const BenchOptions& options, const client::Client& client, const Workload& workload, std::uint64_t repetition,
      const Interruption& interruption, Progress* progress)
      : options_(options),
        client_(client),
        workload_(workload),
        repetition_(repetition),
        interruption_(interruption),
        progress_(progress) {}

  BenchResult result() {
    progress_.begin("proofs", options_.count);
    const Stopwatch watch;
    watch_.restart();
    {
      std::vector<std::jthread> callers;
      const std::uint64_t threads = std::min<std::uint64_t>(options_.concurrency, options_.count);
      for (std::uint64_t i = 0; i < threads; ++i) {
        callers.push_back(named_thread("cuzk-bench", [this](const StopToken&) { call(); }));
      }
    }
    progress_.end();
    BenchResult result{.mode = name_of(options_.mode),
                       .asked = next_ > options_.count ? options_.count : next_.load(),
                       .concurrency = options_.concurrency,
                       .wall_seconds = watch.seconds(),
                       .items = {},
                       .samples = {}};
    for (const WorkItem& item : workload_.items()) result.items.push_back(item.name);
    const MutexLock lock(mutex_);
    result.samples = std::move(samples_);
    return result;
  }
  /// Of the first call that was not answered.
  std::optional<Error> take_error() {
    const MutexLock lock(mutex_);
    return std::exchange(error_, std::nullopt);
  }

 private:
  bool is_over() const {
    const bool late =
        options_.duration.count() > 0 && watch_.seconds() * 1000 > static_cast<double>(options_.duration.count());
    return late || interruption_.happened();
  }

  void call() {
    while (!is_over()) {
      const std::uint64_t n = next_.fetch_add(1);
      if (n >= options_.count) return;
      Sample sample = sample_of(n);
      progress_.advance(1);
      const MutexLock lock(mutex_);
      samples_.push_back(std::move(sample));
    }
  }

  Sample sample_of(std::uint64_t n) {
    Sample sample;
    sample.item = workload_.choose(n, options_.seed);
    const RequestInput& input = workload_.items()[sample.item].input;
    if (input.deadline_ms() != 0) sample.met_deadline = false;
    const std::uint64_t repetition = options_.same ? 0 : repetition_ + n;
    const Stopwatch watch;
    auto outcome = input.prove(client_, repetition, interruption_.token());
    sample.seconds = watch.seconds();
    if (!outcome) {
      sample.end = end_of(outcome.error().code());
      sample.error = outcome.error().to_string();
      const MutexLock lock(mutex_);
      if (!error_) error_ = std::move(outcome).error();
      return sample;
    }
    sample.end = end_of(*outcome);
    sample.times = outcome->times;
    const bool in_time = sample.end == SampleEnd::completed && outcome->times.total <= input.deadline_ms();
    if (sample.met_deadline) sample.met_deadline = in_time;
    sample.error = outcome->error;
    return sample;
  }

  const BenchOptions& options_;
  const client::Client& client_;
  const Workload& workload_;
  const std::uint64_t repetition_;
  const Interruption& interruption_;
  const ProgressRef progress_;
  Stopwatch watch_;
  std::atomic<std::uint64_t> next_ = 0;
  Mutex mutex_;
  std::vector<Sample> samples_ CUZK_GUARDED_BY(mutex_);
  std::optional<Error> error_ CUZK_GUARDED_BY(mutex_);
};

/// A number that no other run has used, far from 0 and from the end.
Result<std::uint64_t> fresh_repetition() {
  std::uint64_t number = 0;
  CUZK_CHECK_OK(fill_random(mutable_object_bytes(number)));
  return (number >> 2) + (std::uint64_t{1} << 32);
}

Status judged(const BenchResult& result, std::optional<Error> call_error, Report& report) {
  const std::size_t completed = result.count(SampleEnd::completed);
  if (completed == result.samples.size() && completed > 0) return {};
  if (completed == 0 && call_error) return fail(std::move(*call_error));
  const std::size_t failed = result.samples.size() - completed;
  report.set_exit_status(result.count(SampleEnd::defect) > 0 ? 5 : result.count(SampleEnd::caller) > 0 ? 3 : 4);
  return fail(Code::exhausted,
              std::to_string(failed) + " of " + std::to_string(result.samples.size()) + " proofs were not made");
}

}  // namespace

Status bench(const BenchOptions& options, Report& report) {
  const Interruption interruption;
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const Workload workload,
           options.workload.empty() ? Workload::of(options.input) : Workload::read(options.workload));
  CUZK_TRY(const std::uint64_t repetition, fresh_repetition());
  CUZK_CHECK_OK(client->status());  // nothing is begun where nobody answers
  Run run(options, *client, workload, repetition, interruption, report.progress());
  const BenchResult result = run.result();
  report.say(text_of(result));
  JsonWriter json;
  write_result(json, result);
  report.result(std::move(json));
  return judged(result, run.take_error(), report);
}

}  // namespace cuzk::cli
