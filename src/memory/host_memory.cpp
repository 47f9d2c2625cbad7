#include "memory/host_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include <sys/resource.h>

#include "memory/memory_size.h"

namespace cuzk::memory {

namespace {

constexpr std::uint64_t kNoLimitOfVersion1 = std::uint64_t{1} << 62;  // "no limit" there is 2^63 less a page
constexpr unsigned kCapIpcLock = 14;                                  // linux/capability.h

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::optional<std::uint64_t> parse_number(std::string_view text, int base = 10) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// What follows "name" at the beginning of a line.
std::optional<std::string> line_after(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name)) return line.substr(name.size());
  }
  return std::nullopt;
}

std::optional<std::uint64_t> kib_of(const std::optional<std::string>& text, std::string_view name) {
  const auto rest = text ? line_after(*text, name) : std::nullopt;
  const auto kib = rest ? parse_number(*rest) : std::nullopt;
  if (!kib) return std::nullopt;
  return *kib * kKiB;
}

struct Group {
  std::string mount;  // of its hierarchy
  std::string path;   // in it, "/a/b"
  std::string_view limit_file;
};

/// The process's memory group of /proc/self/cgroup: lines "0::/path" (version 2), "5:memory:/path" (version 1).
std::vector<Group> memory_groups(const std::string& root) {
  std::vector<Group> groups;
  std::istringstream lines(read_text(root + "/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") groups.push_back({root + "/sys/fs/cgroup", path, "memory.max"});
    if (controllers.find(",memory,") != std::string::npos) {
      groups.push_back({root + "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"});
    }
  }
  return groups;
}

void take_limit(HostMemory& host, const std::string& file) {
  const auto text = read_text(file);
  const auto limit = text ? parse_number(*text) : std::nullopt;  // "max" is no number
  if (!limit || *limit >= kNoLimitOfVersion1) return;
  if (host.cgroup_limit_bytes && *host.cgroup_limit_bytes <= *limit) return;
  host.cgroup_limit_bytes = limit;
  host.cgroup_limit_file = file;
}

/// Every group from the process's own up to the root limits it. Inside a container the path may be the host's and not
/// exist; the root of the mount is then the container's own group.
void read_cgroup(HostMemory& host, const std::string& root) {
  for (Group& group : memory_groups(root)) {
    while (!group.path.empty() && group.path != "/") {
      take_limit(host, group.mount + group.path + "/" + std::string(group.limit_file));
      group.path.erase(group.path.rfind('/'));
    }
    take_limit(host, group.mount + "/" + std::string(group.limit_file));
  }
}

std::optional<std::uint64_t> soft_limit(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return limit.rlim_cur;
}

bool has_capability(const std::string& root, unsigned capability) {
  const auto status = read_text(root + "/proc/self/status");
  const auto line = status ? line_after(*status, "CapEff:") : std::nullopt;
  const auto mask = line ? parse_number(*line, 16) : std::nullopt;
  return mask && ((*mask >> capability) & 1) != 0;
}

/// "always [madvise] never" -> "madvise".
std::string chosen_word(const std::optional<std::string>& text) {
  if (!text) return {};
  const auto begin = text->find('[');
  const auto end = text->find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return text->substr(begin + 1, end - begin - 1);
}

std::string size_or(const std::optional<std::uint64_t>& bytes, const char* otherwise) {
  return bytes ? format_memory_size(*bytes) : otherwise;
}

std::string summary(const HostMemory& host, const MemoryPlan& plan) {
  return "memory: budget " + format_memory_size(plan.budget_bytes) + ", machine " +
         size_or(host.total_bytes, "unknown") + ", cgroup limit " + size_or(host.cgroup_limit_bytes, "none") +
         ", swap " + size_or(host.swap_bytes, "unknown") + ", RLIMIT_MEMLOCK " +
         size_or(host.memlock_limit_bytes, "unlimited") + ", page-locked at most " +
         size_or(plan.pinned_limit_bytes, "what the budget allows") + ", huge pages " +
         (host.huge_pages.empty() ? "unknown" : host.huge_pages);
}

}  // namespace

