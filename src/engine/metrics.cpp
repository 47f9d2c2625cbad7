#include "engine/metrics.h"

#include <algorithm>

namespace cuzk::engine {

void Histogram::add(std::uint64_t ns) noexcept {
  const auto bound = std::ranges::find_if(kBoundsMs, [&](std::uint64_t ms) { return ns <= ms * 1'000'000; });
  ++buckets[static_cast<std::size_t>(bound - kBoundsMs.begin())];
  ++count;
  sum_ns += ns;
}

namespace {

void add(const backend::DeviceTimes& times, KindMetrics& values) {
  for (std::size_t i = 0; i < backend::kDevicePhases; ++i) {
    const auto phase = static_cast<backend::DevicePhase>(i);
    if (const std::uint64_t ns = times.ns(phase); ns != 0) values.device_phases[i].add(ns);
  }
  for (std::size_t i = 0; i < backend::kWays; ++i) {
    if (times.bytes[i] == 0) continue;
    values.crossed[i].bytes += times.bytes[i];
    values.crossed[i].ns += times.ns(phase_of(static_cast<backend::Way>(i)));
  }
}

}  // namespace

void Metrics::accepted(const std::string& kind) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].accepted;
}

void Metrics::joined(const std::string& kind) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].joined;
}

void Metrics::recovered(const std::string& kind) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].recovered;
}

void Metrics::refused() {
  const MutexLock lock(mutex_);
  ++values_.refused;
}

void Metrics::retried(const std::string& kind) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].partitions_retried;
}

void Metrics::fell_back(const std::string& kind) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].cpu_fallbacks;
}

void Metrics::rejected(const std::string& kind) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].proofs_rejected;
}

void Metrics::partition_proved(const std::string& kind, const PartitionTimeline& timeline) {
  const MutexLock lock(mutex_);
  KindMetrics& values = values_.kinds[kind];
  ++values.partitions_proved;
  if (!timeline.given_up.empty()) ++values.reduced_proofs;
  values.pinned_bytes += timeline.pinned_bytes;
  values.pageable_bytes += timeline.pageable_bytes;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const PhaseSpan& span = timeline.phases[phase];
    if (span.begin_ns != 0 && span.end_ns != 0) values.phases[phase].add(span.end_ns - span.begin_ns);
  }
  if (timeline.on_device != nullptr) add(*timeline.on_device, values);
}

void Metrics::completed(const std::string& kind, const JobTimeline& timeline) {
  const MutexLock lock(mutex_);
  KindMetrics& values = values_.kinds[kind];
  ++values.completed;
  values.job.add(timeline.finished_ns - timeline.accepted_ns);
  const auto add = [&](Phase phase, const PhaseSpan& span) {
    if (span.end_ns != 0) values.phases[static_cast<std::size_t>(phase)].add(span.end_ns - span.begin_ns);
  };
  add(Phase::decode, timeline.decode);
  add(Phase::check, timeline.check);
}

void Metrics::failed(const std::string& kind, store::FailureClass failure) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].failed[static_cast<std::size_t>(failure)];
}

void Metrics::cancelled(const std::string& kind) {
  const MutexLock lock(mutex_);
  ++values_.kinds[kind].cancelled;
}

MetricsSnapshot Metrics::snapshot() const {
  const MutexLock lock(mutex_);
  return values_;
}

}  // namespace cuzk::engine
