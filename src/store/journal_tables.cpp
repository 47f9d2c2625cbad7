#include "store/journal_tables.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/hex.h"
#include "support/random.h"

namespace cuzk::store {

namespace {

constexpr std::int64_t milliseconds(WallTime time) noexcept { return time.time_since_epoch().count(); }

std::optional<std::int64_t> milliseconds(const std::optional<WallTime>& time) noexcept {
  return time ? std::optional(milliseconds(*time)) : std::nullopt;
}

constexpr std::int64_t kMaxAliases = 1000;  // of a job

constexpr std::int64_t grace_of(std::chrono::milliseconds grace) noexcept {
  return std::max(std::int64_t{grace.count()}, std::int64_t{0});
}

constexpr WallTime wall_time(std::int64_t since_epoch) noexcept {
  return WallTime(std::chrono::milliseconds(since_epoch));
}

/// a + b without leaving the range: a duration may be as long as its type can say.
std::int64_t later(std::int64_t a, std::chrono::milliseconds b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, std::int64_t{b.count()}, &sum)) return sum;
  return b.count() > 0 ? INT64_MAX : INT64_MIN;
}

std::int64_t earlier(std::int64_t a, std::chrono::milliseconds b) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, std::int64_t{b.count()}, &difference)) return difference;
  return b.count() > 0 ? INT64_MIN : INT64_MAX;
}

std::string_view cut(std::string_view text) noexcept {
  std::size_t length = std::min(text.size(), JobLimits::kErrorBytes);
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  return text.substr(0, length);
}

Status check_name(std::string_view name, std::string_view what) {
  if (name.size() > JobLimits::kNameBytes) {
    return fail(Code::invalid_argument, std::string(what) + " has " + std::to_string(name.size()) +
                                            " bytes, expected at most " + std::to_string(JobLimits::kNameBytes));
  }
  if (name.find('\0') != std::string_view::npos) {
    return fail(Code::invalid_argument, std::string(what) + " holds a zero byte");
  }
  return {};
}

Status check_length(std::size_t size, std::size_t limit, std::string_view what) {
  if (size <= limit) return {};
  return fail(Code::invalid_argument,
              std::string(what) + " has " + std::to_string(size) + " bytes, expected at most " + std::to_string(limit));
}

Status check_new(const NewJob& job) {
  CUZK_CHECK_OK(check_name(job.label, "the label"));
  CUZK_CHECK_OK(check_name(job.kind, "the kind"));
  CUZK_CHECK_OK(check_name(job.circuit, "the circuit's name"));
  CUZK_CHECK_OK(check_length(job.metadata.size(), JobLimits::kMetadataBytes, "the metadata"));
  if (job.partitions < 1 || job.partitions > JobLimits::kPartitions) {
    return fail(Code::invalid_argument, "a job of " + std::to_string(job.partitions) + " partitions, expected 1 to " +
                                            std::to_string(JobLimits::kPartitions));
  }
  if (job.payloads.size() > JobLimits::kPayloads) {
    return fail(Code::invalid_argument, "a job of " + std::to_string(job.payloads.size()) +
                                            " payloads, expected at most " + std::to_string(JobLimits::kPayloads));
  }
  return {};
}

/// A digest names one content; a caller whose digest leaves out what kind of job it is would be given another's proof.
Status check_same(const JobSummary& old, const NewJob& job) {
  if (old.kind == job.kind && old.circuit == job.circuit && old.partitions == job.partitions) return {};
  return fail(Code::invalid_argument, "job " + encode_hex(old.digest) + " is kept as " + old.kind + " of circuit " +
                                          old.circuit + " with " + std::to_string(old.partitions) +
                                          " partitions, and comes as " + job.kind + " of circuit " + job.circuit +
                                          " with " + std::to_string(job.partitions));
}

constexpr const char* kSummary =
    "SELECT number, digest, job_id, label, kind, circuit, priority, deadline, accepted, partitions, state, owner, "
    "lease_until, finished, error, failure, delivered, orphan_grace, "
    "(SELECT count(*) FROM partitions p WHERE p.job = jobs.number AND p.state = 'finished'), key_digest "
    "FROM jobs WHERE number = ?1";

std::optional<WallTime> optional_time(const Query& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return wall_time(row.integer(column));
}

template <std::size_t N> bool copy_exactly(const std::vector<std::byte>& from, std::array<std::byte, N>& to) {
  if (from.size() != N) return false;
  std::copy(from.begin(), from.end(), to.begin());
  return true;
}

}  // namespace

