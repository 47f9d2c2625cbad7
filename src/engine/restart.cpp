// A device that is ill stays so until a process sets it up anew. Where the owner starts a new one (RestartPolicy), what
// no other device may prove waits for it in the journal, instead of failing here.
#include <algorithm>

#include "engine/core.h"
#include "support/log.h"

namespace cuzk::engine {

namespace {

bool has_lasted(std::uint64_t since_ns, std::chrono::nanoseconds span) {
  return monotonic_ns() - since_ns >= static_cast<std::uint64_t>(span.count());
}

}  // namespace

bool EngineCore::awaits_restart(const DeviceLine& line) const {
  const RestartPolicy& policy = options_.restart;
  return policy.restarts && books_.persistent() && line.is_ill() &&
         (line.proofs() > 0 || has_lasted(started_ns_, policy.without_proof));
}

/// A device that falls ill again and again costs a restart a minute at most, and one an hour where it proves nothing.
std::string EngineCore::restart_reason() const {
  const RestartPolicy& policy = options_.restart;
  if (!policy.restarts || !has_lasted(started_ns_, policy.soonest)) return {};
  if (!books_.persistent() && jobs_.open_jobs() > 0) return {};
  for (const auto& line : lines_) {
    if (!line->is_ill() || (line->proofs() == 0 && !has_lasted(started_ns_, policy.without_proof))) continue;
    return line->device().name + " is ill: " + line->snapshot().trouble;
  }
  return {};
}

bool EngineCore::park(TaskPtr& task) {
  if (!awaits_restart(*lines_[task->device])) return false;
  log_info("waits for the next process: " + lines_[task->device]->device().name + " is ill",
           task->job->subject(task->partition));
  task->wish.reset();
  task->on_its_way.reset();
  task->slot.reset();
  const std::shared_ptr<Job> job = task->job;
  job->leave(true);
  parked_.push(std::move(task));
  jobs_.note_end();
  return true;
}

void EngineCore::tend_parked() {
  const auto awaits = [&](const auto& line) { return awaits_restart(*line); };
  if (parked_.size() == 0 || std::ranges::any_of(lines_, awaits)) return;
  for (TaskPtr& task : parked_.take_all([](const TaskPtr&) { return true; })) {
    task->job->leave(false);
    enqueue_partition(std::move(task));
  }
}

}  // namespace cuzk::engine
