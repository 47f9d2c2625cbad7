#include "memory/host_memory.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/memory_size.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::memory {
namespace {

using cuzk::test::must;
using testing::HasSubstr;

class HostMemoryFiles : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_.path() / path.substr(1);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void machine_of(std::uint64_t gib, std::uint64_t swap_gib = 0) const {
    write("/proc/meminfo", "MemTotal:       " + std::to_string(gib * kMiB) +
                               " kB\nMemFree: 1 kB\nSwapTotal:      " + std::to_string(swap_gib * kMiB) + " kB\n");
  }
  HostMemory read() const { return read_host_memory(folder_.path().string()); }

  cuzk::test::TemporaryFolder folder_;
};

TEST_F(HostMemoryFiles, NothingReadableIsAbsent) {
  const HostMemory host = read();
  EXPECT_FALSE(host.total_bytes);
  EXPECT_FALSE(host.cgroup_limit_bytes);
  EXPECT_FALSE(host.usable_bytes());
  EXPECT_TRUE(host.huge_pages.empty());
  const auto total = resolve_budget_total("auto", 0, host);
  ASSERT_FALSE(total);
  EXPECT_EQ(total.error().code(), Code::invalid_argument);
}

TEST_F(HostMemoryFiles, MachineWithoutLimit) {
  machine_of(512);
  write("/proc/self/cgroup", "0::/system.slice/cuzk.service\n");
  write("/sys/fs/cgroup/system.slice/cuzk.service/memory.max", "max\n");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  const HostMemory host = read();
  EXPECT_EQ(host.usable_bytes(), 512 * kGiB);
  EXPECT_EQ(host.huge_pages, "madvise");
  EXPECT_EQ(must(resolve_budget_total("auto", 5 * kGiB, host)), 507 * kGiB);
  EXPECT_EQ(must(resolve_budget_total("1.5GiB", 5 * kGiB, host)), 1536 * kMiB);
  EXPECT_FALSE(resolve_budget_total("auto", 512 * kGiB, host));
  EXPECT_FALSE(resolve_budget_total("automatic", 0, host));
  EXPECT_FALSE(resolve_budget_total("0GiB", 0, host));
}

TEST_F(HostMemoryFiles, TheSmallestGroupOfVersion2Counts) {
  machine_of(512);
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/b/memory.max", std::to_string(300 * kGiB) + "\n");
  write("/sys/fs/cgroup/a/memory.max", std::to_string(200 * kGiB) + "\n");
  const HostMemory host = read();
  EXPECT_EQ(host.usable_bytes(), 200 * kGiB);
  EXPECT_THAT(host.cgroup_limit_file, HasSubstr("cgroup/a/memory.max"));
}

TEST_F(HostMemoryFiles, TheRootOfTheMountIsTheContainersGroup) {
  machine_of(512);
  write("/proc/self/cgroup", "0::/../not/here\n");
  write("/sys/fs/cgroup/memory.max", std::to_string(64 * kGiB) + "\n");
  EXPECT_EQ(read().usable_bytes(), 64 * kGiB);
}

TEST_F(HostMemoryFiles, Version1HasItsOwnHierarchyAndNumberForNoLimit) {
  machine_of(512);
  write("/proc/self/cgroup", "12:cpu,cpuacct:/x\n5:memory:/docker/1\n1:name=systemd:/x\n");
  write("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(read().cgroup_limit_bytes);
  write("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", std::to_string(32 * kGiB) + "\n");
  EXPECT_EQ(read().usable_bytes(), 32 * kGiB);
}

TEST_F(HostMemoryFiles, CapabilityToLockIsSeen) {
  write("/proc/self/status", "Name:\tcuzk\nCapEff:\t0000000000004000\n");
  EXPECT_TRUE(read().may_exceed_memlock);
  write("/proc/self/status", "Name:\tcuzk\nCapEff:\t0000000000003fff\n");
  EXPECT_FALSE(read().may_exceed_memlock);
}

TEST(HostMemoryFindings, QuietWhereAllIsWell) {
  HostMemory host;
  host.total_bytes = 512 * kGiB;
  host.swap_bytes = 0;
  const auto findings = check_host_memory(host, {.budget_bytes = 500 * kGiB});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].level, LogLevel::info);
  EXPECT_THAT(findings[0].sentence, HasSubstr("budget 500.0 GiB"));
}

TEST(HostMemoryFindings, NamesEachObstacle) {
  HostMemory host;
  host.total_bytes = 64 * kGiB;
  host.swap_bytes = 8 * kGiB;
  host.memlock_limit_bytes = 8 * kMiB;
  host.address_space_bytes = 16 * kGiB;
  host.cgroup_limit_bytes = 32 * kGiB;
  host.huge_pages = "never";
  const auto findings = check_host_memory(host, {.budget_bytes = 60 * kGiB});
  ASSERT_EQ(findings.size(), 6U);
  for (std::size_t i = 1; i < findings.size(); ++i) EXPECT_EQ(findings[i].level, LogLevel::warn);
  EXPECT_THAT(findings[1].sentence, HasSubstr("above the limit of the cgroup, 32.0 GiB"));
  EXPECT_THAT(findings[2].sentence, HasSubstr("only 8.0 MiB of 60.0 GiB can be page-locked (RLIMIT_MEMLOCK)"));
  EXPECT_THAT(findings[3].sentence, HasSubstr("swap of 8.0 GiB is on"));
  EXPECT_THAT(findings[4].sentence, HasSubstr("RLIMIT_AS"));
  EXPECT_THAT(findings[5].sentence, HasSubstr("huge pages are off"));
}

TEST(HostMemoryFindings, LockLimitMattersOnlyToMlock) {
  HostMemory host;
  host.memlock_limit_bytes = 8 * kMiB;
  EXPECT_EQ(check_host_memory(host, {.budget_bytes = kGiB, .uses_mlock = false}).size(), 1U);
  EXPECT_EQ(check_host_memory(host, {.budget_bytes = kGiB, .pinned_limit_bytes = 4 * kMiB}).size(), 1U);
  EXPECT_EQ(check_host_memory(host, {.budget_bytes = kGiB}).size(), 2U);
  host.may_exceed_memlock = true;
  EXPECT_EQ(check_host_memory(host, {.budget_bytes = kGiB}).size(), 1U);
}

TEST(HostMemory, ThisMachineCanBeRead) {
  const HostMemory host = read_host_memory();
  ASSERT_TRUE(host.usable_bytes());
  EXPECT_GT(*host.usable_bytes(), 64 * kMiB);
}

}  // namespace
}  // namespace cuzk::memory
