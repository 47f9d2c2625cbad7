#include "engine/books.h"

#include <algorithm>
#include <utility>

#include "engine/failure.h"
#include "support/log.h"

namespace cuzk::engine {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kTakenAtOnce = 64;

store::WallTime wall_now() { return std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now()); }

/// The journal's numbers are ours: 0 low .. 3 critical.
std::int32_t number_of(Priority priority) noexcept { return static_cast<std::int32_t>(priority); }

bool is_same(const store::Lease& a, const store::Lease& b) noexcept {
  return a.number == b.number && a.generation == b.generation;
}

/// Whatever is wrong with our folder, who sent the payload may send it again.
Error not_kept(Error&& error) {
  if (error.code() == Code::exhausted) return std::move(error);
  return {Code::unavailable, "the payload cannot be kept: " + error.to_string()};
}

}  // namespace

void add_partitions(Admission& admission, std::vector<store::PartitionRecord> partitions) {
  const auto deadly = std::ranges::find_if(partitions, [](const auto& p) { return p.unended >= Books::kDeaths; });
  if (deadly != partitions.end()) admission.deadly = static_cast<std::uint32_t>(deadly - partitions.begin());
  for (store::PartitionRecord& partition : partitions) admission.records.push_back(std::move(partition.proof));
}

std::optional<store::WallTime> wall_time(Deadline deadline) {
  if (deadline.is_never()) return std::nullopt;
  return wall_now() + duration_cast<milliseconds>(deadline.when() - Deadline::Clock::now());
}

Deadline deadline_at(std::optional<store::WallTime> time) {
  return time ? Deadline::after(*time - wall_now()) : Deadline::never();
}

store::NewJob Books::description(const Job& job) const {
  const JobIdentity& identity = job.identity();
  store::NewJob described;
  described.digest = identity.digest;
  described.label = identity.label;
  described.kind = identity.kind;
  described.circuit = identity.circuit;
  described.key = identity.key;
  described.priority = number_of(job.priority());
  described.deadline = wall_time(job.deadline());
  described.orphan_grace = job.orphan_grace();
  described.partitions = identity.partitions;
  return described;
}

Status Books::join(const Job& job, const std::string& label) {
  if (!persistent()) return {};
  store::NewJob described = description(job);
  described.label = label;
  described.only_join = true;
  CUZK_CHECK_OK(journal_->accept(described));
  return {};
}

std::uint64_t Books::size_of(const std::vector<store::PayloadHash>& payloads) const {
  std::uint64_t sum = 0;
  for (const store::PayloadHash& hash : payloads) {
    if (const auto bytes = spool_->size_of(hash)) sum += *bytes;  // what is missing is told when it is read
  }
  return sum;
}

Result<Books::Kept> Books::accept(const Job& job, JobContent content, std::vector<store::PayloadHash> payloads) {
  if (!persistent()) {
    Kept kept;
    kept.admission.job_id = job.identity().name;
    kept.admission.content = std::move(content);
    return kept;
  }
  auto kept = write(job, std::move(content), std::move(payloads));
  note_refusal(kept ? nullptr : &kept.error());
  return kept;
}

Result<Books::Kept> Books::write(const Job& job, JobContent content, std::vector<store::PayloadHash> payloads) {
  Kept kept;
  if (const auto former = this->kept(job.identity().digest)) {
    if (Status written = write_kept(former); !written) {
      return fail(std::move(written).error().context("the same content has just ended, which is not journalled yet"));
    }
  }
  std::vector<store::PayloadPin> pins;
  for (const Payload& payload : content.payloads) {
    auto pin = spool_->put(payload.bytes);
    if (!pin) return fail(not_kept(std::move(pin).error()));
    pins.push_back(*std::move(pin));
  }
  content.payloads.clear();
  const JobIdentity& identity = job.identity();
  store::NewJob described = description(job);
  described.metadata = content.metadata;
  described.payloads = payloads;
  described.lease = lease_;
  auto accepted = journal_->accept(described);
  if (!accepted) {
    if (accepted.error().code() == Code::unavailable) look_at_journal();
    return fail(std::move(accepted).error());
  }
  store::Acceptance& acceptance = *accepted;
  kept.completed = acceptance.how == store::Acceptance::How::finished;
  kept.result = std::move(acceptance.result);
  if (!kept.completed && !acceptance.lease) {
    return fail(Code::conflict, "another process works on the same content: job " + acceptance.job.job_id);
  }
  kept.admission = {.job_id = std::move(acceptance.job.job_id),
                    .lease = acceptance.lease,
                    .content = std::move(content),
                    .payloads = std::move(payloads)};
  if (kept.completed || acceptance.how == store::Acceptance::How::created) return kept;
  CUZK_TRY(auto record, journal_->find(identity.digest));
  if (!record) return kept;
  add_partitions(kept.admission, std::move(record->partitions));
  return kept;
}

