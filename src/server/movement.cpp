#include "server/movement.h"

#include <algorithm>
#include <optional>

namespace cuzk::server {
namespace {

using engine::EngineSnapshot;
using engine::JobStatus;
using engine::PartitionStatus;
using engine::Phase;
using engine::PhaseSpan;
using engine::Stage;

/// Less of one processor than this is what an idle process uses: timers, pings, status calls.
constexpr double kIdleShare = 0.05;
/// And less than this a second from disks: a page that had been put away, a file of a dashboard.
constexpr double kIdleRead = 64.0 * 1024;

/// Something that is worked on.
struct Work {
  std::string what;
  std::uint64_t step_ns = 0;  // its last one
  bool computes_here = true;
  bool finishes = false;
};

bool runs(const PhaseSpan& span) { return span.begin_ns != 0 && span.end_ns == 0; }

std::uint64_t last_step(const PhaseSpan& span) { return std::max(span.begin_ns, span.end_ns); }

std::uint64_t last_step(const PartitionStatus& partition) {
  std::uint64_t last = 0;
  for (const PhaseSpan& span : partition.timeline.phases) last = std::max(last, last_step(span));
  return last;
}

std::uint64_t last_step(const JobStatus& job) {
  std::uint64_t last = std::max({job.timeline.accepted_ns, job.timeline.finished_ns, last_step(job.timeline.decode),
                                 last_step(job.timeline.check)});
  for (const PartitionStatus& partition : job.partitions) last = std::max(last, last_step(partition));
  return last;
}

bool is_loading(const std::string& circuit, const EngineSnapshot& snapshot) {
  const auto is_it = [&](const engine::ResidentSnapshot& r) { return r.loading && r.circuit == circuit; };
  return std::ranges::any_of(snapshot.keys, is_it) || std::ranges::any_of(snapshot.circuits, is_it);
}

/// Whether somebody works on it now. In the phase `key` is also who waits for memory to load it.
bool is_worked_on(const JobStatus& job, const PartitionStatus& partition, const EngineSnapshot& snapshot) {
  switch (partition.stage) {
    case Stage::witness:
    case Stage::proving:
    case Stage::finishing:
      return true;
    case Stage::waiting:
      return runs(partition.timeline[Phase::key]) && snapshot.memory.waiting.empty() &&
             is_loading(job.circuit, snapshot);
    default:
      return false;
  }
}

bool is_on_accelerator(const PartitionStatus& partition, const EngineSnapshot& snapshot) {
  const bool on_device = partition.stage == Stage::proving ||
                         (partition.stage == Stage::finishing && !runs(partition.timeline[Phase::verify]));
  const auto is_it = [&](const engine::DeviceSnapshot& device) {
    return !device.is_cpu && device.name == partition.timeline.device;
  };
  return on_device && std::ranges::any_of(snapshot.devices, is_it);
}

std::string name_of(const JobStatus& job, std::size_t index, const EngineSnapshot& snapshot) {
  const PartitionStatus& partition = job.partitions[index];
  std::string name = "partition " + std::to_string(index) + " of job " + job.job_id;
  for (std::size_t phase = 0; phase < engine::kPhases; ++phase) {
    if (runs(partition.timeline.phases[phase])) name += ", " + std::string(to_string(static_cast<Phase>(phase)));
  }
  return is_on_accelerator(partition, snapshot) ? name + " on " + partition.timeline.device : name;
}

std::vector<Work> work_of(const JobStatus& job, const EngineSnapshot& snapshot) {
  std::vector<Work> all;
  if (job.decoding) {
    all.push_back({.what = "job " + job.job_id + ", decode",
                   .step_ns = std::max(last_step(job.timeline.decode), last_step(job.timeline.check))});
  }
  for (std::size_t k = 0; k < job.partitions.size(); ++k) {
    const PartitionStatus& partition = job.partitions[k];
    if (!is_worked_on(job, partition, snapshot)) continue;
    all.push_back({.what = name_of(job, k, snapshot),
                   .step_ns = last_step(partition),
                   .computes_here = !is_on_accelerator(partition, snapshot),
                   .finishes = partition.stage == Stage::finishing});
  }
  return all;
}

/// Partitions whose phase `finish` has begun wait for a finisher.
bool waits_for_a_finisher(const EngineSnapshot& snapshot) {
  const auto is_it = [](const engine::QueueSnapshot& queue) { return queue.name == "finish" && queue.length > 0; };
  return std::ranges::any_of(snapshot.queues, is_it);
}

/// Somebody waits for memory, and a key or circuit that nobody uses has not yet been idle for so long that it may go.
bool waits_for_a_kept_key(const EngineSnapshot& snapshot) {
  const auto is_kept = [](const engine::ResidentSnapshot& resident) { return resident.kept_ns > 0; };
  return !snapshot.memory.waiting.empty() &&
         (std::ranges::any_of(snapshot.keys, is_kept) || std::ranges::any_of(snapshot.circuits, is_kept));
}

}  // namespace

void Movement::note_work(std::uint64_t now_ns, const ProcessUse& use) {
  const bool first = observed_ns_ == 0;
  const double span = now_ns > observed_ns_ ? static_cast<double>(now_ns - observed_ns_) : 0.0;
  const bool computed = static_cast<double>(use.cpu_ns - observed_use_.cpu_ns) > kIdleShare * span;
  const bool read = static_cast<double>(use.read_bytes - observed_use_.read_bytes) > kIdleRead * span * 1e-9;
  if (first || computed || read) worked_ns_ = now_ns;
  observed_ns_ = now_ns;
  observed_use_ = use;
}

Motion Movement::observe(const EngineSnapshot& snapshot, const ProcessUse& use) {
  const std::uint64_t now = snapshot.now_ns;
  note_work(now, use);
  if (waits_for_a_kept_key(snapshot)) kept_ns_ = now;
  if (waits_for_a_finisher(snapshot)) finishers_busy_ns_ = now;

  std::size_t open = 0;
  std::uint64_t last = std::max(worked_ns_, kept_ns_);  // of all, where nothing is worked on
  std::optional<Work> oldest;
  for (const JobStatus& job : snapshot.jobs) {
    last = std::max(last, last_step(job));
    if (!job.is_open()) continue;
    ++open;
    for (Work& work : work_of(job, snapshot)) {
      if (work.computes_here) work.step_ns = std::max(work.step_ns, worked_ns_);
      if (work.finishes) work.step_ns = std::max(work.step_ns, finishers_busy_ns_);
      if (!oldest || work.step_ns < oldest->step_ns) oldest = std::move(work);
    }
  }
  const std::uint64_t moved = oldest ? oldest->step_ns : last;
  if (open == 0 || now <= moved + static_cast<std::uint64_t>(limit_.count())) return {};
  const std::string still = " for " + std::to_string((now - moved) / 1'000'000'000) + " s";
  if (oldest) return {false, oldest->what + ": no step" + still};
  return {false, std::to_string(open) + " open jobs, of which none is worked on, and nothing has moved" + still};
}

}  // namespace cuzk::server
