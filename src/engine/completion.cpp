#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/core.h"
#include "engine/failure.h"
#include "engine/timing_record.h"
#include "support/log.h"

namespace cuzk::engine {

namespace {

std::string seconds_of(const Job& job) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f s", static_cast<double>(job.times().total) * 1e-9);
  return text.data();
}

/// The end of a line of the log: a job's name says nothing of what it is.
std::string of_circuit(const Job& job) { return "; circuit " + job.identity().circuit; }

/// What was sent has been read and found to fit: what is wrong with a key, or with what a device gives, is not its
/// fault. Only a witness may still be found wrong.
FailureClass class_of(const Error& error, Stage stage) noexcept {
  const FailureClass failure = failure_class(error);
  const bool is_of_witness = stage == Stage::witness || error.code() == Code::unsatisfied;
  return failure == FailureClass::caller && !is_of_witness ? FailureClass::defect : failure;
}

}  // namespace

bool EngineCore::still_ours(const std::shared_ptr<Job>& job, Status written) {
  if (written) return true;
  switch (written.error().code()) {
    case Code::cancelled:
      cancel_job(job, "cancelled by another process");
      return false;
    case Code::conflict:
    case Code::not_found:
      if (!books_.is_lost(*job, written.error())) break;
      fail_job(job, Error(Code::unavailable, "another process has taken the job over"));
      return false;
    default:
      break;
  }
  // A proof is worth more than its line in the journal: the job's end brings what is missing.
  log_warn("not journalled: " + written.error().to_string(), job->subject());
  return true;
}

void EngineCore::partition_done(const Task& task, Bytes proof) {
  const std::shared_ptr<Job>& job = task.job;
  std::vector<std::byte> record = task.circuit->record(proof, task.public_inputs);
  if (!still_ours(job, books_.partition_finished(*job, task.partition, record))) return;
  log_debug("partition proved", job->subject(task.partition));
  const PartitionTimeline timeline = job->timeline(task.partition);
  metrics_.partition_proved(job->identity().kind, timeline);
  estimates_.note(*task.circuit, task.device, work_ns(timeline));
  if (options_.timing_sink) {
    options_.timing_sink(timing_record({.job = job->job_id(),
                                        .partition = task.partition,
                                        .device = task.device,
                                        .is_cpu = lines_[task.device]->device().is_cpu},
                                       timeline),
                         job->subject(task.partition));
  }
  if (job->finish_partition(task.partition, std::move(record))) complete(job, task.circuit);
}

void EngineCore::note_failure(const Task& task, const Error& error) {
  const std::string& device = lines_[task.device]->device().name;
  task.job->update(task.partition, [&](PartitionStatus& status) {
    status.failed.push_back({.device = device, .error = error.to_string()});
    status.error = "on " + device + ": " + error.to_string();
  });
}

/// The partition, where else it was tried, and where it was not.
std::string EngineCore::describe_failed(const Task& task) {
  std::string text = "partition " + std::to_string(task.partition);
  const PartitionStatus status = task.job->partition_status(task.partition);
  for (std::size_t k = 0; k < status.failed.size(); ++k) {
    text += (k == 0 ? " on " : ", then on ") + status.failed[k].device;
  }
  return task.choice.refused.empty() ? text : text + " (" + task.choice.refused + ")";
}

void EngineCore::partition_failed(TaskPtr task, Error error) {
  const std::shared_ptr<Job> job = task->job;
  if (job->stopped()) return;
  if (!still_ours(job, books_.partition_failed(*job, task->partition, error))) return;
  note_failure(*task, error);
  const bool is_of_illness = error.code() == Code::device && awaits_restart(*lines_[task->device]);
  if (!is_of_illness && (task->second_attempt || !worth_a_retry(error))) {
    const Stage stage = job->partition_status(task->partition).stage;
    job->update(task->partition, [](PartitionStatus& status) { status.stage = Stage::failed; });
    const std::string what = describe_failed(*task);
    task.reset();  // what it holds is free before anyone hears of the end
    const auto statement = job->statement();
    const bool of_caller = error.code() == Code::unsatisfied && statement != nullptr && statement->brings_witness();
    const FailureClass failure = of_caller ? FailureClass::caller : class_of(error, stage);
    if (of_caller) error = std::move(error).context("the witness does not satisfy the circuit");
    if (job->claim_end()) end_failed(job, std::move(error).context(what), failure);
    return;
  }
  log_warn("is tried again: " + job->partition_status(task->partition).error, job->subject(task->partition));
  metrics_.retried(job->identity().kind);
  task->second_attempt = true;
  task->avoid_device = task->device;
  task->doubtful_witness = error.code() == Code::unsatisfied;
  requeue(std::move(task));
}

