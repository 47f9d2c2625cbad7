// What the log tells of a job: a line at each change of its state, with the job's id.
#include "support/log.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/process.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// Catches the log while it lives.
class Caught {
 public:
  Caught()
      : former_(set_log_sink([this](const LogRecord& record) {
          const MutexLock lock(mutex_);
          lines_.push_back({std::string(record.message), std::string(record.about.job), record.about.partition});
        })) {
    set_log_level(LogLevel::debug);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;
  ~Caught() {
    set_log_level(LogLevel::info);
    set_log_sink(std::move(former_));
  }

  /// Of a job, with "<partition>: " before the message where it has one.
  std::vector<std::string> of(const std::string& job) const {
    const MutexLock lock(mutex_);
    std::vector<std::string> texts;
    for (const Line& line : lines_) {
      if (line.job != job) continue;
      texts.push_back((line.partition ? std::to_string(*line.partition) + ": " : "") + line.message);
    }
    return texts;
  }

 private:
  struct Line {
    std::string message, job;
    std::optional<std::uint32_t> partition;
  };
  mutable Mutex mutex_;
  std::vector<Line> lines_ CUZK_GUARDED_BY(mutex_);
  LogSink former_;
};

TEST(EngineLog, EveryStateOfAJob) {
  const Caught log;
  World world;
  World::result(world.submit("job"));
  EXPECT_THAT(log.of("job"), ElementsAre("accepted", "decoding", "0: loading a", "0: witness", "0: queued",
                                         "0: on device fake 0", "0: finishing", "0: verifying", "0: partition proved",
                                         "delivering", AllOf(StartsWith("completed in "), EndsWith("; circuit a"))));
}

TEST(EngineLog, FailuresAndRetries) {
  const Caught log;
  World world;
  static_cast<void>(must(world.engine->preload("a")));
  world.script.fail_next(At::start, Code::device, 2);
  World::result(world.submit("job"));
  EXPECT_THAT(log.of("job"), ElementsAre("accepted", "decoding", "0: witness", "0: queued", "0: on device fake 0",
                                         HasSubstr("0: is tried again: on fake 0: "), "0: witness", "0: queued",
                                         "0: on device fake 0", StartsWith("failed (transient): ")));
  World::result(world.submit("bad"));
  EXPECT_THAT(log.of("bad"),
              ElementsAre("accepted", "decoding", AllOf(StartsWith("failed (caller): "), EndsWith("; circuit a"))));
}

/// Whoever runs the service hears of it, and not with each of a thousand jobs.
TEST(EngineLog, ThatJobsCannotBeKeptIsToldOnceUntilItIsOver) {
  const cuzk::test::TemporaryFolder folder;
  Process process(folder.path());
  Engine& engine = *process.world.engine;
  const Caught log;
  std::filesystem::remove_all(folder.file("spool"));
  for (const char* job : {"first", "second"}) EXPECT_FALSE(engine.submit(World::request(job)));
  EXPECT_THAT(engine.snapshot().journal_trouble, HasSubstr("cannot be kept: cannot open " + folder.file("spool")));
  std::filesystem::create_directory(folder.file("spool"));
  World::result(process.world.submit("third"));
  EXPECT_EQ(engine.snapshot().journal_trouble, "");
  EXPECT_THAT(log.of(""), ElementsAre(HasSubstr("a job was not accepted"), "jobs can be kept again"));
}

TEST(EngineLog, Cancelled) {
  const Caught log;
  World world;
  world.script.hold(At::read);
  const JobHandle job = world.submit("job");
  ASSERT_TRUE(world.script.wait_for(At::read, 1));
  EXPECT_TRUE(must(world.engine->cancel("job")));
  World::result(job);
  world.engine.reset();
  EXPECT_THAT(log.of("job"), ElementsAre("accepted", "decoding", "cancelled"));
}

}  // namespace
}  // namespace cuzk::engine::test
