// Engine: jobs in, verified proofs out. One pipeline for all kinds.
//
//   submit ─► decode ─► partitions ─► key, memory ─► witness ─► device queue ─► start ─► finish ─► verify ─► result
//
// Order in every queue and in the budget: priority, deadline, age, partition. A partition's whole peak is reserved
// before its witness is begun and given back phase by phase. Critical work has a lane and threads of its own up to the
// device. A partition that fails is tried once more, on another device where there is one; then its job fails. No proof
// is delivered unverified.
//
// With a journal an accepted job survives the process: submit() returns when it is on the disk, create() takes over
// what a former process left, and finished partitions are not proven again. Identity is the content's digest: the same
// content joins the running job or gets the kept result.
//
// Ownership: Engine ─► threads, queues, caches, jobs; a Job ─► Statement, timeline, result. Budget, devices, catalogue,
// kinds, journal and spool are the caller's and outlive the engine. Thread-safety: all methods concurrently.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/content.h"
#include "engine/job.h"
#include "engine/proving_circuit.h"
#include "engine/snapshot.h"
#include "memory/budget.h"
#include "memory/pinned_pool.h"
#include "store/journal.h"
#include "store/spool.h"
#include "support/log.h"
#include "support/parallel.h"

namespace cuzk::engine {

/// Whether the CPU stands in for an accelerator that is out of service, has failed, or is too busy.
enum class CpuFallback : std::uint8_t {
  never,
  foreseen,  // where it is foreseen to meet the job's deadline; without one, for work that a CPU does within seconds
  always,
};

/// Whether a device that says that it is ill, which only a new process can heal, has this one ended and another one
/// started by the owner (ADR 11). Spans are from the engine's start.
struct RestartPolicy {
  bool restarts = false;
  std::chrono::milliseconds soonest = std::chrono::minutes{1};
  std::chrono::milliseconds without_proof = std::chrono::hours{1};  // where the device has made none: it failed at once
};

/// What payloads may have of a budget, whatever max_payload_bytes says.
constexpr std::uint64_t payload_limit(std::uint64_t budget_bytes) noexcept { return budget_bytes / 8; }

struct EngineOptions {
  Arena* arena = nullptr;           // of all work on the host
  Arena* critical_arena = nullptr;  // of critical work (SharedCores); null: the same
  std::shared_ptr<memory::MemoryBudget> budget;
  std::shared_ptr<memory::PinnedPool> pool;  // null: none; the snapshot shows it
  const Catalogue* catalogue = nullptr;
  std::vector<std::shared_ptr<const JobKind>> kinds;
  std::vector<Device> devices;        // at least one; ordinals are set by the engine
  store::Journal* journal = nullptr;  // null: jobs end with the process
  store::Spool* spool = nullptr;      // with a journal

  unsigned workers_per_device = 2;  // partitions in flight on a device, critical ones on a CPU apart
  unsigned max_witnesses = 2;       // generated at once, critical ones apart
  unsigned finishers = 2;           // critical proofs apart
  unsigned decoders = 1;
  unsigned loaders = 3;       // circuits whose key is loaded at once, critical ones apart
  unsigned device_queue = 2;  // partitions that wait for a device with their witness, critical ones apart
  /// Partitions that wait for their witness before further jobs of no higher priority are decoded; 0: twice as many as
  /// can be in work.
  unsigned ready_partitions = 0;

  CpuFallback cpu_fallback = CpuFallback::foreseen;
  RestartPolicy restart{};

  std::uint32_t max_open_jobs = 256;
  /// Of all open jobs, their statements, and on the way; at most payload_limit(), set aside from the start.
  std::uint64_t max_payload_bytes = std::uint64_t{4} << 30;
  std::chrono::milliseconds result_age = std::chrono::hours{1};  // in memory; the journal has its own rule
  std::uint32_t max_results = 1000;
  std::chrono::milliseconds min_idle = std::chrono::minutes{5};  // before a key or circuit may be evicted for others
  std::chrono::milliseconds lease = std::chrono::seconds{60};
  std::chrono::milliseconds housekeeping = std::chrono::seconds{1};
  std::chrono::milliseconds take_over = std::chrono::seconds{5};     // how often dead processes' jobs are looked for
  std::chrono::milliseconds quarantine = std::chrono::seconds{30};   // of a device that is ill, the first time
  std::chrono::milliseconds buffer_idle = std::chrono::minutes{10};  // before unused page-locked memory is given back
  /// Circuits for whose partitions page-locked memory is made ready in the background, from the start.
  std::vector<std::string> prewarm{};
  store::ExpiryRule expiry{};

  /// Gets the timing record of each partition that was proven (timing_record.h), and which it was. Called by several
  /// threads.
  std::function<void(std::string_view, const LogSubject&)> timing_sink{};
};

struct Preloaded {
  bool already_loaded = false;
  std::uint64_t load_ns = 0;
};
struct Evicted {
  bool was_loaded = false;
  std::uint64_t freed_bytes = 0;
};

class EngineCore;

class Engine {
 public:
  /// Takes over what a former process left in the journal. Errors: invalid_argument (something is missing or
  /// contradicts itself), those of budget and journal.
  static Result<std::unique_ptr<Engine>> create(EngineOptions options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// As stop().
  ~Engine();

  /// Returns when the job is accepted, and journalled where there is a journal. Errors: invalid_argument (unknown
  /// kind), not_found (no such circuit, of a kind that does not wait for one), exhausted (no room: try later),
  /// unavailable (stopping), conflict (another process works on the same content), those of journal and spool. Whether
  /// payload and key are any good is told by the result.
  Result<JobHandle> submit(JobRequest request);
  /// Room for a payload that is being received, counted as those of open jobs; it goes into the JobRequest, and ends
  /// there, or with its last owner, before the engine. exhausted.
  Result<std::shared_ptr<PayloadRoom>> receive(std::uint64_t bytes);
  /// Open jobs, and finished ones that memory or journal still knows, by id; else the newest that came under this label
  /// and is known by another id. not_found.
  Result<JobHandle> find(std::string_view job_id);
  /// Open jobs and those that ended lately, oldest first.
  std::vector<JobStatus> list() const;
  /// A client has got this result: the journal remembers it.
  Status mark_delivered(const JobHandle& job);
  /// True when the job was open. Whoever waits gets a cancelled result. not_found.
  Result<bool> cancel(std::string_view job_id);

  /// Makes key and circuit resident on every device, waiting for memory. Errors: not_found, those of loading.
  Result<Preloaded> preload(std::string_view circuit, const StopToken& stop = {});
  /// Drops key and circuit from every device: now where nobody uses them; else after the last user, and then
  /// freed_bytes does not count them.
  Result<Evicted> evict(std::string_view circuit);

  EngineSnapshot snapshot() const;
  /// In about how long there may be room for who was refused as exhausted or unavailable.
  std::chrono::milliseconds retry_delay() const;

  /// Why this process should end and another one go on: by options.restart. Empty: it need not. With a journal what no
  /// other device may prove waits there for the next process; without one it is said only when no job is open.
  std::string restart_reason() const;

  /// No job is accepted any more; returns when none is open but those that wait for the next process. deadline or
  /// cancelled: some are still open.
  Status drain(Deadline deadline, const StopToken& stop = {});
  /// Ends all work. Open jobs stay in the journal for the next process; without one they fail as unavailable.
  void stop();

 private:
  explicit Engine(std::unique_ptr<EngineCore> core) noexcept;
  std::unique_ptr<EngineCore> core_;
};

}  // namespace cuzk::engine
