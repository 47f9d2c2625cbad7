// JournalTables: the operations of a Journal as statements on one SQLite connection.
//
// Each function runs inside a transaction that the caller has begun (SqliteJournal's queue), does all or is rolled back
// by its caller, and may be run again after that. Meanings and errors are those of store/journal.h; `now` is one
// reading of the clock. Thread-safety: external.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/job.h"
#include "store/sqlite.h"

namespace cuzk::store {

class JournalTables {
 public:
  struct Options {
    std::function<WallTime()> clock;
    std::string owner;
    std::uint64_t max_open_jobs = 0;
    std::uint64_t max_bytes = 0;
    /// Whether the process that holds this name's leases has died.
    std::function<bool(std::string_view owner)> is_gone;
    /// Whether it has died of itself: a fault or an abort, no kill from outside.
    std::function<bool(std::string_view owner)> died_of_itself;
  };

  JournalTables(Database& database, Options options) : database_(database), options_(std::move(options)) {}

  Result<Acceptance> accept(const NewJob& job);
  Status still_there() const;
  Result<std::vector<TakenJob>> take(std::size_t limit, std::chrono::milliseconds lease);
  Result<TakenJob> acquire(const JobDigest& digest, std::chrono::milliseconds lease);
  Result<std::vector<Lease>> renew(std::chrono::milliseconds lease);
  Status release(const Lease& lease);
  Status partition_started(const Lease& lease, std::uint32_t partition);
  Status partition_finished(const Lease& lease, std::uint32_t partition, Bytes proof);
  Status partition_failed(const Lease& lease, std::uint32_t partition, std::string_view error);
  Status forget_partitions(const Lease& lease);
  Status complete(const Lease& lease, Bytes result);
  Status fail_job(const Lease& lease, FailureClass failure, std::string_view error);
  Result<bool> cancel(const JobDigest& digest);
  Status cancel(const Lease& lease);
  Status mark_delivered(const JobDigest& digest);
  Result<std::optional<JobRecord>> find(const JobDigest& digest);
  Result<std::optional<JobRecord>> find_id(std::string_view job_id);
  Result<JobPage> list(const JobFilter& filter);
  Result<std::vector<JobCount>> counts();
  Result<Expired> expire(const ExpiryRule& rule);
  Result<std::vector<PayloadHash>> unreferenced(std::span<const PayloadHash> hashes);

 private:
  std::int64_t now() const { return options_.clock().time_since_epoch().count(); }
  Error damaged(std::string what) const;

  Result<JobSummary> read_summary(const Query& row) const;
  Result<std::optional<JobSummary>> summary(const JobDigest& digest);
  Result<JobSummary> summary(std::int64_t number);
  Result<JobRecord> record(std::int64_t number);
  Result<std::vector<PartitionRecord>> partitions(std::int64_t number, std::uint32_t count);
  Result<std::vector<PayloadHash>> payloads(std::int64_t number);
  Result<std::optional<std::int64_t>> number_of(const JobDigest& digest);
  /// The first column of all rows.
  template <class... Args> Result<std::vector<std::int64_t>> numbers_of(const char* statement, const Args&... args);

  Status check_queue();
  Status check_size(const NewJob& job);
  Status check_room(const NewJob& job);
  Result<std::string> new_job_id(const std::string& label);
  Result<std::int64_t> insert(const NewJob& job);
  Status insert_payloads(std::int64_t number, std::span<const PayloadHash> payloads);
  Status reopen(const JobSummary& old, const NewJob& job);
  Status join(const JobSummary& old, const NewJob& job);
  Status add_alias(const JobSummary& old, const std::string& label);
  Result<Acceptance> accept_known(JobSummary&& old, const NewJob& job);
  Result<Acceptance> answer(Acceptance::How how, std::int64_t number, const NewJob& job);

  Result<bool> is_free(const JobSummary& job) const;
  Status free_leases_of_the_dead();
  Status count_unended(std::int64_t number);
  Result<Lease> lease_now(std::int64_t number, std::chrono::milliseconds lease);
  /// The job's number of partitions, when the lease holds.
  Result<std::uint32_t> check_lease(const Lease& lease);
  Status check_partition(const Lease& lease, std::uint32_t partition);
  /// Nothing when the partition is still to be finished; else whether its proof is the same.
  Result<std::optional<bool>> finished_alike(const Lease& lease, std::uint32_t partition, Bytes proof);

  Status forget_results(const ExpiryRule& rule, Expired& expired);
  Status forget_payloads(const ExpiryRule& rule, Expired& expired);

  Database& database_;
  Options options_;
};

}  // namespace cuzk::store
