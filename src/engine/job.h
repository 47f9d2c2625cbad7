// A job as callers see it: what they ask for, how it stands, what came out.
//
// A JobHandle belongs to one job object, not to a name: who waits on it gets that job's result whatever else is running
// under the same label. Thread-safety: values; a JobHandle may be used by several threads and outlive the engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/content.h"
#include "engine/timeline.h"
#include "memory/memory_tag.h"
#include "store/job.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::engine {

using memory::Priority;
using store::FailureClass;
using store::JobState;

class PayloadRoom;

struct JobRequest {
  std::string label;  // the caller's request id; identifies nothing. Empty: a random one
  JobContent content;
  std::optional<Priority> priority{};  // none: the kind's
  Deadline deadline = Deadline::never();
  /// A job on which nobody waits for so long is cancelled; 0: it goes on without anyone.
  std::chrono::milliseconds orphan_grace{0};
  std::shared_ptr<PayloadRoom> room{};  // of Engine::receive()
};

/// Where a partition is.
enum class Stage : std::uint8_t { waiting, witness, queued, proving, finishing, done, failed };

constexpr std::string_view to_string(Stage stage) noexcept {
  constexpr std::array<std::string_view, 7> kNames = {"waiting",   "witness", "queued", "proving",
                                                      "finishing", "done",    "failed"};
  return kNames[static_cast<std::size_t>(stage)];
}

struct PartitionStatus {
  struct Failed {
    std::string device;
    std::string error;
  };
  Stage stage = Stage::waiting;
  PartitionTimeline timeline;
  std::string error;           // of the last attempt that failed, and where: "on cpu: ..."
  std::vector<Failed> failed;  // attempts, the first one first
  std::string instead;         // the CPU stands in for an accelerator: "instead of NVIDIA H200 (out of service): ..."
};

/// "attempt 1 on NVIDIA H200 failed: ...; proved again on cpu instead of ...". Empty: its first attempt, as it should
/// be.
std::string note_of(const PartitionStatus& partition);

struct JobStatus {
  std::string job_id;
  std::string label;
  std::string kind;
  std::string circuit;
  Priority priority = Priority::normal;
  JobState state = JobState::accepted;
  bool decoding = false;
  std::uint32_t finished_partitions = 0;
  std::uint32_t queue_position = 0;  // jobs that were accepted, not finished and go before it, at submit
  std::uint64_t payload_bytes = 0;
  std::vector<PartitionStatus> partitions;
  JobTimeline timeline;  // its own phases; those of the partitions are above
  std::string error;     // of a job that failed
  std::optional<FailureClass> failure;

  bool is_open() const noexcept { return store::is_open(state); }
};

/// Nanoseconds. Those of partitions are sums over all of them, so they may exceed the total.
struct JobTimes {
  std::uint64_t queue = 0;  // total without the time since the first partition's work began
  std::uint64_t key = 0;
  std::uint64_t witness = 0;
  std::uint64_t compute = 0;  // start and finish
  std::uint64_t total = 0;
};

/// How a job ended. Never `accepted` or `running`.
struct JobResult {
  JobState state = JobState::failed;
  std::vector<std::byte> proof;  // completed: what the circuit's assemble() made
  std::string error;             // failed, cancelled: one line
  Code code = Code::internal;
  std::optional<FailureClass> failure;  // failed
  std::vector<std::string> notes;       // "partition 3: " and its note_of(), for each that has one
  JobTimes times;
};

class Job;

class JobHandle {
 public:
  explicit JobHandle(std::shared_ptr<Job> job) noexcept : job_(std::move(job)) {}

  const std::string& job_id() const noexcept;
  JobStatus status() const;
  /// Waits for the end. deadline: not yet, the job goes on; cancelled: `stop` was pulled, the job goes on.
  Result<std::shared_ptr<const JobResult>> await(Deadline deadline = Deadline::never(),
                                                 const StopToken& stop = {}) const;
  /// Grows with each change of the status.
  std::uint64_t version() const;
  /// Waits until the version differs from `seen`; returns it. Errors as await().
  Result<std::uint64_t> wait_for_change(std::uint64_t seen, Deadline deadline = Deadline::never(),
                                        const StopToken& stop = {}) const;

 private:
  friend class EngineCore;
  std::shared_ptr<Job> job_;
};

}  // namespace cuzk::engine
