#include "engine/core.h"
#include "engine/failure.h"
#include "support/log.h"

namespace cuzk::engine {

namespace {

constexpr auto kEndingPatience = std::chrono::seconds(10);

/// As the journal remembers it.
JobResult result_of(store::JobRecord& record) {
  JobResult result;
  result.state = record.summary.state;
  result.proof = std::move(record.result);
  result.error = std::move(record.summary.error);
  result.failure = record.summary.failure;
  if (result.state == JobState::cancelled) result.code = Code::cancelled;
  return result;
}

}  // namespace

Result<JobTable::Opened> EngineCore::open_job(const JobIdentity& identity, Priority priority, PayloadRoom* room) {
  while (true) {
    CUZK_TRY(auto opened, jobs_.open(identity, priority, true, room));
    if (opened.created || !opened.job->stopped() || !opened.job->is_open()) return opened;
    // Its work is being stopped: no one can join it any more, and soon it is gone.
    if (!opened.job->await(Deadline::after(kEndingPatience), {})) {
      return fail(Code::unavailable,
                  "the same job is being cancelled, and its end is not yet written: try again later");
    }
  }
}

/// Null: it is not there now; what is missing, decoding tells.
std::shared_ptr<const ProvingCircuit> EngineCore::find_circuit(const std::string& id) const {
  auto found = options_.catalogue->find(id);
  return found ? *std::move(found) : nullptr;
}

Result<JobHandle> EngineCore::submit(JobRequest request) {
  if (!accepting_) return fail(Code::unavailable, "stopping: no job is accepted");
  const JobKind* const known = kind(request.content.kind);
  if (known == nullptr) return fail(Code::invalid_argument, "no such kind of job: " + request.content.kind);
  const Priority priority = request.priority.value_or(known->default_priority());
  auto found = options_.catalogue->find(request.content.circuit);
  const bool is_unknown = !found && found.error().code() == Code::not_found;
  if (is_unknown && !known->may_want_circuit()) return fail(std::move(found).error());
  const auto circuit = found ? *std::move(found) : nullptr;
  request.content.key = circuit == nullptr ? kNoKey : circuit->key_digest();
  auto payloads = payload_hashes(request.content);
  JobIdentity identity;
  identity.digest = digest_of(request.content, payloads);
  identity.label = std::move(request.label);
  identity.kind = request.content.kind;
  identity.circuit = request.content.circuit;
  identity.key = request.content.key;
  identity.partitions = request.content.partitions;
  identity.payload_bytes = request.content.payload_bytes();
  identity.statement_bytes = known->statement_bytes(identity.payload_bytes);
  identity.deadline = request.deadline;
  identity.orphan_grace = request.orphan_grace;
  auto opened = open_job(identity, priority, request.room.get());
  if (!opened) {
    metrics_.refused();
    return fail(std::move(opened).error());
  }
  const std::shared_ptr<Job>& job = opened->job;
  if (!opened->created) {
    CUZK_CHECK_OK(job->wait_admitted());
    join(*job, identity, priority);
    return JobHandle(job);
  }
  job->keep_circuit(circuit);
  Status admitted = admit(job, std::move(request.content), std::move(payloads));
  if (admitted) return JobHandle(job);
  metrics_.refused();
  job->refuse(copy_of(admitted.error()));
  jobs_.remove(job);
  return fail(std::move(admitted).error());
}

void EngineCore::join(Job& job, const JobIdentity& other, Priority priority) {
  job.join(priority, other.deadline, other.orphan_grace);
  terms_have_changed();
  log_debug("joined as " + other.label, job.subject());
  if (Status written = books_.join(job, other.label); !written) {
    log_warn("not journalled: " + written.error().to_string(), job.subject());
  }
  metrics_.joined(job.identity().kind);
}

Status EngineCore::admit(const std::shared_ptr<Job>& job, JobContent content,
                         std::vector<store::PayloadHash> payloads) {
  const std::uint32_t position = jobs_.position(*job);
  const Books::Adoption adoption(books_);
  CUZK_TRY(auto kept, books_.accept(*job, std::move(content), std::move(payloads)));
  kept.admission.queue_position = position;
  const auto deadly = kept.admission.deadly;
  job->admit(std::move(kept.admission));
  if (!kept.completed) {
    metrics_.accepted(job->identity().kind);
    log_debug("accepted", job->subject());
    begin(job, deadly);
    return {};
  }
  metrics_.joined(job->identity().kind);
  JobResult result;
  result.state = JobState::completed;
  result.proof = std::move(kept.result);
  if (job->claim_end()) job->end(std::move(result));
  jobs_.note_end();
  return {};
}

void EngineCore::enqueue(std::shared_ptr<Job> job) {
  auto item = std::make_unique<Undecoded>();
  item->job = std::move(job);
  undecoded_.push(std::move(item));
}

Result<JobHandle> EngineCore::find(std::string_view job_id) {
  if (auto job = jobs_.find(job_id)) return JobHandle(std::move(job));
  CUZK_TRY(auto record, books_.find(job_id));
  if (!record) return fail(Code::not_found, "no job " + std::string(job_id));
  if (auto job = jobs_.find(record->summary.job_id)) return JobHandle(std::move(job));  // known here by that name
  if (store::is_open(record->summary.state)) {
    return fail(Code::unavailable, "job " + std::string(job_id) + " is in the hands of " + record->summary.owner);
  }
  JobIdentity identity;
  identity.digest = record->summary.digest;
  identity.label = record->summary.label;
  identity.kind = record->summary.kind;
  identity.circuit = record->summary.circuit;
  identity.partitions = record->summary.partitions;
  auto job = std::make_shared<Job>(std::move(identity), static_cast<Priority>(record->summary.priority));
  job->admit({.job_id = record->summary.job_id});
  if (job->claim_end()) job->end(result_of(*record));
  return JobHandle(std::move(job));
}

Status EngineCore::mark_delivered(const JobHandle& handle) {
  return books_.mark_delivered(handle.job_->identity().digest);
}

Result<bool> EngineCore::cancel(std::string_view job_id) {
  if (const auto job = jobs_.find(job_id)) return cancel_job(job, "cancelled");
  CUZK_TRY(const auto record, books_.find(job_id));
  if (!record) return fail(Code::not_found, "no job " + std::string(job_id));
  if (const auto job = jobs_.find(record->summary.job_id)) return cancel_job(job, "cancelled");
  return books_.cancel(record->summary.digest);
}

std::vector<JobStatus> EngineCore::list() const {
  std::vector<JobStatus> all;
  for (const auto& job : jobs_.all()) {
    if (job->is_admitted()) all.push_back(job->status());
  }
  return all;
}

}  // namespace cuzk::engine