template <class... Args>
Result<std::vector<std::int64_t>> JournalTables::numbers_of(const char* statement, const Args&... args) {
  std::vector<std::int64_t> numbers;
  CUZK_TRY(Query row, database_.query(statement, args...));
  for (;;) {
    CUZK_TRY(const bool found, row.step());
    if (!found) return numbers;
    numbers.push_back(row.integer(0));
  }
}

Error JournalTables::damaged(std::string what) const {
  return Error(Code::malformed, Kind::none, "the journal " + database_.path() + " is damaged: " + std::move(what));
}

// Reading.

Result<JobSummary> JournalTables::read_summary(const Query& row) const {
  JobSummary job;
  job.number = row.integer(0);
  const auto state = parse_job_state(row.text(10));
  const std::int64_t partitions = row.integer(9);
  if (!copy_exactly(row.bytes(1), job.digest) || !state || partitions < 1 || partitions > JobLimits::kPartitions) {
    return fail(damaged("job " + std::to_string(job.number)));
  }
  job.job_id = row.text(2);
  job.label = row.text(3);
  job.kind = row.text(4);
  job.circuit = row.text(5);
  job.priority = static_cast<std::int32_t>(row.integer(6));
  job.deadline = optional_time(row, 7);
  job.accepted = wall_time(row.integer(8));
  job.partitions = static_cast<std::uint32_t>(partitions);
  job.state = *state;
  job.owner = row.text(11);
  job.lease_until = optional_time(row, 12);
  job.finished = optional_time(row, 13);
  job.error = row.text(14);
  if (!row.is_null(15)) job.failure = parse_failure_class(row.text(15));
  job.delivered = row.integer(16) != 0;
  job.orphan_grace = std::chrono::milliseconds(row.integer(17));
  job.finished_partitions = static_cast<std::uint32_t>(row.integer(18));
  if (!row.is_null(19) && !copy_exactly(row.bytes(19), job.key.emplace())) {
    return fail(damaged("the key of job " + std::to_string(job.number)));
  }
  return job;
}

Result<std::optional<JobSummary>> JournalTables::summary(const JobDigest& digest) {
  CUZK_TRY(const std::optional<std::int64_t> number, number_of(digest));
  if (!number) return std::nullopt;
  CUZK_TRY(JobSummary job, summary(*number));
  return job;
}

Result<JobSummary> JournalTables::summary(std::int64_t number) {
  CUZK_TRY(Query row, database_.query(kSummary, number));
  CUZK_TRY(const bool found, row.step());
  if (!found) return fail(Code::not_found, "job number " + std::to_string(number) + " is not in the journal");
  return read_summary(row);
}

Result<std::vector<PartitionRecord>> JournalTables::partitions(std::int64_t number, std::uint32_t count) {
  std::vector<PartitionRecord> records(count);
  CUZK_TRY(
      Query row,
      database_.query("SELECT number, state, attempts, unended, proof, error FROM partitions WHERE job = ?1", number));
  for (;;) {
    CUZK_TRY(const bool found, row.step());
    if (!found) return records;
    const std::int64_t partition = row.integer(0);
    const auto state = parse_partition_state(row.text(1));
    if (partition < 0 || partition >= count || !state) {
      return fail(damaged("partition " + std::to_string(partition) + " of job " + std::to_string(number)));
    }
    records[static_cast<std::size_t>(partition)] = {.state = *state,
                                                    .attempts = static_cast<std::uint32_t>(row.integer(2)),
                                                    .unended = static_cast<std::uint32_t>(row.integer(3)),
                                                    .proof = row.bytes(4),
                                                    .error = row.text(5)};
  }
}

Result<std::vector<PayloadHash>> JournalTables::payloads(std::int64_t number) {
  std::vector<PayloadHash> hashes;
  CUZK_TRY(Query row, database_.query("SELECT hash FROM payloads WHERE job = ?1 ORDER BY position", number));
  for (;;) {
    CUZK_TRY(const bool found, row.step());
    if (!found) return hashes;
    if (!copy_exactly(row.bytes(0), hashes.emplace_back())) {
      return fail(damaged("a payload of job " + std::to_string(number)));
    }
  }
}

Result<JobRecord> JournalTables::record(std::int64_t number) {
  JobRecord job;
  CUZK_TRY(job.summary, summary(number));
  CUZK_TRY(job.payloads, payloads(number));
  CUZK_TRY(job.partitions, partitions(number, job.summary.partitions));
  CUZK_TRY(Query row, database_.query("SELECT metadata, result FROM jobs WHERE number = ?1", number));
  CUZK_CHECK_OK(row.step());
  job.metadata = row.bytes(0);
  job.result = row.bytes(1);
  return job;
}

