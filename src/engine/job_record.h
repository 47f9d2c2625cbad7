// Job: the object that a job is while this process knows it. Stages write into it, callers wait on it.
//
// It ends exactly once: claim_end() decides who ends it and stops its work, end() publishes the result and drops what
// the work needed. Lock rank: 30; nothing of others is called under it. Thread-safety: concurrently.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/job.h"
#include "engine/ordered_queue.h"
#include "support/function_ref.h"
#include "support/log.h"
#include "support/mutex.h"

namespace cuzk::engine {

class ProvingCircuit;

/// What never changes.
struct JobIdentity {
  store::JobDigest digest{};
  std::string name;  // "<label>", "<label>#2": unique in this process; the job's id where no journal gives another
  std::string label;
  std::string kind;
  std::string circuit;
  std::optional<store::KeyDigest> key{};  // none: of a former version's journal
  std::uint32_t partitions = 1;
  std::uint64_t sequence = 0;  // of arrival in this process
  std::uint64_t payload_bytes = 0;
  std::uint64_t statement_bytes = 0;      // at most, of what its payloads are decoded to
  Deadline deadline = Deadline::never();  // at first, as orphan_grace: who joins may prolong both
  std::chrono::milliseconds orphan_grace{0};
};

/// Deadline and orphan_grace of two who want the same: the later ones; none and 0 are the latest.
Deadline later(Deadline a, Deadline b) noexcept;
std::chrono::milliseconds later(std::chrono::milliseconds a, std::chrono::milliseconds b) noexcept;

/// What changes when somebody joins the job on other ones.
struct Terms {
  Priority priority = Priority::normal;
  Deadline deadline = Deadline::never();
  friend bool operator==(const Terms& a, const Terms& b) noexcept {
    return a.priority == b.priority && a.deadline.when() == b.deadline.when();
  }
};

/// With a proof for each partition that a former process finished.
using PartitionRecords = std::vector<std::vector<std::byte>>;

/// How the journal knows the job.
struct Admission {
  std::string job_id;
  std::optional<store::Lease> lease{};
  JobContent content{};
  std::vector<store::PayloadHash> payloads{};  // in the spool, when the content holds none
  PartitionRecords records{};
  std::optional<std::uint32_t> deadly{};  // a partition during which process after process has died
  std::uint32_t queue_position = 0;
};

class Job {
 public:
  Job(JobIdentity identity, Priority priority);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const JobIdentity& identity() const noexcept { return identity_; }
  Priority priority() const noexcept { return priority_.load(std::memory_order_relaxed); }
  Deadline deadline() const noexcept { return Deadline::at(Deadline::Clock::time_point(deadline_.load())); }
  Terms terms() const noexcept { return {priority(), deadline()}; }
  std::chrono::milliseconds orphan_grace() const noexcept { return orphan_grace_.load(); }
  /// Someone else wants it too: the higher priority, the later ends.
  void join(Priority priority, Deadline deadline, std::chrono::milliseconds orphan_grace) noexcept;
  Order order(std::uint32_t partition = 0) const noexcept {
    return {priority(), deadline().when(), identity_.sequence, partition};
  }
  /// Another label under which it came. Beyond kMaxAliases none is kept.
  void add_alias(const std::string& label);
  bool has_alias(std::string_view label) const;
  static constexpr std::size_t kMaxAliases = 1000;

  // Admission: a job is found under its digest before it is on the disk; who joins it then waits for that.

  void admit(Admission admission);
  void refuse(Error error);
  /// Waits for one of the two; the refusal's error.
  Status wait_admitted();
  bool is_admitted() const;
  /// Once admitted; constant.
  const std::string& job_id() const noexcept { return job_id_; }
  /// For lines of the log; likewise.
  LogSubject subject(std::optional<std::uint32_t> partition = {}) const noexcept { return {job_id_, partition}; }
  std::optional<store::Lease> lease() const;
  /// Unless a later one is known.
  void set_lease(const store::Lease& lease);
  /// The journal has given the job to others, or ended it: until set_lease().
  void lose_lease();
  bool has_lost_lease() const;

  // Work.

  StopToken stop_token() const noexcept { return stop_.get_token(); }
  bool stopped() const noexcept { return stop_.stop_requested(); }
  /// Its work ends; the job does not.
  void interrupt() noexcept { stop_.request_stop(); }

  /// Whether it waits for another process: this one cannot end it.
  void leave(bool to_another_process) noexcept { left_ = to_another_process; }
  bool is_left() const noexcept { return left_; }

