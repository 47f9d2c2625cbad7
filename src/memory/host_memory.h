// HostMemory: how much memory this process may use, and what of the system's settings is in the way.
//
// Read once at the start from /proc, the process's cgroup (version 2 or 1, and all groups above it) and getrlimit.
// Units: bytes. What cannot be read is absent, never 0. Errors: invalid_argument (a setting that cannot be meant).
// Thread-safety: pure functions of the files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/log.h"
#include "support/result.h"

namespace cuzk::memory {

struct HostMemory {
  std::optional<std::uint64_t> total_bytes;          // MemTotal
  std::optional<std::uint64_t> swap_bytes;           // SwapTotal
  std::optional<std::uint64_t> cgroup_limit_bytes;   // the smallest on the way to the root; absent: no limit
  std::string cgroup_limit_file;                     // where it stands
  std::optional<std::uint64_t> memlock_limit_bytes;  // RLIMIT_MEMLOCK, soft; absent: unlimited
  bool may_exceed_memlock = false;                   // CAP_IPC_LOCK
  std::optional<std::uint64_t> address_space_bytes;  // RLIMIT_AS, soft; absent: unlimited
  std::string huge_pages;                            // "always", "madvise", "never"; empty: unknown

  /// The least of total and cgroup limit: more than that cannot be had.
  std::optional<std::uint64_t> usable_bytes() const noexcept;
};

/// `root` is put before /proc and /sys: a test's own.
HostMemory read_host_memory(const std::string& root = {});

/// The budget's total: "auto" is usable_bytes() less the margin, anything else is a size (memory_size.h).
Result<std::uint64_t> resolve_budget_total(std::string_view setting, std::uint64_t margin_bytes,
                                           const HostMemory& host);

struct HostFinding {
  LogLevel level;
  std::string sentence;
};

struct MemoryPlan {
  std::uint64_t budget_bytes = 0;
  std::optional<std::uint64_t> pinned_limit_bytes = std::nullopt;
  bool uses_mlock = true;  // false: a device's driver locks pages by its own way
};

/// What an operator should know before the first job, each in a sentence of its own; the first one says what was found.
std::vector<HostFinding> check_host_memory(const HostMemory& host, const MemoryPlan& plan);

}  // namespace cuzk::memory
