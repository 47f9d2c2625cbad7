#include "server/status_json.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "support/json_writer.h"

namespace cuzk::server {
namespace {

using engine::EngineSnapshot;
using engine::JobStatus;
using engine::KindMetrics;
using engine::PartitionStatus;
using engine::PartitionTimeline;
using engine::Phase;
using engine::PhaseSpan;
using engine::Stage;

constexpr double kNsPerSecond = 1e9;
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kPipelineAfterlifeNs = 30'000'000'000;  // how long `pipelines` shows a job that has ended
constexpr std::size_t kShownFailures = 20;

std::uint64_t since(std::uint64_t then_ns, std::uint64_t now_ns) { return now_ns - std::min(now_ns, then_ns); }

/// One member after the other: json.key(name) and its value.
class Members {
 public:
  explicit Members(JsonWriter& json) : json_(json) { json_.begin_object(); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  ~Members() { json_.end_object(); }

  Members& text(std::string_view name, std::string_view value) {
    json_.key(name).string(value);
    return *this;
  }
  Members& text_or_null(std::string_view name, std::string_view value) {
    json_.key(name);
    value.empty() ? json_.null() : json_.string(value);
    return *this;
  }
  Members& count(std::string_view name, std::uint64_t value) {
    json_.key(name).integer(value);
    return *this;
  }
  Members& flag(std::string_view name, bool value) {
    json_.key(name).boolean(value);
    return *this;
  }
  /// To the millisecond.
  Members& seconds(std::string_view name, std::uint64_t ns) {
    json_.key(name).real(std::round(static_cast<double>(ns) / kNsPerSecond * 1e3) / 1e3);
    return *this;
  }
  Members& null(std::string_view name) {
    json_.key(name).null();
    return *this;
  }
  /// An array with one element for each item.
  template <class Items, class Write> Members& list(std::string_view name, const Items& items, Write write) {
    json_.key(name).begin_array();
    for (const auto& item : items) write(item);
    json_.end_array();
    return *this;
  }

 private:
  JsonWriter& json_;
};

std::uint64_t end_of(const JobStatus& job, std::uint64_t now_ns) {
  return job.timeline.finished_ns == 0 ? now_ns : job.timeline.finished_ns;
}

/// Milliseconds after the job was accepted, to the microsecond.
double ms_after(std::uint64_t accepted_ns, std::uint64_t ns) {
  return std::round(static_cast<double>(since(accepted_ns, ns)) / 1e3) / 1e3;
}

void write_phase(JsonWriter& json, std::uint64_t accepted_ns, Phase phase, const PhaseSpan& span) {
  if (span.begin_ns == 0) return;
  Members members(json);
  members.text("name", to_string(phase));
  json.key("begin_ms").real(ms_after(accepted_ns, span.begin_ns));
  json.key("end_ms");
  span.end_ns == 0 ? json.null() : json.real(ms_after(accepted_ns, span.end_ns));
}

/// Milliseconds by phase, to the microsecond.
void write_on_device(JsonWriter& json, const backend::DeviceTimes* times) {
  json.key("on_device_ms");
  if (times == nullptr) {
    json.null();
    return;
  }
  json.begin_object();
  for (std::size_t i = 0; i < backend::kDevicePhases; ++i) {
    const auto phase = static_cast<backend::DevicePhase>(i);
    const std::uint64_t ns = times->ns(phase);
    if (ns != 0) json.key(to_string(phase)).real(std::round(static_cast<double>(ns) / 1e3) / 1e3);
  }
  json.end_object();
}

void write_partition(JsonWriter& json, std::uint64_t accepted_ns, std::size_t index, const PartitionStatus& partition) {
  const PartitionTimeline& timeline = partition.timeline;
  Members members(json);
  members.count("index", index)
      .text("stage", to_string(partition.stage))
      .count("attempts", timeline.attempts)
      .text("device", timeline.device)
      .text("path", to_string(timeline.path))
      .count("pinned_bytes", timeline.pinned_bytes)
      .count("pageable_bytes", timeline.pageable_bytes)
      .text_or_null("error", partition.error)
      .text_or_null("instead", partition.instead)
      .list("failed", partition.failed, [&](const PartitionStatus::Failed& failed) {
        Members(json).text("device", failed.device).text("error", failed.error);
      });
  json.key("phases").begin_array();
  for (std::size_t i = 0; i < engine::kPhases; ++i) {
    write_phase(json, accepted_ns, static_cast<Phase>(i), timeline.phases[i]);
  }
  json.end_array();
  write_on_device(json, timeline.on_device.get());
}

void write_job(JsonWriter& json, const JobStatus& job, std::uint64_t now_ns, bool with_partitions) {
  const std::uint64_t accepted = job.timeline.accepted_ns;
  Members members(json);
  members.text("job_id", job.job_id)
      .text("label", job.label)
      .text("proof_kind", job.kind)
      .text("circuit", job.circuit)
      .text("priority", to_string(job.priority))
      .text("state", store::to_string(job.state))
      .flag("decoding", job.decoding)
      .count("partitions_done", job.finished_partitions)
      .count("total_partitions", job.partitions.size())
      .count("queue_position", job.queue_position)
      .count("payload_bytes", job.payload_bytes)
      .seconds("accepted_secs_ago", since(accepted, now_ns));
  if (job.timeline.finished_ns == 0) {
    members.null("finished_secs_ago");
  } else {
    members.seconds("finished_secs_ago", since(job.timeline.finished_ns, now_ns));
  }
  members.seconds("duration_secs", since(accepted, end_of(job, now_ns)))
      .text_or_null("error", job.error)
      .text_or_null("failure", job.failure ? store::to_string(*job.failure) : "");
  if (!with_partitions) return;
  json.key("phases").begin_array();
  write_phase(json, accepted, Phase::decode, job.timeline.decode);
  write_phase(json, accepted, Phase::check, job.timeline.check);
  json.end_array();
  json.key("partitions").begin_array();
  for (std::size_t i = 0; i < job.partitions.size(); ++i) write_partition(json, accepted, i, job.partitions[i]);
  json.end_array();
}

// What pollers have always read.

std::string_view pipeline_state(Stage stage) {
  switch (stage) {
    case Stage::waiting:
      return "pending";
    case Stage::witness:
      return "synthesizing";
    case Stage::queued:
      return "synth_done";
    case Stage::proving:
    case Stage::finishing:
      return "gpu";
    case Stage::done:
      return "done";
    case Stage::failed:
      break;
  }
  return "failed";
}

/// Null when none of the phases has begun.
void write_ms(JsonWriter& json, std::string_view name, const PartitionTimeline& timeline,
              std::initializer_list<Phase> phases, std::uint64_t now_ns) {
  std::uint64_t ns = 0;
  bool begun = false;
  for (const Phase phase : phases) {
    begun |= timeline[phase].begin_ns != 0;
    ns += timeline[phase].duration_ns(now_ns);
  }
  json.key(name);
  begun ? json.integer(ns / kNsPerMs) : json.null();
}

void write_pipeline(JsonWriter& json, const JobStatus& job, std::uint64_t now_ns) {
  Members members(json);
  members.text("job_id", job.job_id)
      .text("proof_kind", job.kind)
      .seconds("started_secs_ago", since(job.timeline.accepted_ns, now_ns))
      .count("total_partitions", job.partitions.size())
      .count("partitions_done", job.finished_partitions);
  const std::uint64_t end = end_of(job, now_ns);
  json.key("partitions").begin_array();
  for (std::size_t i = 0; i < job.partitions.size(); ++i) {
    const PartitionStatus& partition = job.partitions[i];
    Members of_partition(json);
    of_partition.count("index", i).text("state", pipeline_state(partition.stage));
    write_ms(json, "synth_ms", partition.timeline, {Phase::witness, Phase::evaluate}, end);
    write_ms(json, "gpu_ms", partition.timeline, {Phase::start, Phase::finish}, end);
  }
  json.end_array();
}

void write_pipelines(JsonWriter& json, const EngineSnapshot& snapshot) {
  json.key("pipelines").begin_array();
  for (const JobStatus& job : snapshot.jobs) {
    const std::uint64_t finished = job.timeline.finished_ns;
    if (finished == 0 || since(finished, snapshot.now_ns) < kPipelineAfterlifeNs) {
      write_pipeline(json, job, snapshot.now_ns);
    }
  }
  json.end_array();
}

void write_worker(JsonWriter& json, std::size_t number, const engine::DeviceSnapshot& device,
                  const engine::DeviceSnapshot::Proving* proving, std::uint64_t now_ns) {
  Members members(json);
  members.count("worker_id", number)
      .count("gpu_ordinal", device.ordinal)
      .text("state", proving == nullptr ? "idle" : "proving");
  if (proving == nullptr) {
    members.null("current_job").null("current_partition").null("busy_secs");
  } else {
    members.text("current_job", proving->job_id)
        .count("current_partition", proving->partition)
        .seconds("busy_secs", since(proving->since_ns, now_ns));
  }
}

void write_workers(JsonWriter& json, const EngineSnapshot& snapshot) {
  json.key("gpu_workers").begin_array();
  std::size_t number = 0;
  for (const engine::DeviceSnapshot& device : snapshot.devices) {
    const std::size_t slots = std::max<std::size_t>(device.max_in_flight, device.in_flight.size());
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto* const proving = slot < device.in_flight.size() ? &device.in_flight[slot] : nullptr;
      write_worker(json, number++, device, proving, snapshot.now_ns);
    }
  }
  json.end_array();
}

void write_residents(JsonWriter& json, std::string_view name, const std::vector<engine::ResidentSnapshot>& residents) {
  json.key(name).begin_array();
  for (const engine::ResidentSnapshot& resident : residents) {
    Members members(json);
    members.text("circuit_id", resident.circuit)
        .count("bytes", resident.bytes)
        .seconds("last_used_secs_ago", resident.idle_ns)
        .flag("evictable", resident.evictable)
        .count("device", resident.device)
        .flag("loading", resident.loading)
        .count("users", resident.users)
        .seconds("load_secs", resident.load_ns);
  }
  json.end_array();
}

template <class Count>
void write_by_kind(JsonWriter& json, std::string_view name, const EngineSnapshot& snapshot, Count count) {
  json.key(name);
  Members members(json);
  for (const auto& [kind, metrics] : snapshot.metrics.kinds) members.count(kind, count(metrics));
}

void write_counters(JsonWriter& json, const EngineSnapshot& snapshot) {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  for (const auto& [kind, metrics] : snapshot.metrics.kinds) {
    completed += metrics.completed;
    failed += metrics.failures();
  }
  std::uint64_t waiting = 0;
  for (const engine::KindCount& kind : snapshot.kinds) waiting += kind.waiting;
  json.key("counters");
  Members members(json);
  members.count("total_completed", completed).count("total_failed", failed);
  write_by_kind(json, "completed_by_kind", snapshot, [](const KindMetrics& kind) { return kind.completed; });
  write_by_kind(json, "failed_by_kind", snapshot, [](const KindMetrics& kind) { return kind.failures(); });
  members.count("queue_depth", waiting);
}

/// Partitions of open jobs at these stages.
std::uint64_t partitions_at(const EngineSnapshot& snapshot, std::initializer_list<Stage> stages) {
  std::uint64_t found = 0;
  for (const JobStatus& job : snapshot.jobs) {
    if (!job.is_open()) continue;
    found += static_cast<std::uint64_t>(std::ranges::count_if(job.partitions, [&](const PartitionStatus& partition) {
      return std::ranges::find(stages, partition.stage) != stages.end();
    }));
  }
  return found;
}

/// Working sets by what they still hold.
void write_buffers(JsonWriter& json, const EngineSnapshot& snapshot) {
  json.key("buffers");
  Members(json)
      .count("synth_in_flight", partitions_at(snapshot, {Stage::witness}))
      .count("provers_in_flight", partitions_at(snapshot, {Stage::queued, Stage::proving}))
      .count("aux_in_flight", partitions_at(snapshot, {Stage::queued, Stage::proving, Stage::finishing}))
      .count("shells_in_flight", partitions_at(snapshot, {Stage::proving, Stage::finishing}))
      .count("pending_handles", partitions_at(snapshot, {Stage::finishing}));
}

// What is new.

void write_memory(JsonWriter& json, const EngineSnapshot& snapshot) {
  const memory::BudgetSnapshot& memory = snapshot.memory;
  json.key("memory");
  Members members(json);
  members.count("total_bytes", memory.total)
      .count("used_bytes", memory.used)
      .count("available_bytes", memory.available)
      .count("peak_bytes", memory.used_peak)
      .count("critical_reserve_bytes", memory.critical_reserve);
  json.key("by_tag");
  {
    Members by_tag(json);
    for (std::size_t tag = 0; tag < memory::kMemoryTags; ++tag) {
      by_tag.count(to_string(static_cast<memory::MemoryTag>(tag)), memory.by_tag[tag].bytes);
    }
  }
  json.key("payloads");
  Members(json)
      .count("limit_bytes", snapshot.payloads.limit_bytes)
      .count("payload_bytes", snapshot.payloads.payload_bytes)
      .count("statement_bytes", snapshot.payloads.statement_bytes)
      .count("receiving_bytes", snapshot.payloads.receiving_bytes);
  members.list("waiting", memory.waiting, [&](const memory::BudgetSnapshot::Waiting& waiting) {
    Members(json)
        .text("tag", to_string(waiting.tag))
        .count("bytes", waiting.bytes)
        .seconds("waited_secs", waiting.waited_ns)
        .text("owner", waiting.owner);
  });
}

void write_pool(JsonWriter& json, const EngineSnapshot& snapshot) {
  json.key("pool");
  if (!snapshot.pool) {
    json.null();
    return;
  }
  const memory::PoolStatistics& pool = *snapshot.pool;
  Members(json)
      .count("chunks", pool.hits + pool.misses)
      .count("free_bytes", pool.idle_bytes)
      .count("in_use_bytes", pool.in_use_pinned_bytes + pool.in_use_pageable_bytes)
      .count("pinned_bytes", pool.pinned_bytes)
      .count("pageable_bytes", pool.in_use_pageable_bytes)
      .count("hits", pool.hits)
      .count("misses", pool.misses)
      .count("fallbacks", pool.fallbacks.refused + pool.fallbacks.limited);
}

void write_device(JsonWriter& json, const engine::DeviceSnapshot& device, std::uint64_t now_ns) {
  Members members(json);
  members.count("ordinal", device.ordinal)
      .text("name", device.name)
      .flag("is_cpu", device.is_cpu)
      .flag("in_service", device.in_service)
      .text_or_null("trouble", device.trouble)
      .flag("ill", device.is_ill)
      .seconds("out_of_service_secs", device.quarantined_ns)
      .count("quarantines", device.quarantines)
      .count("proofs", device.proofs)
      .count("errors", device.errors)
      .seconds("busy_secs", device.busy_ns)
      .seconds("kernel_secs", device.kernel_ns)
      .count("max_in_flight", device.max_in_flight)
      .list("in_flight", device.in_flight, [&](const engine::DeviceSnapshot::Proving& proving) {
        Members(json)
            .text("job_id", proving.job_id)
            .text("proof_kind", proving.kind)
            .count("partition", proving.partition)
            .seconds("secs", since(proving.since_ns, now_ns));
      });
  json.key("kernel_share");
  device.kernel_share ? json.real(std::round(*device.kernel_share * 1e3) / 1e3) : json.null();
  json.key("memory");
  if (!device.memory) {
    json.null();
    return;
  }
  Members(json)
      .count("total_bytes", device.memory->total_bytes)
      .count("free_bytes", device.memory->free_bytes)
      .count("budget_bytes", device.memory->budget_bytes)
      .count("used_bytes", device.memory->used_bytes);
}

/// The newest first.
void write_failures(JsonWriter& json, const EngineSnapshot& snapshot) {
  std::vector<const JobStatus*> failed;
  for (const JobStatus& job : snapshot.jobs) {
    if (job.state == engine::JobState::failed) failed.push_back(&job);
  }
  std::ranges::sort(failed, std::ranges::greater{},
                    [](const JobStatus* job) { return std::pair(job->timeline.finished_ns, job); });
  failed.resize(std::min(failed.size(), kShownFailures));
  json.key("failures").begin_array();
  for (const JobStatus* job : failed) {
    Members(json)
        .text("job_id", job->job_id)
        .text("proof_kind", job->kind)
        .text("error", job->error)
        .text("class", job->failure ? store::to_string(*job->failure) : "")
        .seconds("secs_ago", since(job->timeline.finished_ns, snapshot.now_ns));
  }
  json.end_array();
}

void write_kind(JsonWriter& json, const std::string& name, const EngineSnapshot& snapshot) {
  const auto open = std::ranges::find(snapshot.kinds, name, &engine::KindCount::kind);
  const auto counted = snapshot.metrics.kinds.find(name);
  const KindMetrics metrics = counted == snapshot.metrics.kinds.end() ? KindMetrics{} : counted->second;
  Members members(json);
  members.text("proof_kind", name)
      .count("waiting", open == snapshot.kinds.end() ? 0 : open->waiting)
      .count("running", open == snapshot.kinds.end() ? 0 : open->running)
      .count("accepted", metrics.accepted)
      .count("joined", metrics.joined)
      .count("recovered", metrics.recovered)
      .count("completed", metrics.completed)
      .count("cancelled", metrics.cancelled);
  json.key("failed");
  {
    Members by_class(json);
    for (std::size_t i = 0; i < metrics.failed.size(); ++i) {
      by_class.count(store::to_string(static_cast<store::FailureClass>(i)), metrics.failed[i]);
    }
  }
  members.count("partitions_proved", metrics.partitions_proved)
      .count("partitions_retried", metrics.partitions_retried)
      .count("proofs_rejected", metrics.proofs_rejected)
      .count("cpu_fallbacks", metrics.cpu_fallbacks);
}

void write_kinds(JsonWriter& json, const EngineSnapshot& snapshot) {
  std::set<std::string> names;
  for (const engine::KindCount& kind : snapshot.kinds) names.insert(kind.kind);
  for (const auto& [name, metrics] : snapshot.metrics.kinds) names.insert(name);
  json.key("kinds").begin_array();
  for (const std::string& name : names) write_kind(json, name, snapshot);
  json.end_array();
}

void write_known_keys(JsonWriter& json, Members& members, const EngineSnapshot& snapshot) {
  members.seconds("uptime_secs", snapshot.uptime_ns);
  write_memory(json, snapshot);
  json.key("synthesis");
  Members(json).count("max_concurrent", snapshot.max_witnesses).count("active", snapshot.witnesses);
  write_pipelines(json, snapshot);
  write_workers(json, snapshot);
  json.key("allocations");
  {
    const Members allocations(json);
    write_residents(json, "srs", snapshot.keys);
    write_residents(json, "pce", snapshot.circuits);
  }
  write_counters(json, snapshot);
  write_buffers(json, snapshot);
}

void write_new_keys(JsonWriter& json, Members& members, const EngineSnapshot& snapshot, const ServiceFacts& facts) {
  std::vector<std::string> warnings = facts.warnings;
  if (!snapshot.journal_trouble.empty()) warnings.push_back(snapshot.journal_trouble);
  for (const engine::DeviceSnapshot& device : snapshot.devices) {
    if (device.is_ill) warnings.push_back(device.name + " is ill, only a new process heals it: " + device.trouble);
  }
  members.text("version", facts.version)
      .flag("ready", facts.ready)
      .flag("accepting", snapshot.accepting)
      .count("unwritten_ends", snapshot.unwritten_ends)
      .list("warnings", warnings, [&](const std::string& warning) { json.string(warning); });
  write_pool(json, snapshot);
  members.list("queues", snapshot.queues, [&](const engine::QueueSnapshot& queue) {
    Members(json)
        .text("name", queue.name)
        .count("length", queue.length)
        .count("capacity", queue.capacity)
        .seconds("oldest_secs", queue.oldest_ns);
  });
  members.list("devices", snapshot.devices,
               [&](const engine::DeviceSnapshot& device) { write_device(json, device, snapshot.now_ns); });
  members.list("jobs", shown_jobs(snapshot.jobs, kShownEndedJobs),
               [&](const JobStatus* job) { write_job(json, *job, snapshot.now_ns, true); });
  write_failures(json, snapshot);
  write_kinds(json, snapshot);
}

}  // namespace

std::vector<const JobStatus*> shown_jobs(const std::vector<JobStatus>& jobs, std::size_t ended) {
  std::vector<std::uint64_t> ends;
  for (const JobStatus& job : jobs) {
    if (!job.is_open()) ends.push_back(job.timeline.finished_ns);
  }
  std::ranges::sort(ends, std::ranges::greater{});
  const std::uint64_t oldest = ends.size() > ended ? ends[ended] + 1 : 0;
  std::vector<const JobStatus*> shown;
  for (const JobStatus& job : jobs) {
    if (job.is_open() || job.timeline.finished_ns >= oldest) shown.push_back(&job);
  }
  return shown;
}

std::string status_json(const EngineSnapshot& snapshot, const ServiceFacts& facts) {
  JsonWriter json;
  {
    Members members(json);
    write_known_keys(json, members, snapshot);
    write_new_keys(json, members, snapshot, facts);
  }
  return json.take();
}

std::string jobs_json(const std::vector<JobStatus>& jobs, std::uint64_t now_ns) {
  JsonWriter json;
  json.begin_object().key("jobs").begin_array();
  for (const JobStatus& job : jobs) write_job(json, job, now_ns, false);
  json.end_array().end_object();
  return json.take();
}

std::string job_json(const JobStatus& job, std::uint64_t now_ns) {
  JsonWriter json;
  write_job(json, job, now_ns, true);
  return json.take();
}

}  // namespace cuzk::server
