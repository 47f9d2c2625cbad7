// Estimates: how long a partition takes on a device, from those that were proven there.
//
// A circuit's time on a device is a moving mean over its partitions (witness to verification, without waits). A circuit
// that was not proven there yet is taken to be as slow, by its working memory, as the slowest that was. For a CPU that
// has proven nothing there is a first guess. Times are nanoseconds. Lock rank: 70. Thread-safety: concurrently.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/proving_circuit.h"
#include "engine/timeline.h"
#include "support/mutex.h"

namespace cuzk::engine {

/// Of the work on one partition, without its waits.
std::uint64_t work_ns(const PartitionTimeline& timeline) noexcept;

class Estimates {
 public:
  /// `cores`: that a CPU device computes on.
  explicit Estimates(unsigned cores) noexcept : cores_(cores) {}

  void note(const ProvingCircuit& circuit, unsigned device, std::uint64_t ns);
  /// Of a partition alone. None: an accelerator that has proven nothing.
  std::optional<std::uint64_t> partition_ns(const ProvingCircuit& circuit, const Device& device) const;
  /// Of what was proven on it lately. None: nothing was.
  std::optional<std::uint64_t> mean_ns(unsigned device) const;

 private:
  struct Measured {
    double ns = 0;
    double bytes = 0;  // of working memory
  };
  using Key = std::pair<unsigned, std::string>;  // device, circuit

  const unsigned cores_;
  mutable Mutex mutex_;
  std::map<Key, Measured> circuits_ CUZK_GUARDED_BY(mutex_);
  std::map<unsigned, double> means_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::engine
