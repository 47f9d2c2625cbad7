#include "engine/job_table.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/turnover.h"
#include "memory/memory_size.h"
#include "support/clock.h"
#include "support/hex.h"
#include "support/random.h"

namespace cuzk::engine {
namespace {

/// n of the name "<base>#n"; 1 of the base itself, 0 of others.
unsigned number_of(std::string_view name, std::string_view base) {
  if (!name.starts_with(base)) return 0;
  name.remove_prefix(base.size());
  if (name.empty()) return 1;
  unsigned number = 0;
  if (name.starts_with('#')) std::from_chars(name.data() + 1, name.data() + name.size(), number);
  return number;
}

}  // namespace

std::shared_ptr<Job> JobTable::of_content_locked(const store::JobDigest& digest) const {
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
    if ((*job)->identity().digest != digest) continue;
    const auto result = (*job)->result();
    return (*job)->is_open() || (result != nullptr && result->state == JobState::completed) ? *job : nullptr;
  }
  return nullptr;
}

std::size_t JobTable::open_jobs_locked() const {
  return static_cast<std::size_t>(std::ranges::count_if(jobs_, [](const auto& job) { return job->is_open(); }));
}

Status JobTable::check_jobs_locked() const {
  const std::size_t open = open_jobs_locked();
  if (open < limits_.open_jobs) return {};
  return fail(Code::exhausted, std::to_string(open) + " jobs are open, as many as may be: try again later");
}

PayloadSnapshot JobTable::payloads_locked() const {
  PayloadSnapshot all{.limit_bytes = limits_.payload_bytes, .receiving_bytes = receiving_};
  for (const auto& job : jobs_) {
    if (!job->is_open()) continue;
    all.payload_bytes += job->identity().payload_bytes;
    all.statement_bytes += job->held_bytes() - job->identity().payload_bytes;
  }
  return all;
}

Status JobTable::check_bytes_locked(std::uint64_t bytes) const {
  if (bytes > limits_.payload_bytes) {
    return fail(Code::invalid_argument,
                "a payload of " + memory::format_memory_size(bytes) + " is larger than all payloads together may be, " +
                    memory::format_memory_size(limits_.payload_bytes) + ": it has no room at any time");
  }
  const std::uint64_t held = payloads_locked().held_bytes();
  if (held <= limits_.payload_bytes - bytes) return {};
  return fail(Code::exhausted, "a payload of " + memory::format_memory_size(bytes) + " has no room: open jobs hold " +
                                   memory::format_memory_size(held) + " of " +
                                   memory::format_memory_size(limits_.payload_bytes) + "; try again later");
}

PayloadSnapshot JobTable::payloads() const {
  const MutexLock lock(mutex_);
  return payloads_locked();
}

Result<std::shared_ptr<PayloadRoom>> JobTable::receive(std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  CUZK_CHECK_OK(check_bytes_locked(bytes));
  std::shared_ptr<PayloadRoom> room(new PayloadRoom(), [this](PayloadRoom* ended) {
    end_room(*ended);
    delete ended;
  });
  room->bytes_ = bytes;
  receiving_ += bytes;
  return room;
}

void JobTable::end_room(PayloadRoom& room) {
  const MutexLock lock(mutex_);
  receiving_ -= std::exchange(room.bytes_, 0);
}

Result<JobTable::Opened> JobTable::open(JobIdentity identity, Priority priority, bool bounded, PayloadRoom* room) {
  const MutexLock lock(mutex_);
  if (closed_) return fail(Code::unavailable, "stopping: no job is accepted");
  if (room != nullptr) receiving_ -= std::exchange(room->bytes_, 0);
  if (auto job = of_content_locked(identity.digest)) {
    job->add_alias(identity.label);
    return Opened{std::move(job), false};
  }
  if (bounded) CUZK_CHECK_OK(check_jobs_locked());
  if (bounded) CUZK_CHECK_OK(check_bytes_locked(identity.payload_bytes));
  identity.sequence = next_sequence_++;
  identity.name = free_name_locked(identity.label);
  auto job = std::make_shared<Job>(std::move(identity), priority);
  jobs_.push_back(job);
  return Opened{std::move(job), true};
}

