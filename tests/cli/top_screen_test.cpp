#include "cli/top_screen.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/job_progress.h"
#include "cli/table.h"

namespace cuzk::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TopView example() {
  TopView view;
  view.address = "unix:///run/x.sock";
  view.state.version = "1.2.3";
  view.state.uptime_seconds = 7300;
  view.state.completed = 12;
  view.state.failed = 1;
  view.state.queues = {{"porep-c2", 2, 1}, {"window-post", 3, 0}};
  view.state.memory.total_bytes = std::uint64_t{8} << 30;
  view.state.memory.used_bytes = std::uint64_t{2} << 30;
  view.state.memory.uses = {{"key", std::uint64_t{1} << 30}, {"abc", 0}};
  view.state.stages = {{"decode", 1, 4, 1500}};
  view.state.devices = {{.ordinal = 0,
                         .name = "cpu",
                         .is_cpu = true,
                         .proofs = 5,
                         .max_in_flight = 2,
                         .in_flight = {{"job-1", "porep-c2", 3, 2500}}}};
  view.jobs = {{.job_id = "old", .kind = "circom", .circuit = "k", .state = "failed", .error = "wrong witness"},
               {.job_id = "job-1",
                .kind = "porep-c2",
                .circuit = "porep-2k",
                .priority = "normal",
                .state = "running",
                .partitions = 6,
                .finished_partitions = 1,
                .progress = {{.index = 0, .stage = "done"},
                             {.index = 1, .stage = "proving"},
                             {.index = 2, .stage = "finishing"},
                             {.index = 3, .stage = "queued"},
                             {.index = 4, .stage = "witness"},
                             {.index = 5, .stage = "waiting"}}}};
  view.per_minute = 4.25;
  return view;
}

TEST(TopScreen, HasWhatTheServiceSays) {
  const std::string screen = top_screen(example(), {.columns = 120, .rows = 40}, false);
  for (const char* text : {"cuzk 1.2.3", "unix:///run/x.sock", "up 2 h", "5 waiting, 1 running, 12 completed, 1 failed",
                           "4.2 a minute", "2.00 GiB of 8.00 GiB", "key 1.00 GiB", "decode 1/4 (1.50 s)", "0 cpu",
                           "1/2  job-1:3 2.50 s", "1/6 #PFqw.", "wrong witness"}) {
    EXPECT_THAT(screen, HasSubstr(text));
  }
  EXPECT_THAT(screen, Not(HasSubstr("abc")));
  EXPECT_LT(screen.find("job-1  "), screen.find("old"));  // open ones first
}

TEST(TopScreen, FitsEveryTerminal) {
  const TopView view = example();
  for (const unsigned columns : {1U, 7U, 20U, 39U, 80U}) {
    for (const unsigned rows : {1U, 2U, 5U, 9U, 12U, 24U}) {
      std::istringstream lines(top_screen(view, {.columns = columns, .rows = rows}, false));
      unsigned count = 0;
      for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(width_of(line), columns);
      EXPECT_LE(count, rows);
    }
  }
}

TEST(TopScreen, StylesTakeNoRoomAndNamesSteerNothing) {
  TopView view = example();
  view.jobs[1].job_id =
      "\033[2Jevil\n\x9b"
      "\xc2\x9b";
  const std::string plain = top_screen(view, {.columns = 80, .rows = 24}, false);
  EXPECT_THAT(plain, Not(HasSubstr("\033")));
  EXPECT_THAT(plain, Not(HasSubstr("\xc2\x9b")));
  EXPECT_THAT(plain, HasSubstr("?[2Jevil?"));
  EXPECT_THAT(top_screen(view, {.columns = 80, .rows = 24}, true), HasSubstr("\033[7m"));
}

TEST(TopScreen, ALostServiceIsShown) {
  TopView view = example();
  view.problem = "no service answers";
  EXPECT_THAT(top_screen(view, {.columns = 100, .rows = 10}, false), HasSubstr("no service answers"));
}

TEST(JobProgress, IsOneLine) {
  client::JobState job = example().jobs[1];
  EXPECT_EQ(progress_text(job), "porep-c2 porep-2k: 1 of 6 partitions, 1 witness, 1 queued, 1 proving, 1 finishing");
  job.state = "accepted";
  EXPECT_EQ(progress_text(job), "porep-c2 porep-2k: waiting");
  job.decoding = true;
  EXPECT_EQ(progress_text(job), "porep-c2 porep-2k: decoding");
}

TEST(Table, ColumnsAreAsWideAsTheirTexts) {
  Table table({"A", "LONG"});
  EXPECT_TRUE(table.empty());
  table.add({"größer", "x"});
  table.add({"b", ""});
  EXPECT_EQ(table.text(), "A       LONG\ngrößer  x\nb");
}

}  // namespace
}  // namespace cuzk::cli
