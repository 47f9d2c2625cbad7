#include "server/movement.h"

#include <gtest/gtest.h>

namespace cuzk::server {
namespace {

using engine::Phase;
using engine::Stage;

constexpr std::uint64_t kSecond = 1'000'000'000;

/// Two devices and two running jobs of one partition each, which wait for their turn.
class MovementTest : public ::testing::Test {
 protected:
  MovementTest() {
    snapshot.devices.resize(2);
    snapshot.devices[0].name = "H200";
    snapshot.devices[0].is_cpu = false;
    snapshot.devices[1].name = "cpu";
    for (const char* id : {"first", "second"}) {
      engine::JobStatus job;
      job.job_id = id;
      job.circuit = std::string("circuit of ") + id;
      job.state = engine::JobState::running;
      job.partitions.resize(1);
      snapshot.jobs.push_back(job);
      enter(snapshot.jobs.size() - 1, Stage::waiting, Phase::queue);
    }
  }

  /// The job's partition ends what it was at and begins this.
  void enter(std::size_t job, Stage stage, Phase phase, const std::string& device = {}) {
    engine::PartitionStatus& partition = snapshot.jobs[job].partitions[0];
    for (engine::PhaseSpan& span : partition.timeline.phases) {
      if (span.begin_ns != 0 && span.end_ns == 0) span.end_ns = now;
    }
    partition.stage = stage;
    partition.timeline[phase] = {.begin_ns = now, .end_ns = 0};
    partition.timeline.device = device;
  }
  void prove(std::size_t job, const std::string& device) { enter(job, Stage::proving, Phase::start, device); }

  void wait_for_memory(std::size_t job) {
    enter(job, Stage::waiting, Phase::memory);
    snapshot.memory.waiting.resize(1);
  }

  /// Seconds later, in which so much of one processor was used, and so many bytes were read from disks in each.
  Motion after(std::uint64_t seconds, double share = 0, std::uint64_t rate = 0) {
    now += seconds * kSecond;
    use.cpu_ns += static_cast<std::uint64_t>(share * static_cast<double>(seconds * kSecond));
    use.read_bytes += rate * seconds;
    snapshot.now_ns = now;
    return movement.observe(snapshot, use);
  }