Result<std::optional<std::int64_t>> JournalTables::number_of(const JobDigest& digest) {
  CUZK_TRY(const auto numbers, numbers_of("SELECT number FROM jobs WHERE digest = ?1", Bytes(digest)));
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

Result<std::optional<JobRecord>> JournalTables::find(const JobDigest& digest) {
  CUZK_TRY(const std::optional<std::int64_t> number, number_of(digest));
  if (!number) return std::nullopt;
  CUZK_TRY(JobRecord job, record(*number));
  return job;
}

Result<std::optional<JobRecord>> JournalTables::find_id(std::string_view job_id) {
  CUZK_TRY(auto numbers, numbers_of("SELECT number FROM jobs WHERE job_id = ?1", job_id));
  if (numbers.empty()) {
    CUZK_TRY(numbers, numbers_of("SELECT job FROM aliases WHERE label = ?1", job_id));
  }
  if (numbers.empty()) return std::nullopt;
  CUZK_TRY(JobRecord job, record(numbers.front()));
  return job;
}

Result<JobPage> JournalTables::list(const JobFilter& filter) {
  const std::uint32_t limit = std::clamp(filter.limit, std::uint32_t{1}, JobFilter::kMaxLimit);
  std::string states;
  for (const JobState state : filter.states) states += " " + std::string(to_string(state)) + " ";
  CUZK_TRY(
      const std::vector<std::int64_t> numbers,
      numbers_of("SELECT number FROM jobs WHERE (?1 = 0 OR number < ?1) AND (?2 = '' OR kind = ?2) AND (?3 = '' OR "
                 "label = ?3) AND (?4 = '' OR instr(?4, ' ' || state || ' ') > 0) ORDER BY number DESC LIMIT ?5",
                 filter.before, std::string_view(filter.kind), std::string_view(filter.label), std::string_view(states),
                 limit + 1));
  JobPage page;
  for (const std::int64_t number : numbers) {
    if (page.jobs.size() == limit) {
      page.next = page.jobs.back().number;
      break;
    }
    CUZK_TRY(JobSummary job, summary(number));
    page.jobs.push_back(std::move(job));
  }
  return page;
}

Result<std::vector<JobCount>> JournalTables::counts() {
  std::vector<JobCount> counts;
  CUZK_TRY(Query row,
           database_.query("SELECT kind, state, count(*) FROM jobs GROUP BY kind, state ORDER BY kind, state"));
  for (;;) {
    CUZK_TRY(const bool found, row.step());
    if (!found) return counts;
    const auto state = parse_job_state(row.text(1));
    if (!state) return fail(damaged("state of a job"));
    counts.push_back({.kind = row.text(0), .state = *state, .jobs = static_cast<std::uint64_t>(row.integer(2))});
  }
}

// Accepting.

Status JournalTables::check_queue() {
  if (options_.max_open_jobs == 0) return {};
  CUZK_TRY(const std::int64_t open,
           database_.integer("SELECT count(*) FROM jobs WHERE state IN ('accepted', 'running')"));
  if (static_cast<std::uint64_t>(open) < options_.max_open_jobs) return {};
  return fail(Code::exhausted, std::to_string(open) + " jobs are accepted and not finished, and no more than " +
                                   std::to_string(options_.max_open_jobs) + " are kept: send the job again later");
}

/// What is in use, without the pages that are free to be used again.
Status JournalTables::check_size(const NewJob& job) {
  if (options_.max_bytes == 0) return {};
  CUZK_TRY(const std::int64_t pages, database_.integer("PRAGMA page_count"));
  CUZK_TRY(const std::int64_t free, database_.integer("PRAGMA freelist_count"));
  CUZK_TRY(const std::int64_t page, database_.integer("PRAGMA page_size"));
  const auto used = static_cast<std::uint64_t>(page * (pages - free));
  if (used + job.metadata.size() <= options_.max_bytes) return {};
  return fail(Code::exhausted, "the journal " + database_.path() + " holds " + std::to_string(used) + " of " +
                                   std::to_string(options_.max_bytes) + " bytes: no room for a job of " +
                                   std::to_string(job.metadata.size()));
}

Status JournalTables::still_there() const {
  if (!database_.has_moved()) return {};
  return fail(Code::unavailable, "the journal " + database_.path() +
                                     " was removed or replaced while it was in use: no job is accepted, since the next "
                                     "start would not know of it; put the file back, or restart the service");
}

Status JournalTables::check_room(const NewJob& job) {
  CUZK_CHECK_OK(still_there());
  CUZK_CHECK_OK(check_queue());
  return check_size(job);
}

/// "label", or "label#n" with the first n from the number of jobs of that label on that is free.
Result<std::string> JournalTables::new_job_id(const std::string& label) {
  if (label.empty()) {
    std::array<std::byte, 16> random;
    CUZK_CHECK_OK(fill_random(random));
    return "job-" + encode_hex(random);
  }
  CUZK_TRY(std::int64_t n, database_.integer("SELECT count(*) FROM jobs WHERE label = ?1", std::string_view(label)));
  for (std::string id = label;; id = label + "#" + std::to_string(++n)) {
    CUZK_TRY(const std::int64_t taken,
             database_.integer("SELECT count(*) FROM jobs WHERE job_id = ?1", std::string_view(id)));
    if (taken == 0) return id;
  }
}

Status JournalTables::insert_payloads(std::int64_t number, std::span<const PayloadHash> payloads) {
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    CUZK_CHECK_OK(database_.run("INSERT INTO payloads (job, position, hash) VALUES (?1, ?2, ?3)", number,
                                static_cast<std::int64_t>(i), Bytes(payloads[i])));
  }
  return {};
}

