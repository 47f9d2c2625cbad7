// Books: the journal and the spool as the engine uses them, or nothing where there is none.
//
// A payload is on the disk before its job is accepted, and is mapped from there when it is decoded. Writes of progress
// say what became of the lease: a job in other hands, or cancelled elsewhere, ends here. How a job ended is kept until
// it is written: else the journal gives it to whoever asks for work, and it is proven twice. Lock rank: 35; nothing is
// called under it. Thread-safety: concurrently.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/job_record.h"
#include "store/journal.h"
#include "store/spool.h"
#include "support/mutex.h"

namespace cuzk::engine {

class Books {
 public:
  /// PartitionRecord::unended of a partition that processes die of: eight died of themselves, or a number of kills that
  /// nobody gives for reasons of his own.
  static constexpr std::uint32_t kDeaths = 8 * store::PartitionRecord::kDeathOfItself;

  /// Both null: nothing is kept.
  Books(store::Journal* journal, store::Spool* spool, std::chrono::milliseconds lease) noexcept
      : journal_(journal), spool_(spool), lease_(lease) {}

  bool persistent() const noexcept { return journal_ != nullptr; }

  struct Kept {
    Admission admission;
    bool completed = false;  // the same content is: `result`
    std::vector<std::byte> result;
  };
  /// Without a journal the content stays in memory. conflict: another process works on it. What keeps jobs from being
  /// written is told in the log, once until one can be written again.
  Result<Kept> accept(const Job& job, JobContent content, std::vector<store::PayloadHash> payloads);
  /// The same content came again, under this label perhaps: priority, deadline and grace are the job's by now.
  Status join(const Job& job, const std::string& label);
  /// Bytes of payloads in the spool.
  std::uint64_t size_of(const std::vector<store::PayloadHash>& payloads) const;
  /// Maps the payloads, where the content holds none.
  Status load_payloads(JobContent& content, const std::vector<store::PayloadHash>& payloads) const;

  /// What other processes left, leased: as many as there are at most.
  Result<std::vector<store::TakenJob>> take(std::size_t limit);
  Status partition_started(const Job& job, std::uint32_t partition);
  Status partition_finished(const Job& job, std::uint32_t partition, Bytes record);
  Status partition_failed(const Job& job, std::uint32_t partition, const Error& error);
  Status forget_partitions(const store::Lease& lease);
  /// Whether a write was refused because the job is lost: regain().
  bool is_lost(Job& job, const Error& refusal);
  /// Leases the job again whose lease has run out or was given back. False: others have it, or have ended it.
  bool regain(Job& job);

  /// Writes how the job ends; to be called before Job::end(). What cannot be written now is kept, which is told in the
  /// log. Errors: is_lost().
  Status end(const std::shared_ptr<Job>& job, const JobResult& result);
  /// Once more, all ends that are kept.
  void write_ends();
  std::size_t unwritten_ends() const;
  /// True: its end is kept, and all that is left to do is to write it, now under this lease.
  bool resume_end(const store::TakenJob& taken);

  /// Whether the journal is still where it was; tells the log when that changes.
  void look_at_journal();
  /// The journal as look_at_journal() saw it last, or what kept the last job from being written; empty: nothing.
  std::string journal_trouble() const;

  /// Also one in other hands. True: it was open.
  Result<bool> cancel(const store::JobDigest& digest);
  Status release(const Job& job);
  Status release(const store::Lease& lease);
  Status mark_delivered(const store::JobDigest& digest);
  Result<std::optional<store::JobRecord>> find(std::string_view job_id);

  /// While it lives, leases that the journal has just given become those of jobs, and no lease is a stray.
  class Adoption {
   public:
    explicit Adoption(Books& books) noexcept : books_(books) { ++books_.adoptions_; }
    Adoption(const Adoption&) = delete;
    Adoption& operator=(const Adoption&) = delete;
    ~Adoption() { --books_.adoptions_; }

   private:
    Books& books_;
  };

  /// Jobs of these whose lease is lost. Leases with neither a job nor an end that is kept are given back when that has
  /// been so twice. By one thread; nothing is called but the journal.
  Result<std::vector<std::shared_ptr<Job>>> renew(const std::vector<std::shared_ptr<Job>>& open);
  Status expire(const store::ExpiryRule& rule);

 private:
  store::NewJob description(const Job& job) const;
  Result<Kept> write(const Job& job, JobContent content, std::vector<store::PayloadHash> payloads);
  /// Null: the last job was written.
  void note_refusal(const Error* refusal);
  void give_back_strays(std::vector<store::Lease> strays);
  Status write_end(const Job& job, const JobResult& result) const;
  /// An error when the end is still to be written.
  Status write_kept(const std::shared_ptr<Job>& job);
  std::vector<std::shared_ptr<Job>> kept() const;
  std::shared_ptr<Job> kept(const store::JobDigest& digest) const;
  /// Calls write(lease) where there is a journal and a lease.
  template <class Write> Status with_lease(const Job& job, Write write) const;

  store::Journal* journal_;
  store::Spool* spool_;
  std::chrono::milliseconds lease_;
  std::vector<store::Lease> strays_;  // at the last renew()
  std::atomic<unsigned> adoptions_ = 0;
  bool refused_ CUZK_GUARDED_BY(mutex_) = false;  // journal_trouble_ is of the last job
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Job>> unwritten_ CUZK_GUARDED_BY(mutex_);  // whose end the journal has not
  std::string journal_trouble_ CUZK_GUARDED_BY(mutex_);
};

/// What a former owner of the job did.
void add_partitions(Admission& admission, std::vector<store::PartitionRecord> partitions);

/// Of the wall clock, for the journal; and back.
std::optional<store::WallTime> wall_time(Deadline deadline);
Deadline deadline_at(std::optional<store::WallTime> time);

}  // namespace cuzk::engine