  Movement movement{std::chrono::minutes(1)};
  engine::EngineSnapshot snapshot;
  std::uint64_t now = 5 * kSecond;
  ProcessUse use;
};

TEST_F(MovementTest, OpenWorkThatStandsStillIsNoLife) {
  EXPECT_TRUE(after(0).alive);
  EXPECT_TRUE(after(60).alive);
  const Motion motion = after(1);
  EXPECT_FALSE(motion.alive);
  EXPECT_EQ(motion.reason, "2 open jobs, of which none is worked on, and nothing has moved for 61 s");
}

TEST_F(MovementTest, WithoutOpenJobsNothingNeedsToMove) {
  for (engine::JobStatus& job : snapshot.jobs) job.state = engine::JobState::completed;
  EXPECT_TRUE(after(0).alive);
  EXPECT_TRUE(after(3600).alive);
  engine::JobStatus fresh;
  fresh.timeline.accepted_ns = now;
  snapshot.jobs.push_back(fresh);
  EXPECT_TRUE(after(60).alive);
  EXPECT_FALSE(after(1).alive);
}

TEST_F(MovementTest, AStepIsLife) {
  prove(0, "H200");
  EXPECT_TRUE(after(0).alive);
  EXPECT_TRUE(after(50).alive);
  enter(0, Stage::finishing, Phase::finish, "H200");
  EXPECT_TRUE(after(50).alive);
  EXPECT_FALSE(after(50).alive);
  enter(0, Stage::finishing, Phase::verify, "H200");
  EXPECT_TRUE(after(1).alive);
}

TEST_F(MovementTest, WhatMovesBesideAHangingPartitionIsNoExcuse) {
  prove(0, "H200");
  for (int step = 0; step < 6; ++step) {
    enter(1, Stage::witness, Phase::witness);
    EXPECT_TRUE(after(10, 1.0).alive);
  }
  enter(1, Stage::queued, Phase::device_queue);
  snapshot.jobs[1].finished_partitions = 7;
  ++snapshot.devices[1].proofs;
  const Motion motion = after(1, 1.0);
  EXPECT_FALSE(motion.alive);
  EXPECT_EQ(motion.reason, "partition 0 of job first, start on H200: no step for 61 s");
}

TEST_F(MovementTest, OnThisMachineComputingIsMovement) {
  for (const bool witness : {true, false}) {
    witness ? enter(0, Stage::witness, Phase::witness) : prove(0, "cpu");
    EXPECT_TRUE(after(0).alive);
    EXPECT_TRUE(after(3600, 0.5).alive);
    EXPECT_TRUE(after(59, 0.01).alive);
    EXPECT_FALSE(after(59, 0.01).alive) << "polling is not";
  }
}

TEST_F(MovementTest, DecodingIsWork) {
  snapshot.jobs.pop_back();
  snapshot.jobs[0].decoding = true;
  snapshot.jobs[0].timeline.decode.begin_ns = now;
  EXPECT_TRUE(after(0).alive);
  EXPECT_TRUE(after(100, 1.0).alive);
  snapshot.jobs[0].timeline.check.begin_ns = now;
  EXPECT_TRUE(after(60).alive);
  EXPECT_EQ(after(1).reason, "job first, decode: no step for 61 s");
}

TEST_F(MovementTest, WhoWaitsForMemoryWaitsForWorkThatMoves) {
  wait_for_memory(1);
  for (int step = 0; step < 20; ++step) {
    prove(0, "H200");
    EXPECT_TRUE(after(50).alive);
  }
  snapshot.jobs[0].state = engine::JobState::completed;
  enter(0, Stage::done, Phase::verify);
  EXPECT_TRUE(after(60).alive);
  EXPECT_FALSE(after(1).alive) << "nothing is worked on";
}

TEST_F(MovementTest, WhoWaitsForAnIdleKeyMayDoSoWhileItIsKept) {
  wait_for_memory(1);
  snapshot.keys.resize(1);
  snapshot.keys[0].kept_ns = 1000 * kSecond;
  EXPECT_TRUE(after(0).alive);
  EXPECT_TRUE(after(1000).alive);
  snapshot.keys[0].kept_ns = 0;
  EXPECT_TRUE(after(60).alive) << "from now on it may be evicted";
  EXPECT_FALSE(after(1).alive);
  snapshot.circuits.resize(1);
  snapshot.circuits[0].kept_ns = kSecond;
  EXPECT_TRUE(after(1).alive);
  snapshot.memory.waiting.clear();
  EXPECT_TRUE(after(60).alive);
  EXPECT_FALSE(after(1).alive) << "nobody waits for memory";
}

TEST_F(MovementTest, LoadingIsWorkAndWaitingForItsMemoryIsNot) {
  prove(0, "H200");
  enter(1, Stage::waiting, Phase::key);
  const auto later_with_the_other_moving = [&] {
    EXPECT_TRUE(after(40).alive);
    prove(0, "H200");
    return after(40).alive;
  };
  EXPECT_TRUE(later_with_the_other_moving()) << "its turn has not come";
  snapshot.keys.resize(1);
  snapshot.keys[0].circuit = "circuit of second";
  snapshot.keys[0].loading = true;
  snapshot.memory.waiting.resize(1);
  prove(0, "H200");
  EXPECT_TRUE(later_with_the_other_moving()) << "for memory";
  snapshot.memory.waiting.clear();
  const Motion motion = after(1);
  EXPECT_FALSE(motion.alive);
  EXPECT_EQ(motion.reason, "partition 0 of job second, key: no step for 121 s");
  EXPECT_TRUE(after(1, 1.0).alive) << "it computes";
}

TEST_F(MovementTest, ALoadThatReadsMoves) {
  snapshot.jobs.pop_back();
  enter(0, Stage::waiting, Phase::key);
  snapshot.keys.resize(1);
  snapshot.keys[0].circuit = "circuit of first";
  snapshot.keys[0].loading = true;
  EXPECT_TRUE(after(0).alive);
  EXPECT_TRUE(after(3600, 0.01, 1 << 20).alive) << "a slow disk";
  EXPECT_TRUE(after(59, 0.01, 1 << 10).alive);
  EXPECT_FALSE(after(59, 0.01, 1 << 10).alive) << "a page now and then is not";
  prove(0, "H200");
  EXPECT_TRUE(after(1, 0, 1 << 20).alive);
  EXPECT_FALSE(after(60, 0, 1 << 20).alive) << "an accelerator reads no disk";
}

TEST_F(MovementTest, WhoWaitsForAFinisherDoesNotHang) {
  enter(0, Stage::finishing, Phase::finish, "H200");
  snapshot.queues = {{"finish", 1, 2, 0}};
  EXPECT_TRUE(after(0).alive);
  EXPECT_TRUE(after(100).alive);
  snapshot.queues[0].length = 0;
  EXPECT_TRUE(after(60).alive);
  EXPECT_FALSE(after(1).alive);
}

}  // namespace
}  // namespace cuzk::server
