// A snapshot in which everything that can be there is there.
#pragma once

#include "engine/snapshot.h"

namespace cuzk::server {

inline constexpr std::uint64_t kBusySecond = 1'000'000'000;
inline constexpr std::uint64_t kBusyNow = 1'000 * kBusySecond;

/// A job of two partitions that was accepted 60 s ago: one done, one on a device for the second time.
inline engine::JobStatus running_job(std::string job_id, std::string kind = "porep-c2") {
  using engine::Phase;
  const std::uint64_t begin = kBusyNow - 60 * kBusySecond;
  engine::JobStatus job;
  job.job_id = std::move(job_id);
  job.label = "seal \"7\"";
  job.kind = std::move(kind);
  job.circuit = "porep-32g";
  job.state = engine::JobState::running;
  job.finished_partitions = 1;
  job.queue_position = 3;
  job.payload_bytes = 50'000'000;
  job.timeline.accepted_ns = begin;
  job.timeline.decode = {begin, begin + kBusySecond};
  job.timeline.check = {begin + kBusySecond, begin + 2 * kBusySecond};
  job.partitions.resize(2);
  std::uint64_t at = begin + 2 * kBusySecond;
  for (const Phase phase : {Phase::queue, Phase::key, Phase::memory, Phase::witness, Phase::evaluate,
                            Phase::device_queue, Phase::start, Phase::finish, Phase::verify}) {
    job.partitions[0].timeline[phase] = {at, at + 2 * kBusySecond};
    at += 2 * kBusySecond;
  }
  job.partitions[0].stage = engine::Stage::done;
  job.partitions[0].timeline.attempts = 1;
  job.partitions[0].timeline.device = "cpu";
  job.partitions[0].timeline.path = engine::MemoryPath::host;
  backend::DeviceTimes on_device;
  const std::uint64_t start = job.partitions[0].timeline[Phase::start].begin_ns;
  const auto add = [&](backend::DevicePhase phase, std::uint64_t from_ms, std::uint64_t to_ms) {
    on_device.spans.push_back({phase, start + from_ms * 1'000'000, start + to_ms * 1'000'000});
  };
  add(backend::DevicePhase::h2d_witness, 0, 10);
  add(backend::DevicePhase::split, 10, 11);
  add(backend::DevicePhase::ntt, 11, 60);
  add(backend::DevicePhase::msm_general, 11, 40);
  add(backend::DevicePhase::ntt, 60, 90);
  add(backend::DevicePhase::finish, 2500, 2501);
  job.partitions[0].timeline.on_device = std::make_shared<const backend::DeviceTimes>(std::move(on_device));
  job.partitions[1].stage = engine::Stage::proving;
  job.partitions[1].error = "the device was lost";
  job.partitions[1].instead = "instead of H100 (out of service)";
  job.partitions[1].failed = {{"H100", "the device was lost"}};
  job.partitions[1].timeline.attempts = 2;
  job.partitions[1].timeline.device = "H200";
  job.partitions[1].timeline.path = engine::MemoryPath::pinned;
  job.partitions[1].timeline.pinned_bytes = 4096;
  job.partitions[1].timeline[Phase::queue] = {begin + 30 * kBusySecond, begin + 31 * kBusySecond};
  job.partitions[1].timeline[Phase::witness] = {begin + 31 * kBusySecond, begin + 45 * kBusySecond};
  job.partitions[1].timeline[Phase::start] = {begin + 45 * kBusySecond, 0};
  return job;
}

inline engine::JobStatus failed_job(std::string job_id, std::uint64_t seconds_ago) {
  engine::JobStatus job;
  job.job_id = std::move(job_id);
  job.kind = "winning-post";
  job.circuit = "winning-32g";
  job.priority = engine::Priority::critical;
  job.state = engine::JobState::failed;
  job.error = "the vanilla proof is of another sector";
  job.failure = store::FailureClass::caller;
  job.timeline.accepted_ns = kBusyNow - (seconds_ago + 5) * kBusySecond;
  job.timeline.finished_ns = kBusyNow - seconds_ago * kBusySecond;
  job.partitions.resize(1);
  job.partitions[0].stage = engine::Stage::failed;
  return job;
}

inline engine::EngineSnapshot busy_snapshot() {
  engine::EngineSnapshot snapshot;
  snapshot.now_ns = kBusyNow;
  snapshot.uptime_ns = 2'500'000'000;
  snapshot.jobs = {failed_job("old", 600), running_job("porep-1000-7"), failed_job("new", 10)};
  snapshot.kinds = {{"porep-c2", 2, 1}, {"circom", 0, 0}, {"winning-post", 0, 0}};
  engine::KindMetrics& porep = snapshot.metrics.kinds["porep-c2"];
  porep.accepted = 9;
  porep.completed = 3;
  porep.failed = {1, 1, 0};
  porep.pinned_bytes = 4096;
  porep.cpu_fallbacks = 1;
  porep.reduced_proofs = 2;
  porep.job.add(40'000'000);
  porep.job.add(700'000'000'000);
  porep.phases[static_cast<std::size_t>(engine::Phase::witness)].add(2'000'000);
  porep.device_phases[static_cast<std::size_t>(backend::DevicePhase::msm_h)].add(730'000'000);
  porep.crossed[static_cast<std::size_t>(backend::Way::pinned_abc)] = {.bytes = 55'000, .ns = 1000};
  porep.crossed[static_cast<std::size_t>(backend::Way::key)] = {.bytes = 47'000'000'000, .ns = 2'000'000'000};
  snapshot.metrics.kinds["circom"].completed = 4;
  snapshot.metrics.refused = 2;
  snapshot.queues = {{"decode", 0, 256, 0}, {"device 0", 3, 4, kBusySecond}};
  engine::DeviceSnapshot device;
  device.name = "H200";
  device.is_cpu = false;
  device.max_in_flight = 2;
  device.busy_ns = 7 * kBusySecond;
  device.kernel_ns = 6 * kBusySecond;
  device.kernel_share = 0.9375;
  device.in_flight = {{"porep-1000-7", "porep-c2", 1, kBusyNow - 15 * kBusySecond}};
  device.memory = engine::DeviceSnapshot::Memory{1000, 900, 800, 700};
  snapshot.devices = {device, {}};
  snapshot.devices[1].ordinal = 1;
  snapshot.devices[1].name = "cpu";
  snapshot.devices[1].in_service = false;
  snapshot.devices[1].trouble = "a proof did not verify";
  snapshot.devices[1].max_in_flight = 1;
  snapshot.keys = {{"porep-32g", 0, false, 48'000'000'000, 1, kBusySecond, 3 * kBusySecond, false}};
  snapshot.circuits = {{"a \"key\"\\\nof circom", 0, true, 0, 0, 0, 0, true}};
  snapshot.witnesses = 1;
  snapshot.max_witnesses = 3;
  snapshot.memory.total = 64'000;
  snapshot.memory.used = 48'000;
  snapshot.memory.used_peak = 50'000;
  snapshot.memory.available = 16'000;
  snapshot.memory.by_tag[0] = {40'000, 40'000};
  snapshot.memory.waiting = {
      {memory::MemoryTag::witness, "porep-32g", 20'000, memory::Priority::normal, 3 * kBusySecond}};
  snapshot.memory.granted = 8;
  snapshot.memory.granted_after_waiting = 3;
  snapshot.payloads = {5000, 4000, 300, 20};
  snapshot.unwritten_ends = 3;
  snapshot.pool.emplace();
  snapshot.pool->hits = 5;
  snapshot.pool->misses = 2;
  snapshot.pool->fallbacks.refused = 1;
  return snapshot;
}

}  // namespace cuzk::server
