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
    former_ = set_log_sink([this](const LogRecord& record) {
      levels.push_back(record.level);
      lines.push_back(format_record(record, form));
    });
  }
  ~LogTest() override {
    set_log_level(LogLevel::info);
    set_log_sink(std::move(former_));
  }

  LogForm form = LogForm::text;

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
  log_info("\xc2\x9b[31m \xc2\xa0");  // a terminal's control of two bytes, and a space
  EXPECT_TRUE(lines.at(1).ends_with(" \\xc2\\x9b[31m \xc2\xa0")) << lines[1];
  log_info("turned \u202e \u061c ended \u2028 and \u2026");
  EXPECT_TRUE(lines.at(2).ends_with("turned \\xe2\\x80\\xae \\xd8\\x9c ended \\xe2\\x80\\xa8 and \u2026")) << lines[2];
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

TEST_F(LogTest, NamesTheJob) {
  log_info("proved", {.job = "porep-1000-1", .partition = 3});
  log_info("done", {.job = "wdpost-1000-0-[1 2]"});
  EXPECT_TRUE(lines[0].ends_with(" info proved job=porep-1000-1 partition=3")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(" info done job=\"wdpost-1000-0-[1 2]\"")) << lines[1];
  log_info("done", {.job = R"(a" partition=9 job="b\)"});
  EXPECT_TRUE(lines[2].ends_with(R"( info done job="a\" partition=9 job=\"b\\")")) << lines[2];
}

TEST_F(LogTest, LinesForMachines) {
  form = LogForm::json;
  log_warn("a \"b\"\n", {.job = "j", .partition = 0});
  EXPECT_EQ(shape(lines.at(0)),
            R"({"time":"0000-00-00T00:00:00.000Z","level":"warn","message":"a \"b\"\n","job":"j","partition":0})");
}

TEST_F(LogTest, DropsWhatIsBelowItsLevel) {
  log_debug("no");
  set_log_level(LogLevel::debug);
  log_trace("no");
  log_debug("yes");
  EXPECT_TRUE(log_enabled(LogLevel::debug));
  set_log_level(LogLevel::off);
  log_error("no");
  EXPECT_EQ(levels, std::vector{LogLevel::debug});
}

TEST(StderrSink, WritesLines) {
  ::testing::internal::CaptureStderr();
  stderr_sink(LogForm::text)({.level = LogLevel::error, .time = "now", .message = "loud", .about = {}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "now error loud\n");
}

}  // namespace
}  // namespace cuzk
