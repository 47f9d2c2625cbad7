#include "support/progress.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;

class ProgressTest : public ::testing::Test {
 protected:
  Progress::Output output(bool terminal) {
    return {.write = [this](std::string_view text) { writes.emplace_back(text); },
            .terminal = terminal,
            .now_ns = [this] { return now.load(); }};
  }

  std::atomic<std::uint64_t> now = 7 * kSecond;
  std::vector<std::string> writes;
};

TEST_F(ProgressTest, IsSilentForASecond) {
  Progress progress(output(true));
  progress.begin("msm h", 100);
  now += kSecond - 1;
  progress.advance(50);
  progress.end();
  EXPECT_TRUE(writes.empty());
}

TEST_F(ProgressTest, RepaintsOneLineTenTimesASecond) {
  Progress progress(output(true));
  progress.begin("msm h", 200);
  now += kSecond;
  progress.advance(84);
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0], "\r\x1b[Kmsm h 42% 1.0 s");
  now += 99 * kMillisecond;
  progress.advance(1);
  EXPECT_EQ(writes.size(), 1U);
  now += kMillisecond;
  progress.advance(500);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[1], "\r\x1b[Kmsm h 100% 1.1 s") << "never above 100";
  progress.end();
  EXPECT_EQ(writes.back(), "\r\x1b[K");
  progress.end();
  EXPECT_EQ(writes.size(), 3U);
}

TEST_F(ProgressTest, WritesALineEachTenSecondsElsewhere) {
  Progress progress(output(false));
  progress.begin("reading");
  now += 9 * kSecond;
  progress.advance(1);
  EXPECT_TRUE(writes.empty());
  now += kSecond;
  progress.advance(1);
  progress.end();
  EXPECT_EQ(writes, (std::vector<std::string>{"reading 10.0 s\n"}));
}

TEST_F(ProgressTest, AStageEndsTheOneBefore) {
  Progress progress(output(true));
  progress.begin("a", 10);
  now += 2 * kSecond;
  progress.advance(10);
  progress.begin("b", 10);
  EXPECT_EQ(writes.back(), "\r\x1b[K");
  now += kSecond;
  progress.advance(5);
  EXPECT_EQ(writes.back(), "\r\x1b[Kb 50% 1.0 s");
}

TEST_F(ProgressTest, ThreadsMayAdvance) {
  Progress progress(output(true));
  progress.begin("work", 4000);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          now += kMillisecond;
          progress.advance(1);
        }
      });
    }
  }
  now += kSecond;
  progress.advance(0);
  EXPECT_TRUE(writes.back().starts_with("\r\x1b[Kwork 100%")) << writes.back();
}

TEST_F(ProgressTest, NoProgressIsNoWork) {
  const ProgressRef silent;
  silent.begin("x", 1);
  silent.advance(1);
  silent.end();
  Progress progress(output(true));
  const ProgressRef shown = &progress;
  shown.begin("x", 2);
  now += kSecond;
  shown.advance(1);
  shown.end();
  EXPECT_EQ(writes, (std::vector<std::string>{"\r\x1b[Kx 50% 1.0 s", "\r\x1b[K"}));
}

}  // namespace
}  // namespace cuzk
