#include "engine/job_record.h"

#include <algorithm>

#include "engine/failure.h"
#include "support/clock.h"

namespace cuzk::engine {

/// Someone waits while this lives.
class Job::Waiting {
 public:
  explicit Waiting(Job& job) : job_(job) {
    const MutexLock lock(job_.mutex_);
    ++job_.waiters_;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    const MutexLock lock(job_.mutex_);
    if (--job_.waiters_ == 0) job_.alone_since_ns_ = monotonic_ns();
  }

 private:
  Job& job_;
};

Deadline later(Deadline a, Deadline b) noexcept { return Deadline::at(std::max(a.when(), b.when())); }

std::chrono::milliseconds later(std::chrono::milliseconds a, std::chrono::milliseconds b) noexcept {
  return a.count() == 0 || b.count() == 0 ? std::chrono::milliseconds(0) : std::max(a, b);
}

Job::Job(JobIdentity identity, Priority priority)
    : identity_(std::move(identity)),
      priority_(priority),
      deadline_(identity_.deadline.when().time_since_epoch()),
      orphan_grace_(identity_.orphan_grace),
      alone_since_ns_(monotonic_ns()) {
  partitions_.resize(identity_.partitions);
  records_.resize(identity_.partitions);
  timeline_.accepted_ns = alone_since_ns_;
}

void Job::join(Priority priority, Deadline deadline, std::chrono::milliseconds orphan_grace) noexcept {
  const MutexLock lock(mutex_);
  if (priority > this->priority()) priority_.store(priority, std::memory_order_relaxed);
  deadline_ = later(this->deadline(), deadline).when().time_since_epoch();
  orphan_grace_ = later(this->orphan_grace(), orphan_grace);
}

void Job::add_alias(const std::string& label) {
  if (label.empty() || label == identity_.label) return;
  const MutexLock lock(mutex_);
  if (aliases_.size() < kMaxAliases && std::ranges::find(aliases_, label) == aliases_.end()) aliases_.push_back(label);
}

bool Job::has_alias(std::string_view label) const {
  const MutexLock lock(mutex_);
  return std::ranges::find(aliases_, label) != aliases_.end();
}

void Job::changed_locked() {
  ++version_;
  changed_.notify_all();
}

// Admission.

void Job::admit(Admission admission) {
  const MutexLock lock(mutex_);
  job_id_ = std::move(admission.job_id);
  lease_ = admission.lease;
  content_ = std::move(admission.content);
  payloads_ = std::move(admission.payloads);
  queue_position_ = admission.queue_position;
  for (std::size_t k = 0; k < admission.records.size(); ++k) {
    if (admission.records[k].empty()) continue;
    records_[k] = std::move(admission.records[k]);
    partitions_[k].stage = Stage::done;
  }
  admitted_ = true;
  changed_locked();
}

void Job::refuse(Error error) {
  const MutexLock lock(mutex_);
  refusal_ = std::move(error);
  ending_ = true;
  open_ = false;
  changed_locked();
}

Status Job::wait_admitted() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&]() CUZK_REQUIRES(mutex_) { return admitted_ || refusal_.has_value(); });
  if (refusal_) return fail(copy_of(*refusal_));
  return {};
}

bool Job::is_admitted() const {
  const MutexLock lock(mutex_);
  return admitted_;
}

std::optional<store::Lease> Job::lease() const {
  const MutexLock lock(mutex_);
  return lease_;
}

void Job::set_lease(const store::Lease& lease) {
  const auto age = [](const store::Lease& of) { return std::pair(of.number, of.generation); };
  const MutexLock lock(mutex_);
  if (lease_ && age(*lease_) > age(lease)) return;
  lease_ = lease;
  lost_lease_ = false;
}

void Job::lose_lease() {
  const MutexLock lock(mutex_);
  lost_lease_ = true;
}

bool Job::has_lost_lease() const {
  const MutexLock lock(mutex_);
  return lost_lease_;
}

// Work.

std::shared_ptr<const ProvingCircuit> Job::circuit() const {
  const MutexLock lock(mutex_);
  return circuit_;
}

void Job::keep_circuit(std::shared_ptr<const ProvingCircuit> circuit) {
  const MutexLock lock(mutex_);
  circuit_ = std::move(circuit);
}

JobContent Job::take_content(std::vector<store::PayloadHash>& payloads) {
  const MutexLock lock(mutex_);
  payloads = payloads_;
  return std::exchange(content_, {});
}

void Job::begin_decode() {
  const MutexLock lock(mutex_);
  timeline_.decode.begin_ns = monotonic_ns();
  changed_locked();
}

void Job::begin_check() {
  const MutexLock lock(mutex_);
  timeline_.decode.end_ns = timeline_.check.begin_ns = monotonic_ns();
  changed_locked();
}

