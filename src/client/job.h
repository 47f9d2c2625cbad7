// What a client asks of the service, and what it is told: cuzk.v1 as plain values.
//
// Names of kinds, states, classes and stages are texts as the service sends them, so that a newer one can say more.
// Thread-safety: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/bytes.h"

namespace cuzk::client {

/// The numbers of cuzk.v1.
enum class Kind : std::uint8_t { porep = 1, snap = 2, window = 3, winning = 4 };
enum class Priority : std::uint8_t { of_kind = 0, low, normal, high, critical };

/// A Filecoin proof. What a kind does not use stays empty. The payloads are only looked at during the call.
struct FilecoinProof {
  Kind kind = Kind::porep;
  std::string label{};  // empty: the service makes one
  Priority priority = Priority::of_kind;
  std::uint64_t registered_proof = 0;
  std::uint64_t sector_size = 0;  // bytes; 0: not stated
  std::uint64_t sector_number = 0;
  std::uint64_t miner_id = 0;
  std::uint32_t partition_index = 0;
  std::string randomness{};                              // 32 bytes
  std::string comm_r_old{}, comm_r_new{}, comm_d_new{};  // 32 bytes each
  std::vector<Bytes> payloads{};  // porep: the C1 output; PoSt: one a sector; snap: one a partition
  std::uint64_t deadline_ms = 0;  // from the acceptance; what is not proved by then fails. 0: none
  /// Not 0: made again although the same was made before.
  std::uint64_t repetition = 0;
};

/// A proof of a circom circuit, whose key the service has under an id.
struct CircomProof {
  std::string key;
  std::string label{};
  Priority priority = Priority::of_kind;
  Bytes wtns{};
  std::uint64_t deadline_ms = 0;  // as FilecoinProof's
  std::uint64_t repetition = 0;
};

struct Accepted {
  std::string job_id;
  std::uint32_t queue_position = 0;
  std::string device;  // of a job that runs already
};

enum class End : std::uint8_t { unknown, completed, failed, cancelled, timeout };

/// Milliseconds; those of partitions are sums over all of them.
struct Times {
  std::uint64_t queue = 0, key = 0, witness = 0, compute = 0, total = 0;
};

struct Outcome {
  std::string job_id;
  End end = End::unknown;
  std::string proof;       // completed: 192 bytes a partition, or JSON of a circom job
  std::string error;       // failed, cancelled
  std::string failure;     // failed: "caller", "transient", "defect"; empty: the service does not say
  std::string error_code;  // failed: "malformed", ...; likewise
  Times times;
  std::vector<std::string> notes{};  // retries, the CPU in the place of a device
};

struct PartitionState {
  std::uint32_t index = 0;
  std::string stage{};  // "waiting", "witness", "queued", "proving", "finishing", "done", "failed"
  std::uint32_t attempts = 0;
  std::string device{};
  std::string error{};
  std::uint64_t witness_ms = 0, evaluate_ms = 0, device_queue_ms = 0, prove_ms = 0, verify_ms = 0;
  std::uint64_t queue_ms = 0, key_ms = 0, memory_ms = 0;  // waited for its turn, for key and circuit, for memory
  std::string note{};                                     // what went another way than it should have
  std::string memory_path{};                              // "none", "host", "packed_witness", "pinned", "pageable"
  std::uint64_t pinned_bytes = 0, pageable_bytes = 0;
};

struct JobState {
  std::string job_id{};
  std::string label{};
  std::string kind{};  // "porep-c2", ..., "circom"
  std::string circuit{};
  std::string priority{};  // "low", "normal", "high", "critical"
  std::string state{};     // "accepted", "running", "completed", "failed", "cancelled"
  std::uint32_t partitions = 0;
  std::uint32_t finished_partitions = 0;
  bool decoding = false;
  std::uint64_t payload_bytes = 0;
  std::uint64_t age_ms = 0;
  std::string error{};
  std::string failure{};
  std::vector<PartitionState> progress{};

  bool is_open() const noexcept { return state == "accepted" || state == "running"; }
};

struct JobFilter {
  std::string kind{};                 // empty: all
  std::vector<std::string> states{};  // none: all
  std::uint32_t limit = 0;            // the newest; 0: all
  bool with_partitions = false;
};

struct ServiceState {
  struct Slot {  // a partition that a device may have in flight
    std::uint32_t ordinal = 0;
    std::string name;
    std::uint64_t memory_total_bytes = 0;  // 0: none of its own
    std::uint64_t memory_free_bytes = 0;
    std::string job_id;  // empty: idle
    std::string kind;
  };
  struct Key {
    std::string circuit;
    std::string tier;  // "hot", "warm", "cold"
    std::uint64_t bytes = 0;
    std::uint32_t users = 0;
  };
  struct Queue {
    std::string kind;
    std::uint32_t waiting = 0;
    std::uint32_t running = 0;
  };
  struct MemoryUse {
    std::string tag;
    std::uint64_t bytes = 0;
  };
  struct Memory {
    std::uint64_t total_bytes = 0, used_bytes = 0, peak_bytes = 0, available_bytes = 0, critical_reserve_bytes = 0;
    std::vector<MemoryUse> uses;
    std::uint32_t waiting = 0;
    std::uint64_t pool_pinned_bytes = 0, pool_pageable_bytes = 0, pool_idle_bytes = 0;
  };
  struct Work {
    std::string job_id;
    std::string kind;
    std::uint32_t partition = 0;
    std::uint64_t age_ms = 0;
  };
  struct Device {
    std::uint32_t ordinal = 0;
    std::string name;
    bool is_cpu = false;
    bool in_service = true;
    std::uint64_t proofs = 0, errors = 0, busy_ms = 0;
    std::uint32_t max_in_flight = 0;
    std::vector<Work> in_flight{};
    std::string trouble{};  // why it is not in service
    std::uint64_t budget_bytes = 0, used_bytes = 0;
  };
  struct Stage {
    std::string name;
    std::uint32_t length = 0, capacity = 0;
    std::uint64_t oldest_ms = 0;
  };

  std::vector<Slot> slots;
  std::vector<Key> keys;
  std::vector<Queue> queues;
  std::uint64_t completed = 0, failed = 0;
  std::uint64_t uptime_seconds = 0;
  std::uint64_t pinned_bytes = 0, pinned_limit_bytes = 0;
  // Empty where the service is an older one.
  std::string version;
  bool accepting = true;
  Memory memory;
  std::vector<Device> devices;
  std::vector<Stage> stages;
};

struct Preloaded {
  bool already_loaded = false;
  std::uint64_t load_ms = 0;
};
struct Evicted {
  bool was_loaded = false;
  std::uint64_t freed_bytes = 0;
};

}  // namespace cuzk::client
