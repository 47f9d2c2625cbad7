#include "engine/core.h"
#include "engine/failure.h"
#include "support/log.h"

namespace cuzk::engine {

namespace {

Priority priority_of(std::int32_t number) noexcept {
  if (number <= static_cast<std::int32_t>(Priority::low)) return Priority::low;
  if (number >= static_cast<std::int32_t>(Priority::critical)) return Priority::critical;
  return static_cast<Priority>(number);
}

JobIdentity identity_of(const store::JobSummary& summary) {
  JobIdentity identity;
  identity.digest = summary.digest;
  identity.label = summary.label;
  identity.kind = summary.kind;
  identity.circuit = summary.circuit;
  identity.key = summary.key;
  identity.partitions = summary.partitions;
  identity.deadline = deadline_at(summary.deadline);
  identity.orphan_grace = summary.orphan_grace;
  return identity;
}

Admission admission_of(store::TakenJob taken) {
  Admission admission;
  admission.job_id = taken.job.summary.job_id;
  admission.lease = taken.lease;
  admission.content.kind = taken.job.summary.kind;
  admission.content.circuit = taken.job.summary.circuit;
  admission.content.partitions = taken.job.summary.partitions;
  admission.content.metadata = std::move(taken.job.metadata);
  admission.payloads = std::move(taken.job.payloads);
  add_partitions(admission, std::move(taken.job.partitions));
  return admission;
}

}  // namespace

Status EngineCore::adopt(store::TakenJob taken) {
  if (books_.resume_end(taken)) return {};
  const store::JobSummary& summary = taken.job.summary;
  JobIdentity identity = identity_of(summary);
  identity.payload_bytes = books_.size_of(taken.job.payloads);
  if (const JobKind* known = kind(summary.kind))
    identity.statement_bytes = known->statement_bytes(identity.payload_bytes);
  CUZK_TRY(const auto opened, jobs_.open(std::move(identity), priority_of(summary.priority), false));
  if (!opened.created) return adopt_known(opened.job, taken.lease);
  if (Status forgotten = forget_unknown_proofs(taken); !forgotten) {
    opened.job->refuse(copy_of(forgotten.error()));
    jobs_.remove(opened.job);
    return forgotten;
  }
  metrics_.recovered(summary.kind);
  opened.job->keep_circuit(find_circuit(summary.circuit));
  Admission admission = admission_of(std::move(taken));
  const auto deadly = admission.deadly;
  opened.job->admit(std::move(admission));
  log_debug("taken over", opened.job->subject());
  begin(opened.job, deadly);
  return {};
}

/// Of partitions by a former version, which did not say by which key.
Status EngineCore::forget_unknown_proofs(store::TakenJob& taken) {
  if (taken.job.summary.key || taken.job.summary.finished_partitions == 0) return {};
  for (store::PartitionRecord& partition : taken.job.partitions) partition.proof.clear();
  return books_.forget_partitions(taken.lease);
}

/// The job's work; not when processes have died of it, again and again.
void EngineCore::begin(const std::shared_ptr<Job>& job, std::optional<std::uint32_t> deadly) {
  if (!deadly) return enqueue(job);
  fail_job(job, Error(Code::internal, "the process died, hung or was killed each time that partition " +
                                          std::to_string(*deadly) +
                                          " was at work, eight times by itself or ever so often from outside: the job "
                                          "is given up, until it is sent again"));
}

/// One whose lease had run out, that is just being submitted, or of whose end the journal knows nothing any more.
Status EngineCore::adopt_known(const std::shared_ptr<Job>& job, const store::Lease& lease) {
  const auto result = job->result();
  if (job->is_open() && job->is_admitted()) {
    job->set_lease(lease);
    return {};
  }
  if (result == nullptr || result->state != JobState::completed) return books_.release(lease);
  job->set_lease(lease);
  return books_.end(job, *result);
}

Status EngineCore::recover() {
  CUZK_TRY(auto taken, books_.take(std::numeric_limits<std::size_t>::max()));
  for (store::TakenJob& one : taken) CUZK_CHECK_OK(adopt(std::move(one)));
  if (!taken.empty()) log_info(std::to_string(taken.size()) + " jobs of a former process go on");
  return {};
}

void EngineCore::take_over() {
  const std::size_t open = jobs_.open_jobs();
  if (!accepting_ || open >= options_.max_open_jobs) return;
  const Books::Adoption adoption(books_);
  auto taken = books_.take(options_.max_open_jobs - open);
  if (!taken) return log_warn("jobs of other processes cannot be taken over: " + taken.error().to_string());
  for (store::TakenJob& one : *taken) {
    if (Status adopted = adopt(std::move(one)); !adopted) log_warn(adopted.error().to_string());
  }
  if (!taken->empty()) log_info(std::to_string(taken->size()) + " jobs of other processes are taken over");
}

}  // namespace cuzk::engine
