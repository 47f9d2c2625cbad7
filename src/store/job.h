// What a journal keeps of a job, and what its operations take and give.
//
// Times are those of the wall clock in milliseconds since 1970: they must mean the same to every process and after a
// restart. A job's identity is its digest, made by the caller over all that the job is (kind, circuit, public data,
// payloads). The label is the name that a client gave it and identifies nothing. Thread-safety: values.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"
#include "support/sha256.h"

namespace cuzk::store {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
using JobDigest = std::array<std::byte, 32>;
/// SHA-256 of a payload: its name in the spool.
using PayloadHash = Sha256::Digest;
/// Of the key with which a job is proven.
using KeyDigest = std::array<std::byte, 32>;

/// accepted -> running -> completed | failed; accepted and running -> cancelled; running -> accepted (given back);
/// failed and cancelled -> accepted (the same content comes again).
enum class JobState : std::uint8_t { accepted, running, completed, failed, cancelled };
enum class PartitionState : std::uint8_t { waiting, running, finished, failed };
/// Whose fault a failure is: the caller's (will fail again), a passing trouble's (may be sent again), or ours.
enum class FailureClass : std::uint8_t { caller, transient, defect };

std::string_view to_string(JobState state) noexcept;
std::string_view to_string(PartitionState state) noexcept;
std::string_view to_string(FailureClass failure) noexcept;
std::optional<JobState> parse_job_state(std::string_view text) noexcept;
std::optional<PartitionState> parse_partition_state(std::string_view text) noexcept;
std::optional<FailureClass> parse_failure_class(std::string_view text) noexcept;

/// Accepted or running: somebody still waits for it.
constexpr bool is_open(JobState state) noexcept { return state == JobState::accepted || state == JobState::running; }

/// Limits of what is kept, checked by accept() and the writes of results.
struct JobLimits {
  static constexpr std::size_t kNameBytes = 1024;  // label, kind, circuit: each; no NUL
  static constexpr std::uint32_t kPartitions = 65536;
  static constexpr std::size_t kPayloads = 4096;
  static constexpr std::size_t kMetadataBytes = std::size_t{16} << 20;
  static constexpr std::size_t kProofBytes = std::size_t{1} << 20;
  static constexpr std::size_t kResultBytes = std::size_t{64} << 20;
  static constexpr std::size_t kErrorBytes = std::size_t{16} << 10;  // longer texts are cut
};

/// A job as its caller brings it.
struct NewJob {
  JobDigest digest{};
  std::string label;  // empty: a random name
  std::string kind;
  std::string circuit;
  std::optional<KeyDigest> key{};  // a part of what the digest is made over
  std::int32_t priority = 0;       // higher goes first
  std::optional<WallTime> deadline;
  std::chrono::milliseconds orphan_grace{0};  // a job on which nobody waits for so long may be cancelled; 0: never
  std::uint32_t partitions = 1;
  std::vector<std::byte> metadata;     // opaque: what the kind needs beside its payloads
  std::vector<PayloadHash> payloads;   // in the spool before accept() is called; in the order of the statement
  std::chrono::milliseconds lease{0};  // positive: the caller takes the job at once, when it is free
  bool only_join = false;              // not_found unless the content is open or completed; metadata and payloads are
                                       // not looked at then
};

/// The right to work on a job. It ends at `until`, when renewed later, or never if nobody else wants it: what counts is
/// that no later lease was given (`generation`).
struct Lease {
  std::int64_t number = 0;  // of the job in this journal
  std::int64_t generation = 0;
  WallTime until;

  bool operator==(const Lease&) const = default;
};

/// A job without its bytes.
struct JobSummary {
  std::int64_t number = 0;  // in the order of first acceptance; never used twice
  JobDigest digest{};
  std::string job_id;  // "<label>", "<label>#2", ...; unique among all jobs that are kept
  std::string label;
  std::string kind;
  std::string circuit;
  std::optional<KeyDigest> key;  // none: of a former version, which did not know it
  std::int32_t priority = 0;
  std::optional<WallTime> deadline;
  std::chrono::milliseconds orphan_grace{0};
  WallTime accepted;
  std::uint32_t partitions = 0;
  std::uint32_t finished_partitions = 0;
  JobState state = JobState::accepted;
  std::string owner;  // of the lease; empty: nobody
  std::optional<WallTime> lease_until;
  std::optional<WallTime> finished;
  std::string error;
  std::optional<FailureClass> failure;
  bool delivered = false;
};

struct PartitionRecord {
  PartitionState state = PartitionState::waiting;
  std::uint32_t attempts = 0;
  /// Owners in whose hands it was running when they were lost, one after the other; who died of himself counts as
  /// many: a partition may be what he died of, while kills from outside have reasons of their own.
  std::uint32_t unended = 0;
  static constexpr std::uint32_t kDeathOfItself = 32;
  std::vector<std::byte> proof;  // of a finished partition, until the job is completed
  std::string error;             // of the last attempt that failed
};

struct JobRecord {
  JobSummary summary;
  std::vector<std::byte> metadata;
  std::vector<PayloadHash> payloads;
  std::vector<PartitionRecord> partitions;  // one for each
  std::vector<std::byte> result;
};

/// A job that take() gave out.
struct TakenJob {
  JobRecord job;
  Lease lease;
};

/// What became of a job that was brought.
struct Acceptance {
  enum class How : std::uint8_t {
    created,   // a new job
    joined,    // the same content is accepted or running already
    reopened,  // the same content had failed or was cancelled; finished partitions are kept, unless a defect was seen
    finished,  // the same content is completed: `result` is its result
  };
  How how = How::created;
  JobSummary job;
  std::optional<Lease> lease;  // when one was asked for and the job was free
  std::vector<std::byte> result;
};

/// Which jobs a list shows, the newest first. Empty fields filter nothing.
struct JobFilter {
  // NOLINTBEGIN(readability-redundant-member-init): without them g++ refuses designated initializers that leave one out
  std::vector<JobState> states{};
  std::string kind{};
  std::string label{};
  // NOLINTEND(readability-redundant-member-init)
  std::int64_t before = 0;    // numbers below this one; 0: from the newest
  std::uint32_t limit = 100;  // at most kMaxLimit
  static constexpr std::uint32_t kMaxLimit = 1000;
};

struct JobPage {
  std::vector<JobSummary> jobs;
  std::int64_t next = 0;  // `before` of the next page; 0: that was the last one
};

struct JobCount {
  std::string kind;
  JobState state = JobState::accepted;
  std::uint64_t jobs = 0;
};

/// What of finished jobs is forgotten: results older than result_age or beyond the newest max_results; references to
/// payloads of jobs that finished payload_age ago (a job that comes again brings its payload with it).
struct ExpiryRule {
  std::chrono::milliseconds result_age{std::chrono::hours{24 * 7}};
  std::uint64_t max_results = 100'000;
  std::chrono::milliseconds payload_age{0};
};

struct Expired {
  std::uint64_t jobs = 0;
  std::vector<PayloadHash> payloads;  // that no job refers to any more
};

}  // namespace cuzk::store
