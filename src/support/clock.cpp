#include "support/clock.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include <sys/resource.h>

namespace cuzk {

namespace {

std::uint64_t nanoseconds(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

rusage usage_of_process() noexcept {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return {};
  return usage;
}

}  // namespace

std::uint64_t monotonic_ns() noexcept {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count());
}

std::uint64_t process_cpu_ns() noexcept {
  const rusage usage = usage_of_process();
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

std::uint64_t resident_bytes() noexcept {
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen("/proc/self/statm", "re"));
  unsigned long long resident_pages = 0;  // second number of the line, in pages (proc(5))
  if (!file || std::fscanf(file.get(), "%*s %llu", &resident_pages) != 1) return 0;
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t peak_resident_bytes() noexcept {
  return static_cast<std::uint64_t>(usage_of_process().ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace cuzk