  /// The circuit of the moment when the job was accepted, which proves it whatever is registered later. Null: it was
  /// not there, or the job has ended.
  std::shared_ptr<const ProvingCircuit> circuit() const;
  void keep_circuit(std::shared_ptr<const ProvingCircuit> circuit);
  /// The content, which the job gives away for good.
  JobContent take_content(std::vector<store::PayloadHash>& payloads);
  void begin_decode();
  void begin_check();
  /// The end of decoding and checking: from now on partitions run.
  void decoded(std::shared_ptr<const Statement> statement);
  bool is_decoded() const noexcept { return decoded_.load(); }
  /// Of payloads and statement, as long as it is open.
  std::uint64_t held_bytes() const noexcept {
    return identity_.payload_bytes + (is_decoded() ? identity_.statement_bytes : 0);
  }
  std::shared_ptr<const Statement> statement() const;

  /// Changes a partition's status under the lock and tells who watches.
  void update(std::uint32_t partition, FunctionRef<void(PartitionStatus&)> change);
  void enter(std::uint32_t partition, Stage stage, Phase phase);
  void begin(std::uint32_t partition, Phase phase);
  void finish(std::uint32_t partition, Phase phase);
  PartitionTimeline timeline(std::uint32_t partition) const;
  bool is_finished(std::uint32_t partition) const;
  std::uint32_t unfinished_partitions() const;
  /// Of which no witness is begun.
  std::uint32_t waiting_partitions() const;
  PartitionStatus partition_status(std::uint32_t partition) const;
  /// True when it was the last one.
  bool finish_partition(std::uint32_t partition, std::vector<std::byte> record);
  bool all_finished() const;
  PartitionRecords records() const;

  // The end.

  /// True for one caller; the job's work is stopped.
  bool claim_end();
  void end(JobResult result);
  bool is_open() const noexcept { return open_.load(); }
  /// Null: has not ended.
  std::shared_ptr<const JobResult> result() const;
  std::uint64_t ended_ns() const;

  // Callers.

  JobStatus status() const;
  Result<std::shared_ptr<const JobResult>> await(Deadline deadline, const StopToken& stop);
  std::uint64_t version() const;
  Result<std::uint64_t> wait_for_change(std::uint64_t seen, Deadline deadline, const StopToken& stop);
  /// How long nobody has waited for it.
  std::chrono::nanoseconds orphaned() const;
  JobTimes times() const;

 private:
  class Waiting;

  void changed_locked() CUZK_REQUIRES(mutex_);
  template <class Done>
  Status wait_locked(MutexLock& lock, Deadline deadline, const StopToken& stop, Done done) CUZK_REQUIRES(mutex_);
  JobTimes times_locked() const CUZK_REQUIRES(mutex_);

  const JobIdentity identity_;
  std::atomic<Priority> priority_;
  std::atomic<Deadline::Clock::duration> deadline_;
  std::atomic<std::chrono::milliseconds> orphan_grace_;
  std::atomic<bool> open_ = true;
  std::atomic<bool> decoded_ = false;
  std::atomic<bool> left_ = false;
  std::stop_source stop_;
  std::string job_id_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t version_ CUZK_GUARDED_BY(mutex_) = 0;
  bool admitted_ CUZK_GUARDED_BY(mutex_) = false;
  std::optional<Error> refusal_ CUZK_GUARDED_BY(mutex_);
  std::optional<store::Lease> lease_ CUZK_GUARDED_BY(mutex_);
  bool lost_lease_ CUZK_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const ProvingCircuit> circuit_ CUZK_GUARDED_BY(mutex_);
  JobContent content_ CUZK_GUARDED_BY(mutex_);
  std::vector<store::PayloadHash> payloads_ CUZK_GUARDED_BY(mutex_);
  std::uint32_t queue_position_ CUZK_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const Statement> statement_ CUZK_GUARDED_BY(mutex_);
  JobTimeline timeline_ CUZK_GUARDED_BY(mutex_);
  std::vector<PartitionStatus> partitions_ CUZK_GUARDED_BY(mutex_);
  PartitionRecords records_ CUZK_GUARDED_BY(mutex_);
  std::vector<std::string> aliases_ CUZK_GUARDED_BY(mutex_);
  bool ending_ CUZK_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const JobResult> result_ CUZK_GUARDED_BY(mutex_);
  std::uint32_t waiters_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t alone_since_ns_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::engine