void Job::decoded(std::shared_ptr<const Statement> statement) {
  const MutexLock lock(mutex_);
  const std::uint64_t now = monotonic_ns();
  PhaseSpan& last = timeline_.check.begin_ns != 0 ? timeline_.check : timeline_.decode;
  if (last.begin_ns != 0) last.end_ns = now;
  if (ending_) return;  // nothing is kept for work that will not be done
  decoded_ = true;
  statement_ = std::move(statement);
  changed_locked();
}

std::shared_ptr<const Statement> Job::statement() const {
  const MutexLock lock(mutex_);
  return statement_;
}

void Job::update(std::uint32_t partition, FunctionRef<void(PartitionStatus&)> change) {
  const MutexLock lock(mutex_);
  change(partitions_[partition]);
  changed_locked();
}

void Job::enter(std::uint32_t partition, Stage stage, Phase phase) {
  update(partition, [&](PartitionStatus& status) {
    status.stage = stage;
    status.timeline[phase] = {.begin_ns = monotonic_ns(), .end_ns = 0};
  });
}

void Job::begin(std::uint32_t partition, Phase phase) {
  const MutexLock lock(mutex_);
  partitions_[partition].timeline[phase] = {.begin_ns = monotonic_ns(), .end_ns = 0};
}

void Job::finish(std::uint32_t partition, Phase phase) {
  const MutexLock lock(mutex_);
  partitions_[partition].timeline[phase].end_ns = monotonic_ns();
}

PartitionTimeline Job::timeline(std::uint32_t partition) const {
  const MutexLock lock(mutex_);
  return partitions_[partition].timeline;
}

bool Job::is_finished(std::uint32_t partition) const {
  const MutexLock lock(mutex_);
  return partitions_[partition].stage == Stage::done;
}

std::uint32_t Job::unfinished_partitions() const {
  const MutexLock lock(mutex_);
  return static_cast<std::uint32_t>(
      std::ranges::count_if(partitions_, [](const PartitionStatus& p) { return p.stage != Stage::done; }));
}

std::uint32_t Job::waiting_partitions() const {
  const MutexLock lock(mutex_);
  return static_cast<std::uint32_t>(std::ranges::count(partitions_, Stage::waiting, &PartitionStatus::stage));
}

PartitionStatus Job::partition_status(std::uint32_t partition) const {
  const MutexLock lock(mutex_);
  return partitions_[partition];
}

bool Job::finish_partition(std::uint32_t partition, std::vector<std::byte> record) {
  const MutexLock lock(mutex_);
  if (ending_) return false;
  partitions_[partition].stage = Stage::done;
  records_[partition] = std::move(record);
  changed_locked();
  return std::ranges::all_of(partitions_, [](const PartitionStatus& p) { return p.stage == Stage::done; });
}

bool Job::all_finished() const {
  const MutexLock lock(mutex_);
  return std::ranges::all_of(partitions_, [](const PartitionStatus& p) { return p.stage == Stage::done; });
}

PartitionRecords Job::records() const {
  const MutexLock lock(mutex_);
  return records_;
}

// The end.

bool Job::claim_end() {
  {
    const MutexLock lock(mutex_);
    if (ending_) return false;
    ending_ = true;
  }
  stop_.request_stop();
  return true;
}

void Job::end(JobResult result) {
  // Destroyed after the lock is given back: these may be large.
  std::shared_ptr<const ProvingCircuit> circuit;
  JobContent content;
  PartitionRecords records;
  std::shared_ptr<const Statement> statement;
  const MutexLock lock(mutex_);
  timeline_.finished_ns = monotonic_ns();
  if (result.state == JobState::completed) {  // of one whose proof the journal has, no partition was at work here
    for (PartitionStatus& partition : partitions_) partition.stage = Stage::done;
  }
  result.times = times_locked();
  for (std::size_t k = 0; k < partitions_.size(); ++k) {
    const std::string note = note_of(partitions_[k]);
    if (!note.empty()) result.notes.push_back("partition " + std::to_string(k) + ": " + note);
  }
  result_ = std::make_shared<const JobResult>(std::move(result));
  open_ = false;
  std::swap(circuit, circuit_);
  std::swap(content, content_);
  std::swap(records, records_);
  std::swap(statement, statement_);
  changed_locked();
}

std::shared_ptr<const JobResult> Job::result() const {
  const MutexLock lock(mutex_);
  return result_;
}

std::uint64_t Job::ended_ns() const {
  const MutexLock lock(mutex_);
  return timeline_.finished_ns;
}

// Callers.

