#include "server/metrics_text.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "support/clock.h"

namespace cuzk::server {
namespace {

using engine::EngineSnapshot;
using engine::Histogram;
using engine::KindMetrics;

/// {name, value} pairs; values are escaped.
using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

std::string decimal(double value) {
  char text[32];
  const auto [end, fault] = std::to_chars(std::begin(text), std::end(text), value);
  return {text, end};
}

std::string seconds(std::uint64_t ns) { return decimal(static_cast<double>(ns) / 1e9); }

/// "porep_c2": names of kinds as the label values have always been.
std::string label_of(std::string kind) {
  std::ranges::replace(kind, '-', '_');
  return kind;
}

class TextForm {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    out_ += "# HELP " + std::string(name) + " " + std::string(help) + "\n# TYPE " + std::string(name) + " " +
            std::string(type) + "\n";
    name_ = name;
  }

  void sample(Labels labels, const std::string& value, std::string_view suffix = "") {
    out_ += name_;
    out_ += suffix;
    char separator = '{';
    for (const auto& [name, text] : labels) {
      if (name.empty()) continue;
      out_ += std::exchange(separator, ',');
      out_ += std::string(name) + "=\"" + escaped(text) + "\"";
    }
    if (separator == ',') out_ += '}';
    out_ += " " + value + "\n";
  }
  void sample(Labels labels, std::uint64_t value) { sample(labels, std::to_string(value)); }

  void histogram(const Histogram& values, std::string_view kind, std::string_view phase = {}) {
    const std::string_view phase_name = phase.empty() ? "" : "phase";
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < Histogram::kBoundsMs.size(); ++i) {
      below += values.buckets[i];
      const std::string bound = seconds(Histogram::kBoundsMs[i] * 1'000'000);
      sample({{"proof_kind", kind}, {phase_name, phase}, {"le", bound}}, std::to_string(below), "_bucket");
    }
    sample({{"proof_kind", kind}, {phase_name, phase}, {"le", "+Inf"}}, std::to_string(values.count), "_bucket");
    sample({{"proof_kind", kind}, {phase_name, phase}}, seconds(values.sum_ns), "_sum");
    sample({{"proof_kind", kind}, {phase_name, phase}}, std::to_string(values.count), "_count");
  }

  std::string take() { return std::move(out_); }

 private:
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '\\' || c == '"') out += '\\';
      out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return out;
  }

  std::string out_;
  std::string name_;
};

/// A family with one sample and no labels.
template <class Value>
void single(TextForm& text, std::string_view name, std::string_view type, std::string_view help, const Value& value) {
  text.family(name, type, help);
  text.sample({}, value);
}

/// Every registered kind, and those of which something was counted.
using Kinds = std::map<std::string, KindMetrics>;

Kinds kinds_of(const EngineSnapshot& snapshot) {
  Kinds kinds;
  for (const engine::KindCount& kind : snapshot.kinds) kinds[label_of(kind.kind)];
  for (const auto& [kind, metrics] : snapshot.metrics.kinds) kinds[label_of(kind)] = metrics;
  return kinds;
}

/// One sample for each kind.
template <class Value>
void per_kind(TextForm& text, const Kinds& kinds, std::string_view name, std::string_view help, Value value) {
  text.family(name, "counter", help);
  for (const auto& [kind, metrics] : kinds) text.sample({{"proof_kind", kind}}, value(metrics));
}

void write_totals(TextForm& text, const EngineSnapshot& snapshot) {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  for (const auto& [name, kind] : snapshot.metrics.kinds) {
    completed += kind.completed;
    failed += kind.failures();
  }
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  for (const engine::KindCount& kind : snapshot.kinds) {
    waiting += kind.waiting;
    running += kind.running;
  }
  std::uint64_t workers = 0;
  for (const engine::DeviceSnapshot& device : snapshot.devices) workers += device.max_in_flight;

  single(text, "cuzk_proofs_completed_total", "counter", "Jobs whose proof was made and verified.", completed);
  single(text, "cuzk_proofs_failed_total", "counter", "Jobs that failed.", failed);
  single(text, "cuzk_uptime_seconds", "gauge", "Time since the start.", seconds(snapshot.uptime_ns));
  single(text, "cuzk_queue_depth", "gauge", "Jobs that wait.", waiting);
  single(text, "cuzk_running_jobs", "gauge", "Jobs of which a partition has begun.", running);
  single(text, "cuzk_gpu_workers", "gauge", "Partitions that may be in flight on devices.", workers);
  single(text, "cuzk_jobs_refused_total", "counter", "Jobs for which there was no room.", snapshot.metrics.refused);
  single(text, "cuzk_journal_unwritten_ends", "gauge", "Jobs that have ended, of which the journal does not know yet.",
         std::uint64_t{snapshot.unwritten_ends});
  single(text, "cuzk_accepting", "gauge", "0: the service stops.", std::uint64_t{snapshot.accepting ? 1U : 0U});
  single(text, "cuzk_witnesses", "gauge", "Witnesses that are being generated.", std::uint64_t{snapshot.witnesses});
  single(text, "cuzk_witnesses_max", "gauge", "That may be generated at once.", std::uint64_t{snapshot.max_witnesses});
}

