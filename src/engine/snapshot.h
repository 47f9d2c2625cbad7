// EngineSnapshot: the whole state at one moment, read off the live objects. GetStatus, /status and the gauges of
// /metrics are views of it.
//
// Thread-safety: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/job.h"
#include "engine/metrics.h"
#include "memory/budget.h"
#include "memory/pinned_pool.h"

namespace cuzk::engine {

struct QueueSnapshot {
  std::string name;  // "decode", "load", "partitions", "device 0", "finish"
  std::size_t length = 0;
  std::size_t capacity = 0;     // 0: bounded by what is admitted
  std::uint64_t oldest_ns = 0;  // how long its oldest item has waited
};

struct DeviceSnapshot {
  struct Proving {
    std::string job_id;
    std::string kind;
    std::uint32_t partition = 0;
    std::uint64_t since_ns = 0;  // monotonic_ns() of its prove_start
  };
  unsigned ordinal = 0;
  std::string name;
  bool is_cpu = true;
  bool in_service = true;
  std::string trouble;               // why it is not in service
  bool is_ill = false;               // and will not be before it is set up anew, says its backend
  std::uint64_t quarantined_ns = 0;  // for how long it has not been
  std::uint64_t quarantines = 0;     // so far
  struct Memory {
    std::uint64_t total_bytes = 0;   // of the device, as its driver says
    std::uint64_t free_bytes = 0;    // of them, all processes together
    std::uint64_t budget_bytes = 0;  // ours at most
    std::uint64_t used_bytes = 0;    // reserved of the budget
  };
  std::optional<Memory> memory;  // none: it works in the host's
  std::uint64_t proofs = 0;
  std::uint64_t errors = 0;
  std::uint64_t busy_ns = 0;    // at least one partition on it
  std::uint64_t kernel_ns = 0;  // at least one kernel ran, by the device's clock
  /// The same, of the time between the first and the last kernel of the last minute; none: none ran.
  std::optional<double> kernel_share;
  unsigned max_in_flight = 0;
  std::vector<Proving> in_flight;
};

/// An entry of the key cache or of the circuit cache.
struct ResidentSnapshot {
  std::string circuit;
  unsigned device = 0;
  bool loading = false;
  std::uint64_t bytes = 0;
  std::uint32_t users = 0;
  std::uint64_t idle_ns = 0;
  std::uint64_t load_ns = 0;
  bool evictable = false;
  std::uint64_t kept_ns = 0;  // it is idle, and ordinary work may not have it evicted for so long still
};

/// What requests hold of the part of the budget that is kept for them.
struct PayloadSnapshot {
  std::uint64_t limit_bytes = 0;
  std::uint64_t payload_bytes = 0;    // of open jobs
  std::uint64_t statement_bytes = 0;  // of those that are decoded, at most
  std::uint64_t receiving_bytes = 0;

  std::uint64_t held_bytes() const noexcept { return payload_bytes + statement_bytes + receiving_bytes; }
};

/// Jobs of one kind that are open.
struct KindCount {
  std::string kind;
  std::uint32_t waiting = 0;  // no partition has begun
  std::uint32_t running = 0;
};

struct EngineSnapshot {
  std::uint64_t now_ns = 0;
  std::uint64_t uptime_ns = 0;
  bool accepting = true;
  std::vector<JobStatus> jobs;   // open ones and those that ended lately, oldest first
  std::vector<KindCount> kinds;  // every registered one
  std::vector<QueueSnapshot> queues;
  std::vector<DeviceSnapshot> devices;
  std::vector<ResidentSnapshot> keys;
  std::vector<ResidentSnapshot> circuits;
  std::uint32_t witnesses = 0;      // being generated
  std::uint32_t max_witnesses = 0;  // at once
  PayloadSnapshot payloads;
  std::size_t unwritten_ends = 0;  // of jobs, which the journal could not take yet
  std::string journal_trouble;     // why it takes no jobs; empty: none
  std::string restart_reason;      // why this process should end (Engine::restart_reason)
  memory::BudgetSnapshot memory;
  std::optional<memory::PoolStatistics> pool;
  MetricsSnapshot metrics;
};

}  // namespace cuzk::engine