JobTimes Job::times_locked() const {
  const std::uint64_t now = timeline_.finished_ns != 0 ? timeline_.finished_ns : monotonic_ns();
  JobTimes times;
  times.total = now - timeline_.accepted_ns;
  std::uint64_t first = now;
  for (const PartitionStatus& partition : partitions_) {
    const PartitionTimeline& line = partition.timeline;
    times.key += line[Phase::key].duration_ns(now);
    times.witness += line[Phase::witness].duration_ns(now) + line[Phase::evaluate].duration_ns(now);
    times.compute += line[Phase::start].duration_ns(now) + line[Phase::finish].duration_ns(now);
    if (line[Phase::witness].begin_ns != 0) first = std::min(first, line[Phase::witness].begin_ns);
  }
  times.queue = first - timeline_.accepted_ns;
  return times;
}

JobTimes Job::times() const {
  const MutexLock lock(mutex_);
  return times_locked();
}

JobStatus Job::status() const {
  const MutexLock lock(mutex_);
  const auto in = [&](Stage stage) CUZK_REQUIRES(mutex_) {
    return std::ranges::count_if(partitions_, [&](const PartitionStatus& p) { return p.stage == stage; });
  };
  JobStatus status;
  status.job_id = job_id_;
  status.label = identity_.label;
  status.kind = identity_.kind;
  status.circuit = identity_.circuit;
  status.priority = priority();
  status.decoding = timeline_.decode.begin_ns != 0 && !decoded_ && result_ == nullptr;
  status.finished_partitions = static_cast<std::uint32_t>(in(Stage::done));
  status.queue_position = queue_position_;
  status.payload_bytes = identity_.payload_bytes;
  status.partitions = partitions_;
  status.timeline = timeline_;
  const bool begun = std::cmp_less(in(Stage::waiting), partitions_.size());
  status.state = begun ? JobState::running : JobState::accepted;
  if (result_ != nullptr) {
    status.state = result_->state;
    status.error = result_->error;
    status.failure = result_->failure;
  }
  return status;
}

template <class Done> Status Job::wait_locked(MutexLock& lock, Deadline deadline, const StopToken& stop, Done done) {
  if (deadline.is_never()) {
    changed_.wait(lock, stop, done);
  } else {
    changed_.wait_until(lock, stop, deadline.when(), done);
  }
  if (done()) return {};
  CUZK_CHECK_OK(check_stop(stop, "waiting for job " + job_id_));
  return fail(Code::deadline, "job " + job_id_ + " is not done yet");
}

Result<std::shared_ptr<const JobResult>> Job::await(Deadline deadline, const StopToken& stop) {
  const Waiting waiting(*this);
  MutexLock lock(mutex_);
  CUZK_CHECK_OK(wait_locked(lock, deadline, stop, [&]() CUZK_REQUIRES(mutex_) { return result_ != nullptr; }));
  return result_;
}

std::uint64_t Job::version() const {
  const MutexLock lock(mutex_);
  return version_;
}

Result<std::uint64_t> Job::wait_for_change(std::uint64_t seen, Deadline deadline, const StopToken& stop) {
  const Waiting waiting(*this);
  MutexLock lock(mutex_);
  CUZK_CHECK_OK(wait_locked(lock, deadline, stop, [&]() CUZK_REQUIRES(mutex_) { return version_ != seen; }));
  return version_;
}

std::chrono::nanoseconds Job::orphaned() const {
  const MutexLock lock(mutex_);
  if (waiters_ != 0) return std::chrono::nanoseconds(0);
  return std::chrono::nanoseconds(monotonic_ns() - alone_since_ns_);
}

std::string note_of(const PartitionStatus& partition) {
  std::string note;
  const auto add = [&](const std::string& text) { note += (note.empty() ? "" : "; ") + text; };
  const auto attempt = [](std::size_t number, const std::string& device) {
    return "attempt " + std::to_string(number) + (device.empty() ? "" : " on " + device);  // none yet: it waits
  };
  for (std::size_t k = 0; k < partition.failed.size(); ++k) {
    add(attempt(k + 1, partition.failed[k].device) + " failed: " + partition.failed[k].error);
  }
  if (partition.stage == Stage::failed || (partition.failed.empty() && partition.instead.empty())) return note;
  const bool again = partition.stage == Stage::done && !partition.failed.empty();
  add((again ? "proved again on " + partition.timeline.device
             : attempt(partition.failed.size() + 1, partition.timeline.device)) +
      (partition.instead.empty() ? "" : " " + partition.instead));
  return note;
}

// JobHandle.

const std::string& JobHandle::job_id() const noexcept { return job_->job_id(); }
JobStatus JobHandle::status() const { return job_->status(); }
Result<std::shared_ptr<const JobResult>> JobHandle::await(Deadline deadline, const StopToken& stop) const {
  return job_->await(deadline, stop);
}
std::uint64_t JobHandle::version() const { return job_->version(); }
Result<std::uint64_t> JobHandle::wait_for_change(std::uint64_t seen, Deadline deadline, const StopToken& stop) const {
  return job_->wait_for_change(seen, deadline, stop);
}

}  // namespace cuzk::engine
