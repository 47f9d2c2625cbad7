#include "store/sqlite_journal.h"

#include <utility>

#include "store/commit_queue.h"
#include "store/journal_tables.h"
#include "store/owner_lock.h"
#include "store/sqlite.h"
#include "store/sqlite_schema.h"

namespace cuzk::store {

namespace {

using Access = CommitQueue::Access;

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(std::unique_ptr<Database> database, OwnerLock owner, JournalTables::Options options)
      : owner_(std::move(owner)), tables_(*database, std::move(options)), queue_(std::move(database)) {}

  const std::string& owner() const noexcept override { return owner_.name(); }

  Result<Acceptance> accept(const NewJob& job, const Call& call) override {
    return queue_.run(Access::durable, call, [&] { return tables_.accept(job); });
  }
  Status still_there(const Call& call) override {
    return queue_.run(Access::read, call, [&] { return tables_.still_there(); });
  }
  Result<std::vector<TakenJob>> take(std::size_t limit, Duration lease, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.take(limit, lease); });
  }
  Result<TakenJob> acquire(const JobDigest& digest, Duration lease, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.acquire(digest, lease); });
  }
  Result<std::vector<Lease>> renew(Duration lease, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.renew(lease); });
  }
  Status release(const Lease& lease, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.release(lease); });
  }

  Status partition_started(const Lease& lease, std::uint32_t partition, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.partition_started(lease, partition); });
  }
  Status partition_finished(const Lease& lease, std::uint32_t partition, Bytes proof, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.partition_finished(lease, partition, proof); });
  }
  Status partition_failed(const Lease& lease, std::uint32_t partition, std::string_view error,
                          const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.partition_failed(lease, partition, error); });
  }
  Status forget_partitions(const Lease& lease, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.forget_partitions(lease); });
  }

  Status complete(const Lease& lease, Bytes result, const Call& call) override {
    return queue_.run(Access::durable, call, [&] { return tables_.complete(lease, result); });
  }
  Status fail_job(const Lease& lease, FailureClass failure, std::string_view error, const Call& call) override {
    return queue_.run(Access::durable, call, [&] { return tables_.fail_job(lease, failure, error); });
  }
  Result<bool> cancel(const JobDigest& digest, const Call& call) override {
    return queue_.run(Access::durable, call, [&] { return tables_.cancel(digest); });
  }
  Status cancel(const Lease& lease, const Call& call) override {
    return queue_.run(Access::durable, call, [&] { return tables_.cancel(lease); });
  }
  Status mark_delivered(const JobDigest& digest, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.mark_delivered(digest); });
  }

  Result<std::optional<JobRecord>> find(const JobDigest& digest, const Call& call) override {
    return queue_.run(Access::read, call, [&] { return tables_.find(digest); });
  }
  Result<std::optional<JobRecord>> find_id(std::string_view job_id, const Call& call) override {
    return queue_.run(Access::read, call, [&] { return tables_.find_id(job_id); });
  }
  Result<JobPage> list(const JobFilter& filter, const Call& call) override {
    return queue_.run(Access::read, call, [&] { return tables_.list(filter); });
  }
  Result<std::vector<JobCount>> counts(const Call& call) override {
    return queue_.run(Access::read, call, [&] { return tables_.counts(); });
  }

  Result<Expired> expire(const ExpiryRule& rule, const Call& call) override {
    return queue_.run(Access::write, call, [&] { return tables_.expire(rule); });
  }
  Result<std::vector<PayloadHash>> unreferenced(std::span<const PayloadHash> hashes, const Call& call) override {
    return queue_.run(Access::read, call, [&] { return tables_.unreferenced(hashes); });
  }

  std::uint64_t changes() const noexcept override { return queue_.changes(); }
  Result<std::uint64_t> wait_for_change(std::uint64_t seen, const Call& call) override {
    return queue_.wait_for_change(seen, call);
  }

 private:
  OwnerLock owner_;
  JournalTables tables_;
  CommitQueue queue_;  // last: its thread ends before what it uses
};

WallTime now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

}  // namespace

Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::string& path, SqliteJournalOptions options) {
  if (path.empty() || path.front() == ':') return fail(Code::invalid_argument, "'" + path + "' is no name of a file");
  CUZK_TRY(auto database, open_journal_database(path, options.busy_timeout));
  CUZK_TRY(OwnerLock owner, OwnerLock::take(path, options.owner));
  JournalTables::Options tables{
      .clock = options.clock ? std::move(options.clock) : now,
      .owner = owner.name(),
      .max_open_jobs = options.max_open_jobs,
      .max_bytes = options.max_bytes,
      .is_gone = [path](std::string_view name) { return OwnerLock::is_gone(path, name); },
      .died_of_itself = [path](std::string_view name) { return OwnerLock::died_of_itself(path, name); }};
  return std::make_unique<SqliteJournal>(std::move(database), std::move(owner), std::move(tables));
}

}  // namespace cuzk::store
