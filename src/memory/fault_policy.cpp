#include "memory/fault_policy.h"

namespace cuzk::memory {

namespace {
constexpr std::size_t index(FaultSite site) noexcept { return static_cast<std::size_t>(site); }
}  // namespace

void ScriptedFaults::fail_next(FaultSite site, std::uint64_t count, std::uint64_t skip) {
  const MutexLock lock(mutex_);
  scripts_[index(site)].count = count;
  scripts_[index(site)].skip = skip;
}

void ScriptedFaults::set_rate(FaultSite site, double probability) {
  const MutexLock lock(mutex_);
  scripts_[index(site)].rate = probability;
}

std::uint64_t ScriptedFaults::asked(FaultSite site) const {
  const MutexLock lock(mutex_);
  return scripts_[index(site)].asked;
}

std::uint64_t ScriptedFaults::failed(FaultSite site) const {
  const MutexLock lock(mutex_);
  return scripts_[index(site)].failed;
}

bool ScriptedFaults::should_fail(FaultSite site, std::uint64_t /*bytes*/) noexcept {
  const MutexLock lock(mutex_);
  Script& script = scripts_[index(site)];
  ++script.asked;
  bool fails = false;
  if (script.count > 0) {
    if (script.skip > 0) {
      --script.skip;
    } else {
      --script.count;
      fails = true;
    }
  }
  fails = fails || (script.rate > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < script.rate);
  script.failed += fails ? 1 : 0;
  return fails;
}

}  // namespace cuzk::memory
