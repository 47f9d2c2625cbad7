#include "support/log.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

/// Collects lines while a test runs.
class LogTest : public ::testing::Test {
 protected:
  LogTest() {
    former_ = set_log_sink([this](LogLevel level, std::string_view line) {
      levels.push_back(level);
      lines.emplace_back(line);
    });
  }
  ~LogTest() override { set_log_sink(std::move(former_)); }

  std::vector<LogLevel> levels;
  std::vector<std::string> lines;

 private:
  LogSink former_;
};

/// The line with every digit as 0.
std::string shape(std::string line) {
  std::replace_if(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; }, '0');
  return line;
}

TEST_F(LogTest, ALineHasTimeLevelAndMessage) {
  log_info("key loaded");
  log_warn("slow disk");
  log_error("no disk");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(shape(lines[0]), "0000-00-00T00:00:00.000Z info key loaded");
  EXPECT_TRUE(lines[1].ends_with(" warn slow disk"));
  EXPECT_TRUE(lines[2].ends_with(" error no disk"));
  EXPECT_EQ(levels, (std::vector{LogLevel::info, LogLevel::warn, LogLevel::error}));
}

TEST_F(LogTest, OneEventIsOneLine) {
  log_info("two\nlines\x1b[31m and \t caf\xc3\xa9");
  EXPECT_TRUE(lines.at(0).ends_with("two\\nlines\\x1b[31m and \\x09 caf\xc3\xa9")) << lines[0];
}

TEST_F(LogTest, ThreadsDoNotMixLines) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 100; ++i) log_info("same text");
      });
    }
  }
  EXPECT_EQ(lines.size(), 400U);
}

TEST_F(LogTest, AnEmptySinkIsSilence) {
  const LogSink collector = set_log_sink({});
  log_error("unheard");
  EXPECT_TRUE(lines.empty());
}

TEST(StderrSink, WritesLinesFromItsLevelOn) {
  const LogSink sink = stderr_sink(LogLevel::warn);
  ::testing::internal::CaptureStderr();
  sink(LogLevel::info, "quiet");
  sink(LogLevel::error, "loud");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "loud\n");
}

}  // namespace
}  // namespace cuzk