Result<std::int64_t> JournalTables::insert(const NewJob& job) {
  CUZK_TRY(const std::string job_id, new_job_id(job.label));
  CUZK_CHECK_OK(
      database_.run("INSERT INTO jobs (digest, job_id, label, kind, circuit, priority, deadline, accepted, partitions, "
                    "metadata, orphan_grace, key_digest, state, generation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                    "?9, ?10, ?11, ?12, 'accepted', 0)",
                    Bytes(job.digest), std::string_view(job_id), std::string_view(job.label),
                    std::string_view(job.kind), std::string_view(job.circuit), job.priority, milliseconds(job.deadline),
                    now(), job.partitions, Bytes(job.metadata), grace_of(job.orphan_grace), job.key));
  const std::int64_t number = database_.last_number();
  CUZK_CHECK_OK(insert_payloads(number, job.payloads));
  return number;
}

/// Partitions that were proved before are not proved again, unless a proof was found to be wrong.
Status JournalTables::reopen(const JobSummary& old, const NewJob& job) {
  CUZK_CHECK_OK(check_room(job));
  CUZK_CHECK_OK(database_.run("DELETE FROM payloads WHERE job = ?1", old.number));
  CUZK_CHECK_OK(insert_payloads(old.number, job.payloads));
  const bool keep = old.failure != FailureClass::defect;
  if (keep) {
    CUZK_CHECK_OK(database_.run("DELETE FROM partitions WHERE job = ?1 AND state <> 'finished'", old.number));
  } else {
    CUZK_CHECK_OK(database_.run("DELETE FROM partitions WHERE job = ?1", old.number));
  }
  CUZK_CHECK_OK(database_.run(
      "UPDATE jobs SET state = 'accepted', priority = ?2, deadline = ?3, accepted = ?4, metadata "
      "= ?5, orphan_grace = ?6, generation = generation + 1, finished = NULL, error = '', failure = NULL, "
      "delivered = 0 WHERE number = ?1",
      old.number, job.priority, milliseconds(job.deadline), now(), Bytes(job.metadata), grace_of(job.orphan_grace)));
  return {};
}

Status JournalTables::join(const JobSummary& old, const NewJob& job) {
  const std::int32_t priority = std::max(old.priority, job.priority);
  std::optional<WallTime> deadline;
  if (old.deadline && job.deadline) deadline = std::max(*old.deadline, *job.deadline);
  const std::int64_t former = grace_of(old.orphan_grace);
  const std::int64_t brought = grace_of(job.orphan_grace);
  const std::int64_t grace = former == 0 || brought == 0 ? 0 : std::max(former, brought);
  if (priority == old.priority && deadline == old.deadline && grace == former) return {};
  CUZK_CHECK_OK(database_.run("UPDATE jobs SET priority = ?2, deadline = ?3, orphan_grace = ?4 WHERE number = ?1",
                              old.number, priority, milliseconds(deadline), grace));
  return {};
}