void write_failures(TextForm& text, const Kinds& kinds) {
  text.family("cuzk_jobs_failed_total", "counter", "Jobs that failed, by whose fault it was.");
  for (const auto& [kind, metrics] : kinds) {
    for (std::size_t i = 0; i < metrics.failed.size(); ++i) {
      const std::string_view of = store::to_string(static_cast<store::FailureClass>(i));
      text.sample({{"proof_kind", kind}, {"class", of}}, metrics.failed[i]);
    }
  }
}

void write_counters(TextForm& text, const Kinds& kinds) {
  per_kind(text, kinds, "cuzk_proofs_completed", "Jobs whose proof was made and verified.",
           [](const KindMetrics& m) { return m.completed; });
  per_kind(text, kinds, "cuzk_proofs_failed", "Jobs that failed.", [](const KindMetrics& m) { return m.failures(); });
  write_failures(text, kinds);
  per_kind(text, kinds, "cuzk_jobs_accepted_total", "Jobs that were accepted.",
           [](const KindMetrics& m) { return m.accepted; });
  per_kind(text, kinds, "cuzk_jobs_joined_total", "Requests whose content was a job already.",
           [](const KindMetrics& m) { return m.joined; });
  per_kind(text, kinds, "cuzk_jobs_recovered_total", "Jobs taken over from another process.",
           [](const KindMetrics& m) { return m.recovered; });
  per_kind(text, kinds, "cuzk_jobs_cancelled_total", "Jobs that were cancelled.",
           [](const KindMetrics& m) { return m.cancelled; });
  per_kind(text, kinds, "cuzk_partitions_proved_total", "Partitions whose proof was made and verified.",
           [](const KindMetrics& m) { return m.partitions_proved; });
  per_kind(text, kinds, "cuzk_partitions_retried_total", "Second attempts at partitions.",
           [](const KindMetrics& m) { return m.partitions_retried; });
  per_kind(text, kinds, "cuzk_proofs_rejected_total", "Proofs that did not verify and were not delivered.",
           [](const KindMetrics& m) { return m.proofs_rejected; });
  per_kind(text, kinds, "cuzk_cpu_fallbacks_total", "Attempts on the processor in place of an accelerator.",
           [](const KindMetrics& m) { return m.cpu_fallbacks; });
  per_kind(text, kinds, "cuzk_reduced_proofs_total",
           "Proofs for which something was given up for want of a device's memory.",
           [](const KindMetrics& m) { return m.reduced_proofs; });
  text.family("cuzk_moved_bytes_total", "counter", "Bytes that crossed to devices, by the memory they came from.");
  for (const auto& [kind, metrics] : kinds) {
    text.sample({{"proof_kind", kind}, {"memory", "pinned"}}, metrics.pinned_bytes);
    text.sample({{"proof_kind", kind}, {"memory", "pageable"}}, metrics.pageable_bytes);
  }
}

void write_crossed(TextForm& text, const Kinds& kinds) {
  const auto write = [&](const auto& value) {
    for (const auto& [kind, metrics] : kinds) {
      for (std::size_t i = 0; i < backend::kWays; ++i) {
        const engine::Crossed& crossed = metrics.crossed[i];
        if (crossed.bytes == 0) continue;
        text.sample({{"proof_kind", kind}, {"way", to_string(static_cast<backend::Way>(i))}}, value(crossed));
      }
    }
  };
  text.family("cuzk_h2d_bytes_total", "counter", "Bytes that crossed to devices, by the way they took.");
  write([](const engine::Crossed& crossed) { return crossed.bytes; });
  text.family("cuzk_h2d_seconds_total", "counter", "How long they took, by the devices' own clocks.");
  write([](const engine::Crossed& crossed) { return seconds(crossed.ns); });
}