/// From the beginning; everything it held is given back.
void EngineCore::requeue(TaskPtr task) {
  auto fresh = std::make_unique<Task>();
  fresh->job = task->job;
  fresh->partition = task->partition;
  fresh->circuit = task->circuit;
  fresh->second_attempt = task->second_attempt;
  fresh->avoid_device = task->avoid_device;
  fresh->doubtful_witness = task->doubtful_witness;
  fresh->suspect = task->suspect;
  task.reset();
  fresh->job->update(fresh->partition, [](PartitionStatus& status) {
    const std::uint32_t attempts = status.timeline.attempts;
    status.timeline = {};
    status.timeline.attempts = attempts;
    status.timeline[Phase::queue].begin_ns = monotonic_ns();
    status.stage = Stage::waiting;
  });
  enqueue_partition(std::move(fresh));
}

void EngineCore::complete(const std::shared_ptr<Job>& job, const std::shared_ptr<const ProvingCircuit>& circuit) {
  if (!job->claim_end()) return;
  const PartitionRecords records = job->records();
  log_debug("delivering", job->subject());
  auto proof = circuit->assemble(std::vector<Bytes>(records.begin(), records.end()));
  if (!proof) return end_failed(job, std::move(proof).error().context("assembling the proof"), FailureClass::defect);
  JobResult result;
  result.state = JobState::completed;
  result.proof = *std::move(proof);
  if (Status written = books_.end(job, result); !written) {
    if (written.error().code() == Code::cancelled) return end_cancelled(job, "cancelled by another process");
    return end_failed(job, Error(Code::unavailable, "another process has taken the job over"), FailureClass::transient);
  }
  JobTimeline timeline = job->status().timeline;
  timeline.finished_ns = monotonic_ns();
  metrics_.completed(job->identity().kind, timeline);
  log_info("completed in " + seconds_of(*job) + of_circuit(*job), job->subject());
  job->end(std::move(result));
  ended(job);
}

void EngineCore::fail_job(const std::shared_ptr<Job>& job, Error error) {
  const FailureClass failure = failure_class(error);
  if (job->claim_end()) end_failed(job, std::move(error), failure);
}

void EngineCore::end_failed(const std::shared_ptr<Job>& job, Error error, FailureClass failure) {
  JobResult result;
  result.state = JobState::failed;
  result.error = error.to_string();
  result.code = error.code();
  result.failure = failure;
  if (Status written = books_.end(job, result); !written) {
    log_warn("its failure is not journalled: " + written.error().to_string(), job->subject());
  }
  log_warn("failed (" + std::string(to_string(failure)) + "): " + result.error + of_circuit(*job), job->subject());
  metrics_.failed(job->identity().kind, failure);
  job->end(std::move(result));
  ended(job);
}

bool EngineCore::cancel_job(const std::shared_ptr<Job>& job, std::string reason) {
  if (!job->claim_end()) return false;
  end_cancelled(job, std::move(reason));
  return true;
}

void EngineCore::end_cancelled(const std::shared_ptr<Job>& job, std::string reason) {
  log_info(reason, job->subject());
  JobResult result;
  result.state = JobState::cancelled;
  result.error = std::move(reason);
  result.code = Code::cancelled;
  if (!books_.end(job, result)) {  // it is in other hands, if it is open at all
    if (const auto cancelled = books_.cancel(job->identity().digest); !cancelled) {
      log_warn("its end is not journalled: " + cancelled.error().to_string(), job->subject());
    }
  }
  metrics_.cancelled(job->identity().kind);
  job->end(std::move(result));
  ended(job);
}

/// What waits of it is dropped at once; what runs is dropped by the stage that sees the stop.
void EngineCore::ended(const std::shared_ptr<Job>& job) {
  const auto of_this = [&](const auto& item) { return item->job == job; };
  undecoded_.take_all(of_this);
  cold_.take_all(of_this);
  tasks_.take_all(of_this);
  for (const auto& line : lines_) line->ready().take_all(of_this);
  finishing_.take_all(of_this);
  parked_.take_all(of_this);
  jobs_.note_end();
  undecoded_.look_again();
  evict_unregistered(job->identity().circuit);
}

/// What is resident of a circuit that nobody can ask for any more goes with the last job that had it.
void EngineCore::evict_unregistered(const std::string& circuit) {
  const auto has_it = [&](const auto& line) { return residents_.has(circuit, line->device().ordinal); };
  if (std::ranges::none_of(lines_, has_it) || find_circuit(circuit) != nullptr) return;
  const auto needs_it = [&](const auto& job) { return job->is_open() && job->identity().circuit == circuit; };
  if (std::ranges::none_of(jobs_.all(), needs_it)) static_cast<void>(evict(circuit));
}

}  // namespace cuzk::engine