/// The label of a job that is known under another name.
Status JournalTables::add_alias(const JobSummary& old, const std::string& label) {
  if (label.empty() || label == old.label || label == old.job_id) return {};
  const std::string_view name = label;
  CUZK_TRY(const std::int64_t known,
           database_.integer("SELECT EXISTS (SELECT 1 FROM aliases WHERE label = ?1 AND job = ?2)", name, old.number));
  if (known != 0) return {};
  CUZK_TRY(const std::int64_t names, database_.integer("SELECT count(*) FROM aliases WHERE job = ?1", old.number));
  if (names >= kMaxAliases) return {};
  CUZK_CHECK_OK(database_.run("INSERT OR REPLACE INTO aliases (label, job) VALUES (?1, ?2)", name, old.number));
  return {};
}

Result<Acceptance> JournalTables::answer(Acceptance::How how, std::int64_t number, const NewJob& job) {
  Acceptance acceptance{.how = how, .job = {}, .lease = std::nullopt, .result = {}};
  CUZK_TRY(acceptance.job, summary(number));
  if (job.lease.count() > 0 && is_open(acceptance.job.state)) {
    CUZK_TRY(const bool free, is_free(acceptance.job));
    if (free) {
      CUZK_TRY(acceptance.lease, lease_now(number, job.lease));
      CUZK_TRY(acceptance.job, summary(number));
    }
  }
  return acceptance;
}

Result<Acceptance> JournalTables::accept_known(JobSummary&& old, const NewJob& job) {
  CUZK_CHECK_OK(check_same(old, job));
  if (job.only_join && !is_open(old.state) && old.state != JobState::completed) {
    return fail(Code::not_found, "job " + old.job_id + " is " + std::string(to_string(old.state)));
  }
  CUZK_CHECK_OK(add_alias(old, job.label));
  if (old.state == JobState::completed) {
    CUZK_TRY(JobRecord finished, record(old.number));
    return Acceptance{.how = Acceptance::How::finished,
                      .job = std::move(finished.summary),
                      .lease = std::nullopt,
                      .result = std::move(finished.result)};
  }
  if (is_open(old.state)) {
    CUZK_CHECK_OK(join(old, job));
    return answer(Acceptance::How::joined, old.number, job);
  }
  CUZK_CHECK_OK(reopen(old, job));
  return answer(Acceptance::How::reopened, old.number, job);
}

Result<Acceptance> JournalTables::accept(const NewJob& job) {
  CUZK_CHECK_OK(check_new(job));
  CUZK_TRY(std::optional<JobSummary> old, summary(job.digest));
  if (old) return accept_known(std::move(*old), job);
  if (job.only_join) return fail(Code::not_found, "job " + encode_hex(job.digest) + " is not in the journal");
  CUZK_CHECK_OK(check_room(job));
  CUZK_TRY(const std::int64_t number, insert(job));
  return answer(Acceptance::How::created, number, job);
}

// Leases. An accepted job has neither owner nor end of a lease; conditions name both open states all the same, since
// that is how the index of open jobs is found.

Result<bool> JournalTables::is_free(const JobSummary& job) const {
  if (job.state == JobState::accepted) return true;
  if (!job.lease_until) return fail(damaged("lease of job " + std::to_string(job.number)));
  return milliseconds(*job.lease_until) <= now() || options_.is_gone(job.owner);
}

Status JournalTables::free_leases_of_the_dead() {
  std::vector<std::string> owners;
  {
    CUZK_TRY(
        Query row,
        database_.query("SELECT DISTINCT owner FROM jobs WHERE state IN ('accepted', 'running') AND lease_until > ?1 "
                        "AND owner <> ?2",
                        now(), std::string_view(options_.owner)));
    for (;;) {
      CUZK_TRY(const bool found, row.step());
      if (!found) break;
      owners.push_back(row.text(0));
    }
  }
  for (const std::string& owner : owners) {
    if (!options_.is_gone(owner)) continue;
    CUZK_CHECK_OK(database_.run("UPDATE jobs SET lease_until = 0 WHERE state IN ('accepted', 'running') AND owner = ?1",
                                std::string_view(owner)));
  }
  return {};
}

/// What ran in the hands of a former owner waits again.
Status JournalTables::count_unended(std::int64_t number) {
  std::int64_t weight = 1;
  {
    CUZK_TRY(Query row, database_.query("SELECT owner FROM jobs WHERE number = ?1", number));
    CUZK_TRY(const bool found, row.step());
    if (found && options_.died_of_itself(row.text(0))) weight = PartitionRecord::kDeathOfItself;
  }
  CUZK_CHECK_OK(database_.run(
      "UPDATE partitions SET state = 'waiting', unended = unended + ?2 WHERE job = ?1 AND state = 'running'", number,
      weight));
  return {};
}

