#include "engine/estimates.h"

#include <algorithm>

namespace cuzk::engine {

namespace {

/// Of the newest value: what is slow by accident is forgotten after some proofs, what has become slow is soon known.
constexpr double kWeight = 0.25;

/// Time of one core for a byte of working memory: a proof of 2^18 constraints took 4.6 s of CPU time and 51 MB.
constexpr double kGuessedCoreNsPerByte = 100;

double moved(double mean, double value) noexcept { return mean + kWeight * (value - mean); }

double bytes_of(const ProvingCircuit& circuit) noexcept {
  return static_cast<double>(std::max<std::uint64_t>(circuit.sizes().working_bytes(), 1));
}

}  // namespace

std::uint64_t work_ns(const PartitionTimeline& timeline) noexcept {
  std::uint64_t sum = 0;
  for (const Phase phase : {Phase::witness, Phase::evaluate, Phase::start, Phase::finish, Phase::verify}) {
    const PhaseSpan& span = timeline[phase];
    sum += span.duration_ns(span.end_ns);
  }
  return sum;
}

void Estimates::note(const ProvingCircuit& circuit, unsigned device, std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  const MutexLock lock(mutex_);
  const auto [entry, first] = circuits_.try_emplace({device, circuit.id()});
  Measured& measured = entry->second;
  measured = {.ns = first ? value : moved(measured.ns, value), .bytes = bytes_of(circuit)};
  const auto [mean, none_yet] = means_.try_emplace(device, value);
  if (!none_yet) mean->second = moved(mean->second, value);
}

std::optional<std::uint64_t> Estimates::partition_ns(const ProvingCircuit& circuit, const Device& device) const {
  const MutexLock lock(mutex_);
  if (const auto known = circuits_.find({device.ordinal, circuit.id()}); known != circuits_.end()) {
    return static_cast<std::uint64_t>(known->second.ns);
  }
  double ns_per_byte = 0;
  for (const auto& [key, measured] : circuits_) {
    if (key.first == device.ordinal) ns_per_byte = std::max(ns_per_byte, measured.ns / measured.bytes);
  }
  if (ns_per_byte == 0 && device.is_cpu) ns_per_byte = kGuessedCoreNsPerByte / std::max(cores_, 1U);
  if (ns_per_byte == 0) return std::nullopt;
  return static_cast<std::uint64_t>(ns_per_byte * bytes_of(circuit));
}

std::optional<std::uint64_t> Estimates::mean_ns(unsigned device) const {
  const MutexLock lock(mutex_);
  const auto mean = means_.find(device);
  return mean == means_.end() ? std::nullopt : std::optional(static_cast<std::uint64_t>(mean->second));
}

}  // namespace cuzk::engine
