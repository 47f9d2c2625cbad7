// Journal: the memory of a proving service that outlives its process. No job that was accepted is lost, and none gets
// two results.
//
// One journal may be shared by several processes (and, with a database server behind it, machines). Who works on a job
// holds its lease; every write of progress or of a result names the lease and is refused when a later one was given,
// so two processes that both believe to own a job cannot both finish it. A lease is free again when its time is over,
// or at once when its owner is known to have died. The interface promises only what both SQLite and PostgreSQL can do:
// transactions, leases with an end, and a notice that something has changed.
//
// Each function is one transaction and blocks until it is done. accept, complete, fail_job and cancel are on the disk
// when they return and survive a loss of power; leases and the progress of partitions survive the death of the process,
// and after a loss of power the newest of them may be missing (that work is then done again). Errors with which nothing
// was written: cancelled and deadline (`call` ended before the turn came; once it has begun a call is not given up),
// exhausted (disk full, quota, too many open jobs), unavailable (another process keeps the journal locked, I/O error),
// malformed (the file is damaged). Errors of the lease: conflict (in other hands, or finished), cancelled (the job was
// cancelled), not_found (the job is forgotten). Thread-safety: concurrently; calls end before the journal does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/job.h"
#include "support/bytes.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::store {

/// How long a call may wait for its turn.
struct Call {
  // NOLINTBEGIN(readability-redundant-member-init): without them g++ refuses designated initializers that leave one out
  StopToken stop{};
  // NOLINTEND(readability-redundant-member-init)
  Deadline deadline = Deadline::never();
};

class Journal {
 public:
  using Duration = std::chrono::milliseconds;

  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  /// The name under which this object holds leases; unique for each object ever opened.
  virtual const std::string& owner() const noexcept = 0;

  // Jobs come in.

  /// Keeps the job, or finds that its content is here already: then the label becomes another name of it (find_id).
  /// Joining raises the priority to the higher and moves deadline and orphan_grace to the later of the two (none and 0
  /// are the latest). not_found: NewJob::only_join. invalid_argument: a limit of JobLimits, or the same digest with
  /// another kind, circuit or number of partitions.
  virtual Result<Acceptance> accept(const NewJob& job, const Call& call = {}) = 0;
  /// unavailable: its file was removed or replaced beneath it. What is written would be lost with the process, and
  /// accept() refuses, as unavailable, what it does not hold as open or completed.
  virtual Status still_there(const Call& call = {}) = 0;

  // Who works on them.

  /// Leases up to `limit` free jobs, in the order priority, deadline, age: at start all that a former process left, and
  /// later what others brought; not those of this owner whose time is over: it works on them, and renew() keeps them.
  /// Partitions that were running wait again.
  virtual Result<std::vector<TakenJob>> take(std::size_t limit, Duration lease, const Call& call = {}) = 0;
  /// Leases this job; conflict while another lease holds.
  virtual Result<TakenJob> acquire(const JobDigest& digest, Duration lease, const Call& call = {}) = 0;
  /// Prolongs all leases of this owner and returns them: a job that is not among them is in other hands, cancelled or
  /// finished.
  virtual Result<std::vector<Lease>> renew(Duration lease, const Call& call = {}) = 0;
  /// Gives the job back unfinished: it is accepted again.
  virtual Status release(const Lease& lease, const Call& call = {}) = 0;

  // How far they are. Partitions count from 0; a finished one never changes: finishing it again with the same proof is
  // no fault, with another one is a conflict. A partition that was running when its job came into other hands without
  // having been released is counted (PartitionRecord::unended) until it finishes or fails.

  virtual Status partition_started(const Lease& lease, std::uint32_t partition, const Call& call = {}) = 0;
  virtual Status partition_finished(const Lease& lease, std::uint32_t partition, Bytes proof,
                                    const Call& call = {}) = 0;
  virtual Status partition_failed(const Lease& lease, std::uint32_t partition, std::string_view error,
                                  const Call& call = {}) = 0;
  /// All partitions wait again, also finished ones: they are of no use.
  virtual Status forget_partitions(const Lease& lease, const Call& call = {}) = 0;

  // How they end.

  /// All partitions are finished with it, those too whose own record could not be written; their proofs are dropped:
  /// the result holds them.
  virtual Status complete(const Lease& lease, Bytes result, const Call& call = {}) = 0;
  virtual Status fail_job(const Lease& lease, FailureClass failure, std::string_view error, const Call& call = {}) = 0;
  /// True when the job was still open. Needs no lease: who works on it learns of it by the next write, or renew().
  virtual Result<bool> cancel(const JobDigest& digest, const Call& call = {}) = 0;
  /// By who works on it.
  virtual Status cancel(const Lease& lease, const Call& call = {}) = 0;
  /// A caller has got the result (of a finished job; invalid_argument of an open one).
  virtual Status mark_delivered(const JobDigest& digest, const Call& call = {}) = 0;

  // What is known.

  virtual Result<std::optional<JobRecord>> find(const JobDigest& digest, const Call& call = {}) = 0;
  /// By its id; else the last job that was brought under this label when it was known under another name.
  virtual Result<std::optional<JobRecord>> find_id(std::string_view job_id, const Call& call = {}) = 0;
  virtual Result<JobPage> list(const JobFilter& filter, const Call& call = {}) = 0;
  virtual Result<std::vector<JobCount>> counts(const Call& call = {}) = 0;

  // What is forgotten.

  virtual Result<Expired> expire(const ExpiryRule& rule, const Call& call = {}) = 0;
  /// Those of the hashes that no job refers to.
  virtual Result<std::vector<PayloadHash>> unreferenced(std::span<const PayloadHash> hashes, const Call& call = {}) = 0;

  // Notices.

  /// Grows with each change that this object made or has noticed (now and then also without one).
  virtual std::uint64_t changes() const noexcept = 0;
  /// Waits until changes() differs from `seen`; changes by other processes are noticed within a second.
  virtual Result<std::uint64_t> wait_for_change(std::uint64_t seen, const Call& call) = 0;
};

}  // namespace cuzk::store