Result<Lease> JournalTables::lease_now(std::int64_t number, std::chrono::milliseconds lease) {
  const std::int64_t until = later(now(), lease);
  CUZK_CHECK_OK(count_unended(number));
  CUZK_CHECK_OK(
      database_.run("UPDATE jobs SET state = 'running', owner = ?2, lease_until = ?3, generation = "
                    "generation + 1 WHERE number = ?1",
                    number, std::string_view(options_.owner), until));
  CUZK_TRY(const std::int64_t generation, database_.integer("SELECT generation FROM jobs WHERE number = ?1", number));
  return Lease{.number = number, .generation = generation, .until = wall_time(until)};
}

Result<std::vector<TakenJob>> JournalTables::take(std::size_t limit, std::chrono::milliseconds lease) {
  CUZK_CHECK_OK(free_leases_of_the_dead());
  CUZK_TRY(const std::vector<std::int64_t> numbers,
           numbers_of("SELECT number FROM jobs WHERE state IN ('accepted', 'running') AND (state = 'accepted' OR "
                      "(lease_until <= ?1 AND owner <> ?3)) "
                      "ORDER BY priority DESC, deadline IS NULL, deadline, accepted, number LIMIT ?2",
                      now(), static_cast<std::int64_t>(std::min<std::size_t>(limit, INT32_MAX)),
                      std::string_view(options_.owner)));
  std::vector<TakenJob> taken;
  taken.reserve(numbers.size());
  for (const std::int64_t number : numbers) {
    CUZK_TRY(const Lease given, lease_now(number, lease));
    CUZK_TRY(JobRecord job, record(number));
    taken.push_back({.job = std::move(job), .lease = given});
  }
  return taken;
}

Result<TakenJob> JournalTables::acquire(const JobDigest& digest, std::chrono::milliseconds lease) {
  CUZK_TRY(const std::optional<JobSummary> job, summary(digest));
  if (!job) return fail(Code::not_found, "job " + encode_hex(digest) + " is not in the journal");
  if (!is_open(job->state)) {
    return fail(Code::conflict, "job " + job->job_id + " is " + std::string(to_string(job->state)) + " already");
  }
  CUZK_TRY(const bool free, is_free(*job));
  if (!free) return fail(Code::conflict, "job " + job->job_id + " is in the hands of " + job->owner);
  TakenJob taken;
  CUZK_TRY(taken.lease, lease_now(job->number, lease));
  CUZK_TRY(taken.job, record(job->number));
  return taken;
}

Result<std::vector<Lease>> JournalTables::renew(std::chrono::milliseconds lease) {
  const std::int64_t until = later(now(), lease);
  std::vector<Lease> held;
  CUZK_TRY(Query row,
           database_.query("UPDATE jobs SET lease_until = ?2 WHERE state IN ('accepted', 'running') AND owner = ?1 "
                           "RETURNING number, generation",
                           std::string_view(options_.owner), until));
  for (;;) {
    CUZK_TRY(const bool found, row.step());
    if (!found) return held;
    held.push_back({.number = row.integer(0), .generation = row.integer(1), .until = wall_time(until)});
  }
}

Result<std::uint32_t> JournalTables::check_lease(const Lease& lease) {
  CUZK_TRY(Query row, database_.query("SELECT state, generation, owner, job_id, partitions FROM jobs WHERE number = ?1",
                                      lease.number));
  CUZK_TRY(const bool found, row.step());
  if (!found) return fail(Code::not_found, "job number " + std::to_string(lease.number) + " is forgotten");
  const std::string name = "job " + row.text(3);
  const std::string state = row.text(0);
  if (row.integer(1) != lease.generation || state == "accepted") {
    return fail(Code::conflict, name + " is " + state + " and not in these hands any more" +
                                    (row.is_null(2) ? "" : ", but in those of " + row.text(2)));
  }
  if (state == "cancelled") return fail(Code::cancelled, name + " was cancelled");
  if (state != "running") return fail(Code::conflict, name + " is " + state + " already");
  return static_cast<std::uint32_t>(row.integer(4));
}

Status JournalTables::release(const Lease& lease) {
  CUZK_CHECK_OK(check_lease(lease));
  CUZK_CHECK_OK(database_.run("UPDATE jobs SET state = 'accepted', owner = NULL, lease_until = NULL WHERE number = ?1",
                              lease.number));
  CUZK_CHECK_OK(
      database_.run("UPDATE partitions SET state = 'waiting' WHERE job = ?1 AND state = 'running'", lease.number));
  return {};
}

