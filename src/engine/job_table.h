// JobTable: the jobs that this process knows, by their content and by their names.
//
// Lock rank: 25; the jobs' own lock (30) is taken under it. Thread-safety: concurrently.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/job_record.h"
#include "engine/snapshot.h"
#include "support/mutex.h"

namespace cuzk::engine {

/// Bytes of a payload that is on its way.
class PayloadRoom {
  friend class JobTable;
  std::uint64_t bytes_ = 0;  // under the table's lock
};

class JobTable {
 public:
  struct Limits {
    std::uint32_t open_jobs = 0;
    std::uint64_t payload_bytes = 0;  // of all open jobs, with their statements and what is being received
  };
  struct Opened {
    std::shared_ptr<Job> job;
    bool created = false;  // else: the same content, open or completed
  };

  explicit JobTable(Limits limits) noexcept : limits_(limits) {}

  /// unavailable: closed; exhausted, with the numbers; invalid_argument: a payload that has room at no time. Sets the
  /// identity's sequence and name ("<label>", "<label>#2", ...; without a label a random one). `bounded`: the limits
  /// count (a recovered job has been accepted already). `room` ends here: from now on the job itself counts.
  Result<Opened> open(JobIdentity identity, Priority priority, bool bounded = true, PayloadRoom* room = nullptr);
  /// Counts as the payloads of jobs do, until it ends. Errors as open(). It must not outlive the table.
  Result<std::shared_ptr<PayloadRoom>> receive(std::uint64_t bytes);
  PayloadSnapshot payloads() const;
  /// The newest of this name, or else the newest that came under it too; null: none.
  std::shared_ptr<Job> find(std::string_view job_id) const;
  /// Oldest first.
  std::vector<std::shared_ptr<Job>> all() const;
  void remove(const std::shared_ptr<Job>& job);
  /// From now on open() gives no job: unavailable. All there will ever be are in all().
  void close();
  /// Open jobs that are decoded, and the payloads, at one moment.
  struct Decoded {
    std::vector<std::shared_ptr<const Job>> jobs;
    PayloadSnapshot payloads;
  };
  Decoded decoded() const;
  std::size_t open_jobs() const;
  /// How many open jobs go before this one.
  std::uint32_t position(const Job& job) const;

  /// Forgets those that ended so long ago, and the oldest ended ones above the number.
  void expire(std::chrono::nanoseconds age, std::size_t most);
  /// A job has ended.
  void note_end();
  /// In about how long another job will have ended (turnover.h).
  std::chrono::milliseconds wait_for_an_end() const;
  /// Waits until no job is open but those that wait for another process. deadline or cancelled: there are open ones.
  Status wait_idle(Deadline deadline, const StopToken& stop) const;

 private:
  std::shared_ptr<Job> of_content_locked(const store::JobDigest& digest) const CUZK_REQUIRES(mutex_);
  Status check_jobs_locked() const CUZK_REQUIRES(mutex_);
  Status check_bytes_locked(std::uint64_t bytes) const CUZK_REQUIRES(mutex_);
  PayloadSnapshot payloads_locked() const CUZK_REQUIRES(mutex_);
  void end_room(PayloadRoom& room);
  std::string free_name_locked(const std::string& label) const CUZK_REQUIRES(mutex_);
  std::size_t open_jobs_locked() const CUZK_REQUIRES(mutex_);

  const Limits limits_;
  mutable Mutex mutex_;
  mutable std::condition_variable_any ended_;
  std::vector<std::shared_ptr<Job>> jobs_ CUZK_GUARDED_BY(mutex_);
  bool closed_ CUZK_GUARDED_BY(mutex_) = false;
  std::uint64_t receiving_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_sequence_ CUZK_GUARDED_BY(mutex_) = 1;
};

}  // namespace cuzk::engine
