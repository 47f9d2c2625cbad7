// Metrics: what has happened since the start, as counters and histograms that only grow; made from timelines.
//
// How many are running, waiting, resident now is no metric: the snapshot counts the live objects. Units: nanoseconds.
// Thread-safety: Metrics concurrently; the rest values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "engine/timeline.h"
#include "store/job.h"
#include "support/mutex.h"

namespace cuzk::engine {

struct Histogram {
  /// Upper bounds in milliseconds; the last bucket has none.
  static constexpr std::array<std::uint64_t, 17> kBoundsMs = {
      1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 180000, 600000, 1800000};
  std::array<std::uint64_t, kBoundsMs.size() + 1> buckets{};  // not cumulative
  std::uint64_t count = 0;
  std::uint64_t sum_ns = 0;

  void add(std::uint64_t ns) noexcept;
};

/// To devices, in one way.
struct Crossed {
  std::uint64_t bytes = 0;
  std::uint64_t ns = 0;
};

struct KindMetrics {
  std::uint64_t accepted = 0;
  std::uint64_t joined = 0;     // submits that found their job running or finished
  std::uint64_t recovered = 0;  // of a former process
  std::uint64_t completed = 0;
  std::uint64_t cancelled = 0;
  std::array<std::uint64_t, 3> failed{};  // by store::FailureClass
  std::uint64_t partitions_proved = 0;
  std::uint64_t partitions_retried = 0;
  std::uint64_t cpu_fallbacks = 0;    // attempts at partitions on the CPU in place of an accelerator
  std::uint64_t reduced_proofs = 0;   // for which something was given up for want of a device's memory
  std::uint64_t proofs_rejected = 0;  // did not verify and were not delivered
  std::uint64_t pinned_bytes = 0;
  std::uint64_t pageable_bytes = 0;
  std::array<Crossed, backend::kWays> crossed{};
  Histogram job;                            // accepted to finished, completed jobs
  std::array<Histogram, kPhases> phases{};  // of partitions; decode and check of jobs
  std::array<Histogram, backend::kDevicePhases> device_phases{};

  std::uint64_t failures() const noexcept { return failed[0] + failed[1] + failed[2]; }
};

struct MetricsSnapshot {
  std::map<std::string, KindMetrics> kinds;
  std::uint64_t refused = 0;  // submits without room
};

class Metrics {
 public:
  void accepted(const std::string& kind);
  void joined(const std::string& kind);
  void recovered(const std::string& kind);
  void refused();
  void retried(const std::string& kind);
  void fell_back(const std::string& kind);
  void rejected(const std::string& kind);
  void partition_proved(const std::string& kind, const PartitionTimeline& timeline);
  void completed(const std::string& kind, const JobTimeline& timeline);
  void failed(const std::string& kind, store::FailureClass failure);
  void cancelled(const std::string& kind);
  MetricsSnapshot snapshot() const;

 private:
  mutable Mutex mutex_;
  MetricsSnapshot values_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::engine