void write_kinds(TextForm& text, const EngineSnapshot& snapshot) {
  const Kinds kinds = kinds_of(snapshot);
  write_counters(text, kinds);
  text.family("cuzk_jobs_open", "gauge", "Jobs that wait or run.");
  for (const engine::KindCount& kind : snapshot.kinds) {
    text.sample({{"proof_kind", label_of(kind.kind)}, {"state", "waiting"}}, kind.waiting);
    text.sample({{"proof_kind", label_of(kind.kind)}, {"state", "running"}}, kind.running);
  }
  text.family("cuzk_proof_duration_seconds", "histogram", "From acceptance to the proof.");
  for (const auto& [kind, metrics] : kinds) text.histogram(metrics.job, kind);
  text.family("cuzk_phase_duration_seconds", "histogram", "Of a partition; decode and check: of a job.");
  for (const auto& [kind, metrics] : kinds) {
    for (std::size_t phase = 0; phase < engine::kPhases; ++phase) {
      if (metrics.phases[phase].count == 0) continue;
      text.histogram(metrics.phases[phase], kind, to_string(static_cast<engine::Phase>(phase)));
    }
  }
  write_crossed(text, kinds);
  text.family("cuzk_device_phase_duration_seconds", "histogram", "Of a partition, by its device's own clock.");
  for (const auto& [kind, metrics] : kinds) {
    for (std::size_t phase = 0; phase < backend::kDevicePhases; ++phase) {
      if (metrics.device_phases[phase].count == 0) continue;
      text.histogram(metrics.device_phases[phase], kind, to_string(static_cast<backend::DevicePhase>(phase)));
    }
  }
}

void write_tags(TextForm& text, const memory::BudgetSnapshot& memory) {
  const auto write = [&](std::uint64_t memory::Ledger::TagUse::* value) {
    for (std::size_t tag = 0; tag < memory::kMemoryTags; ++tag) {
      text.sample({{"tag", to_string(static_cast<memory::MemoryTag>(tag))}}, memory.by_tag[tag].*value);
    }
  };
  text.family("cuzk_memory_tag_bytes", "gauge", "The budget by what holds it.");
  write(&memory::Ledger::TagUse::bytes);
  text.family("cuzk_memory_tag_peak_bytes", "gauge", "The most that it held at once.");
  write(&memory::Ledger::TagUse::peak);
}

void write_memory(TextForm& text, const memory::BudgetSnapshot& memory) {
  text.family("cuzk_memory_bytes", "gauge", "The budget: all of it, and what is reserved or idle in the pool.");
  text.sample({{"part", "total"}}, memory.total);
  text.sample({{"part", "used"}}, memory.used);
  text.sample({{"part", "used_peak"}}, memory.used_peak);
  text.sample({{"part", "available"}}, memory.available);
  text.sample({{"part", "critical_reserve"}}, memory.critical_reserve);
  write_tags(text, memory);

  std::uint64_t wanted = 0;
  std::uint64_t oldest = 0;
  for (const auto& waiting : memory.waiting) {
    wanted += waiting.bytes;
    oldest = std::max(oldest, waiting.waited_ns);
  }
  single(text, "cuzk_memory_waiting", "gauge", "Requests that wait for memory.", std::uint64_t{memory.waiting.size()});
  single(text, "cuzk_memory_waiting_bytes", "gauge", "What they want.", wanted);
  single(text, "cuzk_memory_waiting_oldest_seconds", "gauge", "How long the oldest has waited.", seconds(oldest));
  text.family("cuzk_memory_requests_total", "counter", "Requests for memory by their end.");
  text.sample({{"end", "granted_at_once"}}, memory.granted - memory.granted_after_waiting);
  text.sample({{"end", "granted_after_waiting"}}, memory.granted_after_waiting);
  text.sample({{"end", "refused"}}, memory.refused);
  text.sample({{"end", "given_up"}}, memory.given_up);
  single(text, "cuzk_memory_evicted_bytes_total", "counter", "Freed because others needed it.", memory.evicted);
}

void write_payloads(TextForm& text, const engine::PayloadSnapshot& payloads) {
  text.family("cuzk_payload_bytes", "gauge", "What requests hold of the budget's part for them.");
  text.sample({{"part", "limit"}}, payloads.limit_bytes);
  text.sample({{"part", "payloads"}}, payloads.payload_bytes);
  text.sample({{"part", "statements"}}, payloads.statement_bytes);
  text.sample({{"part", "receiving"}}, payloads.receiving_bytes);
}

