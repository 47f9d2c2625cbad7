// Who is decoded, and when: as many as keep lanes and devices busy, by their partitions, in their order.
#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

std::vector<std::string> read_texts(const World& world) {
  std::vector<std::string> texts;
  for (const Happened& step : world.script.happened(At::read)) texts.push_back(step.who);
  return texts;
}

TEST(Admission, SmallJobsAreDecodedFurtherAhead) {
  World world;
  world.script.hold(At::witness);
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 8; ++i) jobs.push_back(world.submit("small " + std::to_string(i)));
  EXPECT_TRUE(world.script.wait_for(At::read, jobs.size()));
  world.script.release(At::witness);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
}

TEST(Admission, LargeOnesAreNotUntilPartitionsHaveGone) {
  World world([](EngineOptions& options) { options.ready_partitions = 10; });
  world.script.hold(At::witness);
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(world.submit("large " + std::to_string(i), 9));
  ASSERT_TRUE(
      World::eventually([&] { return world.engine->snapshot().witnesses == 2 && read_texts(world).size() == 2; }));
  EXPECT_EQ(world.queue_length("decode"), 2U) << "9 of the first are not enough, 18 are";
  world.script.release(At::witness);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
}

TEST(Admission, AllDevicesGetJobsOfOnePartition) {
  constexpr std::size_t kDevices = 5;
  World world([](EngineOptions& options) {
    options.devices.resize(kDevices);
    options.workers_per_device = 1;
  });
  static_cast<void>(must(world.engine->preload("a")));  // else whoever waits for a device's key goes to that device
  world.script.hold(At::start);
  std::vector<JobHandle> jobs;
  for (std::size_t i = 0; i < kDevices; ++i) jobs.push_back(world.submit("small " + std::to_string(i)));
  ASSERT_TRUE(world.script.wait_for(At::start, kDevices));
  std::set<unsigned> devices;
  for (const Happened& step : world.script.happened(At::start)) devices.insert(step.device);
  EXPECT_EQ(devices.size(), kDevices);
  world.script.release(At::start);
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
}

TEST(Admission, WhoWaitsForAKeyHoldsOnlyThoseBackWhoWaitForItToo) {
  World world([](EngineOptions& options) { options.ready_partitions = 10; });
  static_cast<void>(must(world.engine->preload("b")));
  world.script.hold(At::load_key, "a");
  const JobHandle cold = world.submit("cold", 20, "normal", "a");
  const JobHandle as_cold = world.submit("as cold", 20, "normal", "a");
  ASSERT_TRUE(world.script.wait_for(At::load_key, 2));
  EXPECT_EQ(World::proof(world.submit("warm", 3, "normal", "b")), result_of("warm", 3));
  EXPECT_EQ(read_texts(world), (std::vector<std::string>{"cold", "warm"}));
  world.script.release(At::load_key, "a");
  EXPECT_EQ(World::proof(cold), result_of("cold", 20));
  EXPECT_EQ(World::proof(as_cold), result_of("as cold", 20));
}

TEST(Admission, TheMoreUrgentIsDecodedFirst) {
  World world([](EngineOptions& options) { options.ready_partitions = 1; });
  world.script.hold(At::read, "first");
  std::vector<JobHandle> jobs{world.submit("first")};
  ASSERT_TRUE(world.script.wait_for(At::read, 1));
  jobs.push_back(world.submit("low", 1, "low"));
  jobs.push_back(world.submit("normal", 1, "normal"));
  jobs.push_back(world.submit("high", 1, "high"));
  auto raised = World::request("low", 1, "low");
  raised.priority = Priority::high;  // and older than the other one
  static_cast<void>(must(world.engine->submit(std::move(raised))));
  world.script.release(At::read, "first");
  for (const JobHandle& job : jobs) EXPECT_EQ(World::result(job)->state, JobState::completed);
  EXPECT_EQ(read_texts(world), (std::vector<std::string>{"first", "low", "high", "normal"}));
}

}  // namespace
}  // namespace cuzk::engine::test