std::shared_ptr<Job> JobTable::find(std::string_view job_id) const {
  const MutexLock lock(mutex_);
  const auto newest = [&](auto is_it) CUZK_REQUIRES(mutex_) {
    const auto job =
        std::find_if(jobs_.rbegin(), jobs_.rend(), [&](const auto& j) { return j->is_admitted() && is_it(*j); });
    return job == jobs_.rend() ? nullptr : *job;
  };
  if (auto job = newest([&](const Job& j) { return j.job_id() == job_id; })) return job;
  return newest([&](const Job& j) { return j.has_alias(job_id); });
}

std::vector<std::shared_ptr<Job>> JobTable::all() const {
  const MutexLock lock(mutex_);
  return jobs_;
}

void JobTable::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
}

void JobTable::remove(const std::shared_ptr<Job>& job) {
  const MutexLock lock(mutex_);
  std::erase(jobs_, job);
  ended_.notify_all();
}

std::string JobTable::free_name_locked(const std::string& label) const {
  std::string base = label;
  if (base.empty()) {
    std::array<std::byte, 16> random{};
    CUZK_REQUIRE(fill_random(random).has_value());
    base = encode_hex(random);
  }
  // Behind the newest of the label: thousands may have it, and the lock is held.
  const auto newest =
      std::find_if(jobs_.rbegin(), jobs_.rend(), [&](const auto& job) { return job->identity().label == label; });
  unsigned n = newest == jobs_.rend() ? 0 : number_of((*newest)->identity().name, base);
  std::string name;
  const auto taken = [&](const auto& job) { return job->identity().name == name; };
  do {
    ++n;
    name = n == 1 ? base : base + "#" + std::to_string(n);
  } while (std::ranges::any_of(jobs_, taken));
  return name;
}

std::size_t JobTable::open_jobs() const {
  const MutexLock lock(mutex_);
  return open_jobs_locked();
}

JobTable::Decoded JobTable::decoded() const {
  const MutexLock lock(mutex_);
  Decoded all{.jobs = {}, .payloads = payloads_locked()};
  std::ranges::copy_if(jobs_, std::back_inserter(all.jobs),
                       [](const auto& job) { return job->is_open() && job->is_decoded(); });
  return all;
}

std::uint32_t JobTable::position(const Job& job) const {
  const MutexLock lock(mutex_);
  return static_cast<std::uint32_t>(std::ranges::count_if(
      jobs_, [&](const auto& other) { return other->is_open() && before(other->order(), job.order()); }));
}

void JobTable::expire(std::chrono::nanoseconds age, std::size_t most) {
  std::vector<std::shared_ptr<Job>> forgotten;  // destroyed outside the lock
  const MutexLock lock(mutex_);
  std::size_t ended = jobs_.size() - open_jobs_locked();
  const std::uint64_t now = monotonic_ns();
  const auto limit = static_cast<std::uint64_t>(age.count());
  std::erase_if(jobs_, [&](std::shared_ptr<Job>& job) {
    // A job may end, and others with it, after they were counted and the time was taken.
    if (job->is_open() || (ended <= most && job->ended_ns() + limit >= now)) return false;
    ended -= std::min<std::size_t>(ended, 1);
    forgotten.push_back(std::move(job));
    return true;
  });
}

void JobTable::note_end() {
  const MutexLock lock(mutex_);
  ended_.notify_all();
}

std::chrono::milliseconds JobTable::wait_for_an_end() const {
  const MutexLock lock(mutex_);
  std::vector<std::uint64_t> ends;
  std::shared_ptr<Job> oldest;
  for (const auto& job : jobs_) {
    const std::uint64_t ended = job->ended_ns();
    if (ended != 0) ends.push_back(ended);
    if (ended == 0 && oldest == nullptr) oldest = job;
  }
  const std::uint64_t since = oldest == nullptr ? monotonic_ns() : oldest->status().timeline.accepted_ns;
  return engine::wait_for_an_end(std::move(ends), since, monotonic_ns());
}

Status JobTable::wait_idle(Deadline deadline, const StopToken& stop) const {
  MutexLock lock(mutex_);
  const auto may_end = [](const auto& job) { return job->is_open() && !job->is_left(); };
  const auto idle = [&]() CUZK_REQUIRES(mutex_) { return std::ranges::none_of(jobs_, may_end); };
  if (deadline.is_never()) {
    ended_.wait(lock, stop, idle);
  } else {
    ended_.wait_until(lock, stop, deadline.when(), idle);
  }
  if (open_jobs_locked() == 0) return {};
  if (!idle()) CUZK_CHECK_OK(check_stop(stop, "draining"));
  return fail(Code::deadline, std::to_string(open_jobs_locked()) + " jobs are still open");
}

}  // namespace cuzk::engine