void write_pool(TextForm& text, const memory::PoolStatistics& pool) {
  text.family("cuzk_pool_bytes", "gauge", "Memory of the pool: handed out, page-locked or not, and ready.");
  text.sample({{"state", "pinned"}}, pool.in_use_pinned_bytes);
  text.sample({{"state", "pageable"}}, pool.in_use_pageable_bytes);
  text.sample({{"state", "idle"}}, pool.idle_bytes);
  single(text, "cuzk_pool_wasted_bytes", "gauge", "Ends of last chunks that nobody uses.", pool.wasted_bytes);
  text.family("cuzk_pool_chunks_total", "counter", "Chunks that lay ready, had to be made, or were not page-locked.");
  text.sample({{"how", "hit"}}, pool.hits);
  text.sample({{"how", "miss"}}, pool.misses);
  text.sample({{"how", "refused"}}, pool.fallbacks.refused);
  text.sample({{"how", "limited"}}, pool.fallbacks.limited);
  single(text, "cuzk_pool_hits_total", "counter", "Chunks that lay ready.", pool.hits);
  single(text, "cuzk_pool_misses_total", "counter", "Chunks that had to be made while someone waited.", pool.misses);
  single(text, "cuzk_pool_fallbacks_total", "counter", "Chunks that were not page-locked.",
         pool.fallbacks.refused + pool.fallbacks.limited);
  single(text, "cuzk_pool_buffers_total", "counter", "Buffers that were handed out.", pool.buffers);
  single(text, "cuzk_pool_fallback_buffers_total", "counter", "Of them: not page-locked as a whole.",
         pool.fallback_buffers);
  single(text, "cuzk_pool_pageable_bytes_total", "counter", "Handed out without a page lock.", pool.pageable_bytes);
  single(text, "cuzk_pool_prewarmed_total", "counter", "Chunks that were made ahead.", pool.prewarmed);
  single(text, "cuzk_pool_freed_total", "counter", "Chunks that were freed again.", pool.freed);
  single(text, "cuzk_pool_evicted_bytes_total", "counter", "Freed because others needed memory.", pool.evicted_bytes);
  text.family("cuzk_pool_prewarm_bytes", "gauge", "What is to lie ready, and what of it does.");
  text.sample({{"part", "target"}}, pool.prewarm_target_bytes);
  text.sample({{"part", "ready"}}, pool.prewarm_ready_bytes);
  text.family("cuzk_pool_pinned_bytes", "gauge", "Page-locked now, at most so far, and the limit where there is one.");
  text.sample({{"part", "now"}}, pool.pinned_bytes);
  text.sample({{"part", "peak"}}, pool.pinned_peak_bytes);
  if (pool.pinned_limit_bytes) text.sample({{"part", "limit"}}, *pool.pinned_limit_bytes);
}

template <class Value> void per_resident(TextForm& text, const EngineSnapshot& snapshot, Value value) {
  const auto write = [&](std::string_view what, const std::vector<engine::ResidentSnapshot>& residents) {
    for (const engine::ResidentSnapshot& resident : residents) {
      text.sample({{"what", what}, {"circuit", resident.circuit}, {"device", std::to_string(resident.device)}},
                  std::uint64_t{value(resident)});
    }
  };
  write("key", snapshot.keys);
  write("circuit", snapshot.circuits);
}

void write_residents(TextForm& text, const EngineSnapshot& snapshot) {
  text.family("cuzk_resident_bytes", "gauge", "Keys and compiled circuits that are loaded.");
  per_resident(text, snapshot, [](const engine::ResidentSnapshot& resident) { return resident.bytes; });
  text.family("cuzk_resident_users", "gauge", "Partitions that use them.");
  per_resident(text, snapshot, [](const engine::ResidentSnapshot& resident) { return resident.users; });
}

template <class Value>
void per_device(TextForm& text, const EngineSnapshot& snapshot, std::string_view name, std::string_view type,
                std::string_view help, Value value) {
  text.family(name, type, help);
  for (const engine::DeviceSnapshot& device : snapshot.devices) {
    text.sample({{"device", std::to_string(device.ordinal)}}, value(device));
  }
}

