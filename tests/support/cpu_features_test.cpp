#include "support/cpu_features.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "support/cpu_path_scope.h"
#include "tests/support/must.h"

namespace cuzk {
namespace {

constexpr CpuFeatures kOld{};
constexpr CpuFeatures kNoLanes{.bmi2 = true, .adx = true, .avx512_ifma = false, .sha = true};
constexpr CpuFeatures kNew{.bmi2 = true, .adx = true, .avx512_ifma = true, .sha = true};

/// The flags that the kernel found in the same processor.
std::set<std::string> kernel_flags() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(CpuFeatures, AgreeWithTheKernel) {
  const std::set<std::string> flags = kernel_flags();
  if (flags.empty()) GTEST_SKIP() << "no x86 flags in /proc/cpuinfo";
  const CpuFeatures& features = cpu_features();
  EXPECT_EQ(features.bmi2, flags.contains("bmi2"));
  EXPECT_EQ(features.adx, flags.contains("adx"));
  EXPECT_EQ(features.sha, flags.contains("sha_ni"));
  EXPECT_EQ(features.avx512_ifma, flags.contains("avx512ifma") && flags.contains("avx512vl"));
}

TEST(CpuPath, AutoTakesTheBest) {
  for (const char* const word : {static_cast<const char*>(nullptr), "", "auto"}) {
    EXPECT_EQ(test::must(select_cpu_path(word, kNew)), CpuPath::ifma);
    EXPECT_EQ(test::must(select_cpu_path(word, kNoLanes)), CpuPath::adx);
    EXPECT_EQ(test::must(select_cpu_path(word, kOld)), CpuPath::portable);
  }
  EXPECT_EQ(best_cpu_path({.bmi2 = false, .adx = true, .avx512_ifma = true, .sha = false}), CpuPath::portable);
}

TEST(CpuPath, ASettingIsObeyedOrRefused) {
  EXPECT_EQ(test::must(select_cpu_path("portable", kNew)), CpuPath::portable);
  EXPECT_EQ(test::must(select_cpu_path("adx", kNew)), CpuPath::adx);
  EXPECT_EQ(test::must(select_cpu_path("ifma", kNew)), CpuPath::ifma);
  for (const auto& [word, features] : {std::pair("adx", kOld), {"ifma", kOld}, {"ifma", kNoLanes}}) {
    const auto impossible = select_cpu_path(word, features);
    ASSERT_FALSE(impossible);
    EXPECT_EQ(impossible.error().code(), Code::invalid_argument);
    EXPECT_NE(impossible.error().message().find(word), std::string::npos);
  }
  const auto unknown = select_cpu_path("sse9", kNew);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), Code::invalid_argument);
  EXPECT_NE(unknown.error().message().find("sse9"), std::string::npos);
}

TEST(CpuPath, ActiveIsPossible) { EXPECT_TRUE(select_cpu_path(std::string(to_string(active_cpu_path())).c_str())); }

TEST(CpuPath, AScopeIsOfItsThread) {
  const CpuPath own = process_cpu_path();
  {
    const CpuPathScope portable(CpuPath::portable);
    EXPECT_EQ(active_cpu_path(), CpuPath::portable);
    {
      const CpuPathScope inner(own);
      EXPECT_EQ(active_cpu_path(), own);
    }
    EXPECT_EQ(active_cpu_path(), CpuPath::portable);
    EXPECT_EQ(process_cpu_path(), own);
    std::jthread([&] { EXPECT_EQ(active_cpu_path(), own); }).join();
  }
  EXPECT_EQ(active_cpu_path(), own);
}

}  // namespace
}  // namespace cuzk
