// A device that only a new process can heal (ADR 11): what waits for that process, when it is asked for, and when not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/feeling_backend.h"
#include "tests/engine/process.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine::test {
namespace {

using testing::HasSubstr;

constexpr unsigned kCard = 0;

/// A card that may fall ill, and what else there is.
struct Card {
  explicit Card(RestartPolicy restart = {.restarts = true, .soonest = 0ms, .without_proof = 1h}) : policy(restart) {}

  std::function<void(EngineOptions&)> options() {
    return [this](EngineOptions& of) {
      of.devices.resize(2);
      of.devices[kCard].name = "card";
      of.devices[kCard].is_cpu = false;
      of.devices[kCard].bn254 = backend;
      of.devices[1].name = "second";
      of.devices[1].is_cpu = second_is_cpu;
      of.cpu_fallback = fallback;
      of.restart = policy;
      of.quarantine = quarantine;
      of.housekeeping = 1ms;
    };
  }
  /// The next proof on it fails, and it says that it is ill.
  void breaks(World& world) const {
    world.script.fail_on_device(kCard, Code::device, 1);
    backend->ill = true;
  }

  RestartPolicy policy;
  CpuFallback fallback = CpuFallback::never;
  bool second_is_cpu = true;
  std::chrono::milliseconds quarantine = 1h;
  std::shared_ptr<FeelingBackend> backend = std::make_shared<FeelingBackend>();
};

std::size_t parked(const World& world) {
  for (const QueueSnapshot& queue : world.engine->snapshot().queues) {
    if (queue.name == "restart") return queue.length;
  }
  return 0;
}

class Restart : public testing::Test {
 protected:
  cuzk::test::TemporaryFolder folder_;
};

TEST_F(Restart, WhatWasInFlightIsProvedOnceByTheNextProcess) {
  Card card;
  std::string id;
  {
    Process first(folder_.path(), card.options());
    World& world = first.world;
    world.script.hold(At::witness, "porep/1");
    world.script.hold(At::witness, "porep/2");
    const JobHandle job = world.submit("porep", 3);
    id = job.job_id();
    ASSERT_TRUE(World::eventually([&] { return job.status().finished_partitions == 1; }));
    EXPECT_EQ(world.engine->restart_reason(), "");
    card.breaks(world);
    world.script.release(At::witness, "porep/1");
    ASSERT_TRUE(World::eventually([&] { return parked(world) == 1; }));
    world.script.release(At::witness, "porep/2");
    ASSERT_TRUE(World::eventually([&] { return parked(world) == 2; }));
    EXPECT_THAT(world.engine->restart_reason(), HasSubstr("card is ill: "));
    EXPECT_TRUE(world.engine->snapshot().devices[kCard].is_ill);
    const Deadline patience = Deadline::after(kPatience);
    EXPECT_FALSE(world.engine->drain(patience)) << "the job is open";
    EXPECT_FALSE(patience.passed()) << "it is not waited for";
    EXPECT_EQ(world.script.count(At::start), 2U) << "one was proved, one failed, none was tried on an ill device";
    world.engine->stop();
    EXPECT_EQ(World::result(job)->code, Code::unavailable);
  }
  card.backend->ill = false;
  Process second(folder_.path(), card.options());
  const JobHandle job = must(second.world.engine->find(id));
  EXPECT_EQ(World::proof(job), result_of("porep", 3));
  EXPECT_EQ(second.world.script.count(At::start), 2U) << "what the first one proved is not proved again";
}

TEST_F(Restart, ADeviceThatFailsAtOnceStaysOut) {
  for (const bool late : {false, true}) {
    Card card({.restarts = true, .soonest = 0ms, .without_proof = late ? 0ms : std::chrono::milliseconds(1h)});
    card.fallback = CpuFallback::always;
    Process process(folder_.path(), card.options());
    card.breaks(process.world);
    const std::string text = late ? "late" : "early";
    EXPECT_EQ(World::proof(process.world.submit(text)), result_of(text, 1));
    EXPECT_FALSE(process.world.engine->snapshot().devices[kCard].in_service);
    EXPECT_EQ(process.world.engine->restart_reason().empty(), !late);
  }
}

TEST_F(Restart, NoSoonerThanTheDelaySays) {
  Card card({.restarts = true, .soonest = 1h, .without_proof = 1h});
  card.quarantine = 1ms;
  Process process(folder_.path(), card.options());
  EXPECT_EQ(World::proof(process.world.submit("good")), result_of("good", 1));
  card.breaks(process.world);
  const JobHandle job = process.world.submit("waits");
  ASSERT_TRUE(World::eventually([&] { return parked(process.world) == 1; }));
  EXPECT_EQ(process.world.engine->restart_reason(), "");
  card.backend->ill = false;
  EXPECT_EQ(World::proof(job), result_of("waits", 1)) << "it is well again: nothing need wait";
}

TEST_F(Restart, WhatAnotherDeviceMayProveDoesNotWait) {
  Card card;
  card.second_is_cpu = false;
  Process process(folder_.path(), card.options());
  EXPECT_EQ(World::proof(process.world.submit("good")), result_of("good", 1));
  card.breaks(process.world);
  EXPECT_EQ(World::proof(process.world.submit("porep", 4)), result_of("porep", 4));
  EXPECT_EQ(process.world.engine->snapshot().devices[1].proofs, 4U);
  EXPECT_THAT(process.world.engine->restart_reason(), HasSubstr("card"));
}

TEST_F(Restart, AParkedJobCanBeCancelled) {
  Card card;
  Process process(folder_.path(), card.options());
  EXPECT_EQ(World::proof(process.world.submit("good")), result_of("good", 1));
  card.breaks(process.world);
  const JobHandle job = process.world.submit("waits");
  ASSERT_TRUE(World::eventually([&] { return parked(process.world) == 1; }));
  EXPECT_TRUE(must(process.world.engine->cancel(job.job_id())));
  EXPECT_EQ(World::result(job)->state, JobState::cancelled);
  EXPECT_EQ(parked(process.world), 0U);
}

TEST_F(Restart, WithoutAJournalNoJobIsLostForIt) {
  Card card;
  card.fallback = CpuFallback::always;
  World world(card.options());
  EXPECT_EQ(World::proof(world.submit("good")), result_of("good", 1));
  card.breaks(world);
  world.script.hold(At::verify);
  const JobHandle job = world.submit("open");
  ASSERT_TRUE(world.script.wait_for(At::verify, 2));
  EXPECT_EQ(world.engine->restart_reason(), "");
  world.script.release(At::verify);
  EXPECT_EQ(World::proof(job), result_of("open", 1));
  EXPECT_TRUE(World::eventually([&] { return !world.engine->restart_reason().empty(); }));
}

TEST_F(Restart, NobodyAskedForIt) {
  Card card(RestartPolicy{});
  card.fallback = CpuFallback::always;
  Process process(folder_.path(), card.options());
  EXPECT_EQ(World::proof(process.world.submit("good")), result_of("good", 1));
  card.breaks(process.world);
  EXPECT_EQ(World::proof(process.world.submit("then")), result_of("then", 1));
  EXPECT_EQ(process.world.engine->restart_reason(), "");
}

}  // namespace
}  // namespace cuzk::engine::test