void write_devices(TextForm& text, const EngineSnapshot& snapshot) {
  using Device = engine::DeviceSnapshot;
  text.family("cuzk_device_info", "gauge", "1: what the device is.");
  for (const Device& device : snapshot.devices) {
    text.sample({{"device", std::to_string(device.ordinal)},
                 {"name", device.name},
                 {"type", device.is_cpu ? "cpu" : "accelerator"}},
                std::uint64_t{1});
  }
  per_device(text, snapshot, "cuzk_device_busy_seconds_total", "counter", "Time with at least one partition on it.",
             [](const Device& device) { return seconds(device.busy_ns); });
  per_device(text, snapshot, "cuzk_device_kernel_seconds_total", "counter", "Time with at least one kernel running.",
             [](const Device& device) { return seconds(device.kernel_ns); });
  text.family("cuzk_device_kernel_share", "gauge",
              "The same, of the time from the last minute's first to last kernel.");
  for (const Device& device : snapshot.devices) {
    if (!device.kernel_share) continue;
    text.sample({{"device", std::to_string(device.ordinal)}}, decimal(*device.kernel_share));
  }
  per_device(text, snapshot, "cuzk_device_proofs_total", "counter", "Proofs that it made.",
             [](const Device& device) { return device.proofs; });
  per_device(text, snapshot, "cuzk_device_errors_total", "counter", "Attempts that failed on it.",
             [](const Device& device) { return device.errors; });
  per_device(text, snapshot, "cuzk_device_in_flight", "gauge", "Partitions on the device.",
             [](const Device& device) { return std::uint64_t{device.in_flight.size()}; });
  per_device(text, snapshot, "cuzk_device_max_in_flight", "gauge", "That may be on it at once.",
             [](const Device& device) { return std::uint64_t{device.max_in_flight}; });
  per_device(text, snapshot, "cuzk_device_in_service", "gauge", "0: out of service.",
             [](const Device& device) { return std::uint64_t{device.in_service ? 1U : 0U}; });
  per_device(text, snapshot, "cuzk_device_ill", "gauge", "1: out of service until a new process sets it up.",
             [](const Device& device) { return std::uint64_t{device.is_ill ? 1U : 0U}; });
  per_device(text, snapshot, "cuzk_device_quarantines_total", "counter", "How often it was put out of service.",
             [](const Device& device) { return device.quarantines; });
  text.family("cuzk_device_memory_bytes", "gauge", "Of devices with memory of their own: all, free, our budget, used.");
  for (const Device& device : snapshot.devices) {
    if (!device.memory) continue;
    const std::string ordinal = std::to_string(device.ordinal);
    text.sample({{"device", ordinal}, {"part", "total"}}, device.memory->total_bytes);
    text.sample({{"device", ordinal}, {"part", "free"}}, device.memory->free_bytes);
    text.sample({{"device", ordinal}, {"part", "budget"}}, device.memory->budget_bytes);
    text.sample({{"device", ordinal}, {"part", "used"}}, device.memory->used_bytes);
  }
}

void write_queues(TextForm& text, const EngineSnapshot& snapshot) {
  using Queue = engine::QueueSnapshot;
  const auto write = [&](std::string_view name, std::string_view help, auto value) {
    text.family(name, "gauge", help);
    for (const Queue& queue : snapshot.queues) text.sample({{"queue", queue.name}}, value(queue));
  };
  write("cuzk_queue_length", "Items of a stage's queue.", [](const Queue& q) { return std::uint64_t{q.length}; });
  write("cuzk_queue_capacity", "The most it holds; 0: what is admitted.",
        [](const Queue& q) { return std::uint64_t{q.capacity}; });
  write("cuzk_queue_oldest_seconds", "How long the oldest item has waited.",
        [](const Queue& q) { return seconds(q.oldest_ns); });
}

/// By the names that every exporter uses.
void write_process(TextForm& text) {
  single(text, "process_resident_memory_bytes", "gauge", "Resident memory.", resident_bytes());
  single(text, "process_cpu_seconds_total", "counter", "User and system time of all threads.",
         seconds(process_cpu_ns()));
  text.family("cuzk_build_info", "gauge", "1: the version.");
  text.sample({{"version", CUZK_VERSION}}, std::uint64_t{1});
}

}  // namespace

std::string metrics_text(const EngineSnapshot& snapshot) {
  TextForm text;
  write_totals(text, snapshot);
  write_kinds(text, snapshot);
  write_memory(text, snapshot.memory);
  write_payloads(text, snapshot.payloads);
  if (snapshot.pool) write_pool(text, *snapshot.pool);
  write_residents(text, snapshot);
  write_devices(text, snapshot);
  write_queues(text, snapshot);
  write_process(text);
  return text.take();
}

}  // namespace cuzk::server