std::optional<std::uint64_t> HostMemory::usable_bytes() const noexcept {
  if (!total_bytes) return cgroup_limit_bytes;
  return std::min(*total_bytes, cgroup_limit_bytes.value_or(*total_bytes));
}

HostMemory read_host_memory(const std::string& root) {
  HostMemory host;
  const auto meminfo = read_text(root + "/proc/meminfo");
  host.total_bytes = kib_of(meminfo, "MemTotal:");
  host.swap_bytes = kib_of(meminfo, "SwapTotal:");
  read_cgroup(host, root);
  host.memlock_limit_bytes = soft_limit(RLIMIT_MEMLOCK);
  host.address_space_bytes = soft_limit(RLIMIT_AS);
  host.may_exceed_memlock = has_capability(root, kCapIpcLock);
  host.huge_pages = chosen_word(read_text(root + "/sys/kernel/mm/transparent_hugepage/enabled"));
  return host;
}

Result<std::uint64_t> resolve_budget_total(std::string_view setting, std::uint64_t margin_bytes,
                                           const HostMemory& host) {
  if (setting != "auto") {
    CUZK_TRY(const std::uint64_t bytes, parse_memory_size(setting));
    if (bytes == 0) return fail(Code::invalid_argument, "a memory budget of 0 bytes");
    return bytes;
  }
  const auto usable = host.usable_bytes();
  if (!usable) {
    return fail(Code::invalid_argument,
                "the memory of this machine cannot be read (/proc/meminfo): give the budget a size instead of auto");
  }
  if (margin_bytes >= *usable) {
    return fail(Code::invalid_argument, "the safety margin, " + format_memory_size(margin_bytes) +
                                            ", leaves nothing of the " + format_memory_size(*usable) +
                                            " that this process may use");
  }
  return *usable - margin_bytes;
}

std::vector<HostFinding> check_host_memory(const HostMemory& host, const MemoryPlan& plan) {
  std::vector<HostFinding> findings;
  findings.push_back({LogLevel::info, summary(host, plan)});
  const auto warn = [&](std::string sentence) { findings.push_back({LogLevel::warn, std::move(sentence)}); };
  const std::uint64_t lockable = std::min(plan.budget_bytes, plan.pinned_limit_bytes.value_or(plan.budget_bytes));
  if (host.cgroup_limit_bytes && plan.budget_bytes > *host.cgroup_limit_bytes) {
    warn("the memory budget, " + format_memory_size(plan.budget_bytes) + ", is above the limit of the cgroup, " +
         format_memory_size(*host.cgroup_limit_bytes) + " (" + host.cgroup_limit_file +
         "): the kernel will kill the process when it is used; page-locked memory counts there too");
  } else if (host.total_bytes && plan.budget_bytes > *host.total_bytes) {
    warn("the memory budget, " + format_memory_size(plan.budget_bytes) + ", is above the machine's memory, " +
         format_memory_size(*host.total_bytes));
  }
  if (plan.uses_mlock && host.memlock_limit_bytes && *host.memlock_limit_bytes < lockable && !host.may_exceed_memlock) {
    warn("only " + format_memory_size(*host.memlock_limit_bytes) + " of " + format_memory_size(lockable) +
         " can be page-locked (RLIMIT_MEMLOCK): the rest will be ordinary memory, copies to devices will be slower; "
         "set LimitMEMLOCK=infinity in the unit, or ulimit -l unlimited");
  }
  if (const std::uint64_t swap = host.swap_bytes.value_or(0); swap > 0) {
    warn("swap of " + format_memory_size(swap) +
         " is on: keys that are not page-locked may be written to it and read back in the middle of a proof; a machine "
         "that proves alone should have none");
  }
  if (host.address_space_bytes && *host.address_space_bytes < plan.budget_bytes) {
    warn("the address space of the process is limited to " + format_memory_size(*host.address_space_bytes) +
         " (RLIMIT_AS), less than the memory budget: mapping keys will fail");
  }
  if (host.huge_pages == "never") {
    warn(
        "transparent huge pages are off (/sys/kernel/mm/transparent_hugepage/enabled): page-locking takes longer; "
        "madvise is enough");
  }
  return findings;
}

}  // namespace cuzk::memory
