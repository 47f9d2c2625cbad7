// What is done from time to time, by three threads: leases and deadlines must be kept also while a driver or a file
// system does not answer.
#include "engine/core.h"
#include "support/log.h"
#include "support/sleep.h"

namespace cuzk::engine {

namespace {

constexpr auto kExpiryInterval = std::chrono::minutes(1);

bool has_passed(std::uint64_t& since_ns, std::chrono::nanoseconds span) {
  const std::uint64_t now = monotonic_ns();
  if (now - since_ns < static_cast<std::uint64_t>(span.count())) return false;
  since_ns = now;
  return true;
}

}  // namespace

/// Nothing but the journal is called here.
void EngineCore::run_leases(const StopToken& stop) {
  std::uint64_t renewed_ns = started_ns_;
  while (!stopped_within(options_.housekeeping, stop)) {
    if (has_passed(renewed_ns, options_.lease / 3)) renew_leases();
    books_.write_ends();
  }
}

void EngineCore::run_deadlines(const StopToken& stop) {
  while (!stopped_within(options_.housekeeping, stop)) end_overdue();
}

void EngineCore::run_housekeeping(const StopToken& stop) {
  std::uint64_t expired_ns = started_ns_;
  std::uint64_t taken_ns = started_ns_;
  std::uint64_t trimmed_ns = started_ns_;
  while (!stopped_within(options_.housekeeping, stop)) {
    for (const auto& line : lines_) line->look_again();
    tend_parked();
    if (options_.pool != nullptr && has_passed(trimmed_ns, options_.buffer_idle)) tend_buffers();
    jobs_.expire(options_.result_age, options_.max_results);
    if (has_passed(taken_ns, options_.take_over)) take_over();
    if (!has_passed(expired_ns, kExpiryInterval)) continue;
    books_.look_at_journal();
    if (Status expired = books_.expire(options_.expiry); !expired) log_warn(expired.error().to_string());
  }
}

void EngineCore::end_overdue() {
  for (const auto& job : jobs_.all()) {
    if (!job->is_open() || !job->is_admitted()) continue;
    if (job->has_lost_lease()) {
      end_lost(job);
    } else if (job->deadline().passed()) {
      fail_job(job, Error(Code::deadline, "its deadline has passed"));
    } else if (job->orphan_grace().count() > 0 && job->orphaned() > job->orphan_grace()) {
      cancel_job(job, "nobody waits for it any more");
    }
  }
}

void EngineCore::end_lost(const std::shared_ptr<Job>& job) {
  if (books_.regain(*job)) return;
  const auto record = books_.find(job->job_id());
  if (record && *record && (*record)->summary.state == JobState::cancelled) {
    cancel_job(job, "cancelled by another process");
  } else {
    fail_job(job, Error(Code::unavailable, "another process has taken the job over"));
  }
}

void EngineCore::renew_leases() {
  std::vector<std::shared_ptr<Job>> open;
  for (const auto& job : jobs_.all()) {
    if (job->is_open() && job->is_admitted()) open.push_back(job);
  }
  auto lost = books_.renew(open);
  if (!lost) return log_warn("leases are not renewed: " + lost.error().to_string());
  for (const auto& job : *lost) job->lose_lease();
}

}  // namespace cuzk::engine
