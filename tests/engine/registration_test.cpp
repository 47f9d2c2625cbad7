// Circuits that are registered and forgotten while jobs are open.
#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

TEST(Registration, AcceptedJobsKeepTheirCircuit) {
  World world([](EngineOptions& options) { options.ready_partitions = 1; });
  world.script.hold(At::start);
  std::map<std::string, JobHandle> jobs;
  for (int i = 0; i < 10; ++i) {
    const std::string text = "job " + std::to_string(i);
    jobs.emplace(text, world.submit(text));
  }
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  world.catalogue.remove("a");
  static_cast<void>(must(world.engine->evict("a")));
  const JobHandle late = world.submit("late");
  world.script.release(At::start);
  EXPECT_EQ(World::result(late)->state, JobState::failed);
  EXPECT_EQ(World::result(late)->code, Code::not_found) << World::result(late)->error;
  for (const auto& [text, job] : jobs) EXPECT_EQ(World::proof(job), result_of(text, 1));
}

TEST(Registration, WhatIsResidentOfAForgottenCircuitGoesWithItsLastJob) {
  World world([](EngineOptions& options) { options.min_idle = 1h; });
  world.script.hold(At::start);
  const JobHandle first = world.submit("first");
  const JobHandle last = world.submit("last", 3);
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  world.catalogue.remove("a");
  world.script.release(At::start);
  EXPECT_EQ(World::result(first)->state, JobState::completed);
  EXPECT_EQ(World::result(last)->state, JobState::completed);
  EXPECT_TRUE(World::eventually([&] { return world.engine->snapshot().keys.empty(); }));
}

TEST(Registration, WhatIsResidentOfARegisteredCircuitStays) {
  World world([](EngineOptions& options) { options.min_idle = 1h; });
  EXPECT_EQ(World::result(world.submit("job"))->state, JobState::completed);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(world.engine->snapshot().keys.size(), 1U);
}

}  // namespace
}  // namespace cuzk::engine::test