Status Books::load_payloads(JobContent& content, const std::vector<store::PayloadHash>& payloads) const {
  if (!persistent() || !content.payloads.empty()) return {};
  for (const store::PayloadHash& hash : payloads) {
    auto file = spool_->map(hash);
    if (!file) return fail(Code::not_found, "the payload is not there any more: " + file.error().to_string());
    const auto owner = std::make_shared<const MappedFile>(*std::move(file));
    content.payloads.push_back({owner->bytes(), owner});
  }
  return {};
}

Result<std::vector<store::TakenJob>> Books::take(std::size_t limit) {
  std::vector<store::TakenJob> all;
  while (persistent() && all.size() < limit) {
    CUZK_TRY(auto some, journal_->take(std::min(kTakenAtOnce, limit - all.size()), lease_));
    if (some.empty()) break;
    std::ranges::move(some, std::back_inserter(all));
  }
  return all;
}

template <class Write> Status Books::with_lease(const Job& job, Write write) const {
  if (!persistent()) return {};
  const auto lease = job.lease();
  return lease ? write(*lease) : Status();
}

Status Books::partition_started(const Job& job, std::uint32_t partition) {
  return with_lease(job, [&](const store::Lease& lease) { return journal_->partition_started(lease, partition); });
}

Status Books::partition_finished(const Job& job, std::uint32_t partition, Bytes record) {
  return with_lease(job,
                    [&](const store::Lease& lease) { return journal_->partition_finished(lease, partition, record); });
}

Status Books::partition_failed(const Job& job, std::uint32_t partition, const Error& error) {
  return with_lease(
      job, [&](const store::Lease& lease) { return journal_->partition_failed(lease, partition, error.to_string()); });
}

Status Books::forget_partitions(const store::Lease& lease) {
  return persistent() ? journal_->forget_partitions(lease) : Status();
}

bool Books::is_lost(Job& job, const Error& refusal) {
  const Code code = refusal.code();
  return code == Code::cancelled || code == Code::not_found || (code == Code::conflict && !regain(job));
}

bool Books::regain(Job& job) {
  const auto taken = journal_->acquire(job.identity().digest, lease_);
  if (taken) {
    job.set_lease(taken->lease);
    return true;
  }
  const Code code = taken.error().code();
  if (code != Code::conflict && code != Code::not_found) return true;  // the journal does not say
  const auto record = journal_->find(job.identity().digest);
  // By a lease that take() has just given, and that is about to be the job's.
  return record && *record && (*record)->summary.owner == journal_->owner();
}

// Ends.

Status Books::write_end(const Job& job, const JobResult& result) const {
  return with_lease(job, [&](const store::Lease& lease) {
    if (result.state == JobState::completed) return journal_->complete(lease, result.proof);
    if (result.state == JobState::cancelled) return journal_->cancel(lease);
    return journal_->fail_job(lease, result.failure.value_or(FailureClass::defect), result.error);
  });
}

Status Books::end(const std::shared_ptr<Job>& job, const JobResult& result) {
  Status written = write_end(*job, result);
  if (written || is_lost(*job, written.error())) return written;
  log_warn("its end is not in the journal yet, which is tried again: " + written.error().to_string(), job->subject());
  const MutexLock lock(mutex_);
  unwritten_.push_back(job);
  return {};
}

Status Books::write_kept(const std::shared_ptr<Job>& job) {
  const auto result = job->result();
  if (result == nullptr) return fail(Code::unavailable, "job " + job->job_id() + " is just ending");
  const Status written = write_end(*job, *result);
  const bool lost = !written && is_lost(*job, written.error());
  if (!written && !lost) return fail(copy_of(written.error()));
  {
    const MutexLock lock(mutex_);
    if (std::erase(unwritten_, job) == 0) return {};  // another thread was faster
  }
  if (lost) {
    log_warn("its end is not journalled: " + written.error().to_string(), job->subject());
  } else {
    log_info("its end is in the journal now", job->subject());
  }
  return {};
}

/// A journal that is locked, or a disk that does not answer, would keep each of them waiting.
void Books::write_ends() {
  for (const auto& job : kept()) {
    const Status written = write_kept(job);
    if (!written && written.error().code() == Code::unavailable) return;
  }
}

