// FakeProving: a ProvingService whose jobs end when and how a test says.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

#include "server/proving_service.h"
#include "tests/support/eventually.h"

namespace cuzk::server {

class FakeJob final : public ServedJob {
 public:
  explicit FakeJob(std::string job_id) : job_id_(std::move(job_id)) {
    status_.job_id = job_id_;
    status_.partitions.resize(2);
  }

  void end(engine::JobResult result) {
    change([&](engine::JobStatus& status) {
      status.state = result.state;
      status.error = result.error;
      result_ = std::make_shared<engine::JobResult>(std::move(result));
    });
  }
  void complete(std::string_view proof) {
    engine::JobResult result;
    result.state = engine::JobState::completed;
    const Bytes bytes = text_bytes(proof);
    result.proof.assign(bytes.begin(), bytes.end());
    result.times = {11'000'000, 12'000'000, 13'000'000, 14'000'000, 50'000'000};
    end(std::move(result));
  }
  void end_without_proof(engine::JobState state, std::string error, Code code) {
    engine::JobResult result;
    result.state = state;
    result.error = std::move(error);
    result.code = code;
    end(std::move(result));
  }
  void change(const std::function<void(engine::JobStatus&)>& edit) {
    const std::lock_guard lock(mutex_);
    edit(status_);
    ++version_;
    changed_.notify_all();
  }

  /// Until somebody has waited for a change so often; false: nobody does.
  bool is_waited_for(int times) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return waits_ >= times; });
  }

  const std::string& job_id() const noexcept override { return job_id_; }
  engine::JobStatus status() const override {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  Result<std::shared_ptr<const engine::JobResult>> await(Deadline deadline, const StopToken& stop) const override {
    std::unique_lock lock(mutex_);
    ++waiters_;
    Status waited = wait(lock, deadline, stop, [this] { return result_ != nullptr; });
    --waiters_;
    CUZK_CHECK_OK(std::move(waited));
    return result_;
  }
  /// Those who wait for its end now.
  int waiters() const {
    const std::lock_guard lock(mutex_);
    return waiters_;
  }
  std::uint64_t version() const override {
    const std::lock_guard lock(mutex_);
    return version_;
  }
  Result<std::uint64_t> wait_for_change(std::uint64_t seen, Deadline deadline, const StopToken& stop) const override {
    std::unique_lock lock(mutex_);
    ++waits_;
    changed_.notify_all();
    CUZK_CHECK_OK(wait(lock, deadline, stop, [&] { return version_ != seen; }));
    return version_;
  }

 private:
  template <class Done>
  Status wait(std::unique_lock<std::mutex>& lock, Deadline deadline, const StopToken& stop, Done done) const {
    const auto until = deadline.is_never() ? Deadline::Clock::now() + std::chrono::minutes(5) : deadline.when();
    if (changed_.wait_until(lock, stop, until, done)) return {};
    return stop.stop_requested() ? fail(Code::cancelled, "stopped") : fail(Code::deadline, "not yet");
  }

  const std::string job_id_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  engine::JobStatus status_;
  std::shared_ptr<const engine::JobResult> result_;
  std::uint64_t version_ = 1;
  mutable int waiters_ = 0;
  mutable int waits_ = 0;
};

class FakeProving : public ProvingService {
 public:
  /// The submissions so far, and their jobs.
  std::vector<Submission> submissions() const {
    const std::lock_guard lock(mutex_);
    return submissions_;
  }
  /// With their payloads.
  void forget_submissions() {
    const std::lock_guard lock(mutex_);
    submissions_.clear();
  }
  /// Waits until there are so many.
  std::shared_ptr<FakeJob> job(std::size_t index) const {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, test::kPatience, [&] { return jobs_.size() > index; });
    return jobs_.at(index);
  }

  /// What happens to new jobs; set before the calls.
  std::function<void(FakeJob&)> on_job = [](FakeJob&) {};
  std::optional<Code> refuse;
  std::atomic<int> full = 0;                    // so many submissions find no room
  std::uint64_t room = std::uint64_t{1} << 30;  // for a message
  std::vector<std::uint64_t> received;
  engine::EngineSnapshot shown;
  std::vector<std::string> delivered;
  std::chrono::milliseconds delay = std::chrono::milliseconds(2500);  // until there is room

  Result<std::shared_ptr<engine::PayloadRoom>> receive(std::uint64_t bytes) override {
    const std::lock_guard lock(mutex_);
    received.push_back(bytes);
    if (bytes > room) return fail(Code::exhausted, "no room");
    return std::shared_ptr<engine::PayloadRoom>();
  }
  Result<std::shared_ptr<const ServedJob>> submit(Submission submission) override {
    if (refuse) return fail(*refuse, "refused");
    if (full > 0) return --full, fail(Code::exhausted, "no room");
    std::shared_ptr<FakeJob> made;
    {
      const std::lock_guard lock(mutex_);
      std::string job_id = submission.label;
      for (int n = 2; find_locked(job_id) != nullptr; ++n) job_id = submission.label + "#" + std::to_string(n);
      made = std::make_shared<FakeJob>(job_id);
      submissions_.push_back(std::move(submission));
      jobs_.push_back(made);
      came_.notify_all();
    }
    on_job(*made);
    return made;
  }
  Result<std::shared_ptr<const ServedJob>> find(std::string_view job_id) override {
    const std::lock_guard lock(mutex_);
    if (auto job = find_locked(job_id)) return job;
    return fail(Code::not_found, "there is no job " + std::string(job_id));
  }
  std::vector<engine::JobStatus> list() const override {
    const std::lock_guard lock(mutex_);
    std::vector<engine::JobStatus> all;
    for (const auto& job : jobs_) all.push_back(job->status());
    return all;
  }
  void mark_delivered(const ServedJob& job) override {
    const std::lock_guard lock(mutex_);
    delivered.push_back(job.job_id());
  }
  Result<bool> cancel(std::string_view job_id) override {
    CUZK_TRY(const auto job, find(job_id));
    const bool open = job->status().is_open();
    if (open) {
      const_cast<FakeJob&>(static_cast<const FakeJob&>(*job))
          .end_without_proof(engine::JobState::cancelled, "cancelled", Code::cancelled);
    }
    return open;
  }
  Result<engine::Preloaded> preload(std::string_view circuit, const StopToken&) override {
    if (circuit != "porep-2k") return fail(Code::not_found, "no circuit " + std::string(circuit));
    return engine::Preloaded{true, 7'000'000};
  }
  Result<engine::Evicted> evict(std::string_view circuit) override {
    if (circuit != "porep-2k") return fail(Code::not_found, "no circuit " + std::string(circuit));
    return engine::Evicted{true, 4096};
  }
  engine::EngineSnapshot snapshot() const override { return shown; }
  std::chrono::milliseconds retry_delay() const override { return delay; }

 private:
  std::shared_ptr<FakeJob> find_locked(std::string_view job_id) const {
    for (const auto& job : jobs_) {
      if (job->job_id() == job_id) return job;
    }
    return nullptr;
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::vector<Submission> submissions_;
  std::vector<std::shared_ptr<FakeJob>> jobs_;
};

}  // namespace cuzk::server