// Progress.

Status JournalTables::check_partition(const Lease& lease, std::uint32_t partition) {
  CUZK_TRY(const std::uint32_t partitions, check_lease(lease));
  if (partition < partitions) return {};
  return fail(Code::invalid_argument,
              "partition " + std::to_string(partition) + " of a job of " + std::to_string(partitions));
}

Result<std::optional<bool>> JournalTables::finished_alike(const Lease& lease, std::uint32_t partition, Bytes proof) {
  CUZK_TRY(Query row, database_.query("SELECT proof FROM partitions WHERE job = ?1 AND number = ?2 AND state = "
                                      "'finished'",
                                      lease.number, partition));
  CUZK_TRY(const bool found, row.step());
  if (!found) return std::nullopt;
  const std::vector<std::byte> kept = row.bytes(0);
  return std::equal(kept.begin(), kept.end(), proof.begin(), proof.end());
}

Status JournalTables::partition_started(const Lease& lease, std::uint32_t partition) {
  CUZK_CHECK_OK(check_partition(lease, partition));
  CUZK_TRY(const std::uint64_t changed,
           database_.run("INSERT INTO partitions (job, number, state, attempts) VALUES (?1, ?2, 'running', 1) "
                         "ON CONFLICT (job, number) DO UPDATE SET state = 'running', attempts = attempts + 1 "
                         "WHERE partitions.state <> 'finished'",
                         lease.number, partition));
  if (changed == 1) return {};
  return fail(Code::conflict, "partition " + std::to_string(partition) + " is finished already");
}

Status JournalTables::partition_finished(const Lease& lease, std::uint32_t partition, Bytes proof) {
  CUZK_CHECK_OK(check_length(proof.size(), JobLimits::kProofBytes, "the proof"));
  CUZK_CHECK_OK(check_partition(lease, partition));
  CUZK_TRY(const std::optional<bool> alike, finished_alike(lease, partition, proof));
  if (alike) {
    if (*alike) return {};
    return fail(Code::conflict, "partition " + std::to_string(partition) + " is finished with another proof");
  }
  CUZK_CHECK_OK(
      database_.run("INSERT INTO partitions (job, number, state, attempts, proof) VALUES (?1, ?2, 'finished', "
                    "1, ?3) ON CONFLICT (job, number) DO UPDATE SET state = 'finished', unended = 0, proof = ?3",
                    lease.number, partition, proof));
  return {};
}

Status JournalTables::partition_failed(const Lease& lease, std::uint32_t partition, std::string_view error) {
  CUZK_CHECK_OK(check_partition(lease, partition));
  CUZK_TRY(
      const std::uint64_t changed,
      database_.run("INSERT INTO partitions (job, number, state, attempts, error) VALUES (?1, ?2, 'failed', 1, ?3) "
                    "ON CONFLICT (job, number) DO UPDATE SET state = 'failed', unended = 0, error = ?3 "
                    "WHERE partitions.state <> 'finished'",
                    lease.number, partition, cut(error)));
  if (changed == 1) return {};
  return fail(Code::conflict, "partition " + std::to_string(partition) + " is finished already");
}

Status JournalTables::forget_partitions(const Lease& lease) {
  CUZK_CHECK_OK(check_lease(lease));
  CUZK_CHECK_OK(database_.run("DELETE FROM partitions WHERE job = ?1", lease.number));
  return {};
}

// Ends.

Status JournalTables::complete(const Lease& lease, Bytes result) {
  CUZK_CHECK_OK(check_length(result.size(), JobLimits::kResultBytes, "the result"));
  CUZK_TRY(const std::uint32_t partitions, check_lease(lease));
  CUZK_CHECK_OK(
      database_.run("UPDATE jobs SET state = 'completed', result = ?2, finished = ?3, owner = NULL, "
                    "lease_until = NULL WHERE number = ?1",
                    lease.number, result, now()));
  CUZK_CHECK_OK(database_.run(
      "WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < ?2) "
      "INSERT INTO partitions (job, number, state, attempts) SELECT ?1, number, 'finished', 1 FROM numbers WHERE true "
      "ON CONFLICT (job, number) DO UPDATE SET state = 'finished', unended = 0, proof = NULL",
      lease.number, partitions));
  return {};
}

Status JournalTables::fail_job(const Lease& lease, FailureClass failure, std::string_view error) {
  CUZK_CHECK_OK(check_lease(lease));
  CUZK_CHECK_OK(
      database_.run("UPDATE jobs SET state = 'failed', failure = ?2, error = ?3, finished = ?4, owner = NULL, "
                    "lease_until = NULL WHERE number = ?1",
                    lease.number, to_string(failure), cut(error), now()));
  return {};
}