bool Books::resume_end(const store::TakenJob& taken) {
  const auto job = kept(taken.job.summary.digest);
  if (job == nullptr) return false;
  job->set_lease(taken.lease);
  return true;
}

std::vector<std::shared_ptr<Job>> Books::kept() const {
  const MutexLock lock(mutex_);
  return unwritten_;
}

std::shared_ptr<Job> Books::kept(const store::JobDigest& digest) const {
  const MutexLock lock(mutex_);
  const auto found =
      std::ranges::find_if(unwritten_, [&](const auto& job) { return job->identity().digest == digest; });
  return found == unwritten_.end() ? nullptr : *found;
}

std::size_t Books::unwritten_ends() const {
  const MutexLock lock(mutex_);
  return unwritten_.size();
}

void Books::look_at_journal() {
  if (!persistent()) return;
  const Status there = journal_->still_there();
  const std::string trouble = there ? "" : there.error().to_string();
  {
    const MutexLock lock(mutex_);
    if (journal_trouble_ == trouble || (there && refused_)) return;
    journal_trouble_ = trouble;
    refused_ = false;
  }
  there ? log_info("the journal is where it was: jobs are accepted again") : log_error(trouble);
}

/// A full disk refuses every job: the log says so when it begins and when it is over, and not with each of them.
void Books::note_refusal(const Error* refusal) {
  const bool is_of_job =
      refusal != nullptr && (refusal->code() == Code::conflict || refusal->code() == Code::invalid_argument);
  if (is_of_job) return;
  const std::string text =
      refusal == nullptr ? "" : "a job was not accepted, since it cannot be kept: " + refusal->to_string();
  {
    const MutexLock lock(mutex_);
    if (!journal_trouble_.empty() && !refused_) return;  // the journal is not there, which was told
    journal_trouble_ = text;
    const bool was_refused = std::exchange(refused_, refusal != nullptr);
    if (was_refused == refused_) return;
  }
  refusal == nullptr ? log_info("jobs can be kept again") : log_error(text);
}

std::string Books::journal_trouble() const {
  const MutexLock lock(mutex_);
  return journal_trouble_;
}

Result<bool> Books::cancel(const store::JobDigest& digest) {
  if (!persistent()) return false;
  return journal_->cancel(digest);
}

Status Books::release(const Job& job) {
  return with_lease(job, [&](const store::Lease& lease) { return journal_->release(lease); });
}

Status Books::release(const store::Lease& lease) { return persistent() ? journal_->release(lease) : Status(); }

Status Books::mark_delivered(const store::JobDigest& digest) {
  return persistent() ? journal_->mark_delivered(digest) : Status();
}

Result<std::optional<store::JobRecord>> Books::find(std::string_view job_id) {
  if (!persistent()) return std::optional<store::JobRecord>();
  return journal_->find_id(job_id);
}

Result<std::vector<std::shared_ptr<Job>>> Books::renew(const std::vector<std::shared_ptr<Job>>& open) {
  std::vector<std::shared_ptr<Job>> lost;
  if (!persistent()) return lost;
  CUZK_TRY(auto strays, journal_->renew(lease_));
  // Any lease of ours will do: one that had run out may just have been taken again.
  const auto held = [&](Job& job) {
    const auto lease = job.lease();
    if (!lease) return true;
    const auto ours = std::ranges::find(strays, lease->number, &store::Lease::number);
    if (ours == strays.end()) return false;
    job.set_lease(*ours);
    strays.erase(ours);
    return true;
  };
  for (const auto& job : open) {
    if (!held(*job)) lost.push_back(job);
  }
  for (const auto& job : kept()) static_cast<void>(held(*job));
  give_back_strays(std::move(strays));
  return lost;
}

/// A job that is being accepted has its lease in the journal first: so twice.
void Books::give_back_strays(std::vector<store::Lease> strays) {
  for (const store::Lease& stray : strays) {
    const auto seen = [&](const store::Lease& former) { return is_same(former, stray); };
    if (std::ranges::none_of(strays_, seen)) continue;
    if (Status given = release(stray); !given) log_warn("a lease is not given back: " + given.error().to_string());
  }
  strays_ = adoptions_ > 0 ? std::vector<store::Lease>() : std::move(strays);
}

Status Books::expire(const store::ExpiryRule& rule) {
  if (!persistent()) return {};
  CUZK_TRY(const store::Expired expired, journal_->expire(rule));
  CUZK_CHECK_OK(spool_->collect(*journal_, expired.payloads));
  return {};
}

}  // namespace cuzk::engine
