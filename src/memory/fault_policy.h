// FaultPolicy: lets any reservation, mapping or page-locking fail on purpose.
//
// The budget and its pool ask the policy before each such step; a step that it fails behaves exactly as if the system
// had refused. ScriptedFaults is for tests and for drills on a running daemon. Thread-safety: concurrently.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "support/mutex.h"

namespace cuzk::memory {

enum class FaultSite : std::uint8_t { reserve, map, page_lock };
inline constexpr std::size_t kFaultSites = 3;

class FaultPolicy {
 public:
  FaultPolicy() = default;
  FaultPolicy(const FaultPolicy&) = delete;
  FaultPolicy& operator=(const FaultPolicy&) = delete;
  virtual ~FaultPolicy() = default;

  /// Whether this step, over `bytes` bytes, fails.
  virtual bool should_fail(FaultSite site, std::uint64_t bytes) noexcept = 0;
};

/// Fails the n-th step after n - 1 good ones, a run of steps, or a share of all.
class ScriptedFaults final : public FaultPolicy {
 public:
  explicit ScriptedFaults(std::uint64_t seed = 0) : random_(seed) {}

  /// The next `count` steps at `site` fail, after `skip` that do not.
  void fail_next(FaultSite site, std::uint64_t count, std::uint64_t skip = 0);
  /// Each step at `site` fails with this probability, in [0, 1], drawn from the seed.
  void set_rate(FaultSite site, double probability);
  /// Steps that were asked about, and those that failed.
  std::uint64_t asked(FaultSite site) const;
  std::uint64_t failed(FaultSite site) const;

  bool should_fail(FaultSite site, std::uint64_t bytes) noexcept override;

 private:
  struct Script {
    std::uint64_t skip = 0;
    std::uint64_t count = 0;
    double rate = 0;
    std::uint64_t asked = 0;
    std::uint64_t failed = 0;
  };

  mutable Mutex mutex_;
  std::array<Script, kFaultSites> scripts_ CUZK_GUARDED_BY(mutex_);
  std::mt19937_64 random_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::memory