Result<bool> JournalTables::cancel(const JobDigest& digest) {
  CUZK_TRY(const std::uint64_t changed,
           database_.run("UPDATE jobs SET state = 'cancelled', finished = ?2, owner = NULL, lease_until = NULL "
                         "WHERE digest = ?1 AND state IN ('accepted', 'running')",
                         Bytes(digest), now()));
  if (changed == 1) return true;
  CUZK_TRY(const std::int64_t known, database_.integer("SELECT count(*) FROM jobs WHERE digest = ?1", Bytes(digest)));
  if (known == 0) return fail(Code::not_found, "job " + encode_hex(digest) + " is not in the journal");
  return false;
}

Status JournalTables::cancel(const Lease& lease) {
  CUZK_CHECK_OK(check_lease(lease));
  CUZK_CHECK_OK(
      database_.run("UPDATE jobs SET state = 'cancelled', finished = ?2, owner = NULL, lease_until = NULL "
                    "WHERE number = ?1",
                    lease.number, now()));
  return {};
}

Status JournalTables::mark_delivered(const JobDigest& digest) {
  CUZK_TRY(const std::uint64_t changed,
           database_.run("UPDATE jobs SET delivered = 1 WHERE digest = ?1 AND finished IS NOT NULL", Bytes(digest)));
  if (changed == 1) return {};
  CUZK_TRY(const std::int64_t known, database_.integer("SELECT count(*) FROM jobs WHERE digest = ?1", Bytes(digest)));
  if (known == 0) return fail(Code::not_found, "job " + encode_hex(digest) + " is not in the journal");
  return fail(Code::invalid_argument, "job " + encode_hex(digest) + " is not finished");
}

// Forgetting.

Status JournalTables::forget_results(const ExpiryRule& rule, Expired& expired) {
  const auto keep = static_cast<std::int64_t>(std::min<std::uint64_t>(rule.max_results, INT64_MAX));
  CUZK_TRY(const std::vector<std::int64_t> old,
           numbers_of("SELECT number FROM jobs WHERE finished IS NOT NULL AND (finished < ?1 OR number NOT IN (SELECT "
                      "number FROM jobs WHERE finished IS NOT NULL ORDER BY finished DESC, number DESC LIMIT ?2))",
                      earlier(now(), rule.result_age), keep));
  for (const std::int64_t number : old) {
    CUZK_TRY(const std::vector<PayloadHash> hashes, payloads(number));
    expired.payloads.insert(expired.payloads.end(), hashes.begin(), hashes.end());
    CUZK_CHECK_OK(database_.run("DELETE FROM jobs WHERE number = ?1", number));  // with partitions and payloads
  }
  expired.jobs = old.size();
  return {};
}

Status JournalTables::forget_payloads(const ExpiryRule& rule, Expired& expired) {
  CUZK_TRY(Query row,
           database_.query("DELETE FROM payloads WHERE job IN (SELECT number FROM jobs WHERE finished IS NOT "
                           "NULL AND finished <= ?1) RETURNING hash",
                           earlier(now(), rule.payload_age)));
  for (;;) {
    CUZK_TRY(const bool found, row.step());
    if (!found) return {};
    if (!copy_exactly(row.bytes(0), expired.payloads.emplace_back())) return fail(damaged("the hash of a payload"));
  }
}

Result<Expired> JournalTables::expire(const ExpiryRule& rule) {
  Expired expired;
  CUZK_CHECK_OK(forget_results(rule, expired));
  CUZK_CHECK_OK(forget_payloads(rule, expired));
  std::sort(expired.payloads.begin(), expired.payloads.end());
  expired.payloads.erase(std::unique(expired.payloads.begin(), expired.payloads.end()), expired.payloads.end());
  CUZK_TRY(expired.payloads, unreferenced(expired.payloads));
  return expired;
}

Result<std::vector<PayloadHash>> JournalTables::unreferenced(std::span<const PayloadHash> hashes) {
  std::vector<PayloadHash> free;
  for (const PayloadHash& hash : hashes) {
    CUZK_TRY(const std::int64_t used,
             database_.integer("SELECT EXISTS (SELECT 1 FROM payloads WHERE hash = ?1)", Bytes(hash)));
    if (used == 0) free.push_back(hash);
  }
  return free;
}

}  // namespace cuzk::store
