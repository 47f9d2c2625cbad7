// Several accelerators: one queue, a job's partitions on all of them, each key where it is, the work of one that fails
// on the others.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

struct Accelerators : World {
  explicit Accelerators(unsigned count, unsigned workers = 1)
      : World([=](EngineOptions& of) {
          of.devices.resize(count);
          for (unsigned i = 0; i < count; ++i) {
            of.devices[i].name = "gpu " + std::to_string(i);
            of.devices[i].is_cpu = false;
          }
          of.workers_per_device = workers;
          of.max_witnesses = 4;
        }) {
    catalogue.add(std::make_shared<FakeCircuit>(script, "b", kSizes, "another key"));
  }

  std::string name_of_device(const JobHandle& job, std::size_t partition = 0) const {
    return job.status().partitions[partition].timeline.device;
  }
  std::string proved_on(const std::string& text, const std::string& circuit) {
    const JobHandle job = submit(text, 1, "normal", circuit);
    EXPECT_EQ(proof(job), result_of(text, 1));
    return name_of_device(job);
  }
  std::set<unsigned> devices_that_started() const {
    std::set<unsigned> devices;
    for (const Happened& start : script.happened(At::start)) devices.insert(start.device);
    return devices;
  }
};

TEST(SeveralDevices, AllAreBusyWithOneJob) {
  Accelerators world(3);
  world.script.hold(At::start);
  const JobHandle job = world.submit("porep", 12);
  ASSERT_TRUE(world.script.wait_for(At::start, 3));
  EXPECT_EQ(world.devices_that_started(), (std::set<unsigned>{0, 1, 2}));
  world.script.release(At::start);
  EXPECT_EQ(World::proof(job), result_of("porep", 12));
  std::uint64_t proofs = 0;
  for (const DeviceSnapshot& device : world.engine->snapshot().devices) {
    EXPECT_GT(device.proofs, 0U) << device.name;
    proofs += device.proofs;
  }
  EXPECT_EQ(proofs, 12U);
}

TEST(SeveralDevices, AColdJobIsLoadedOnAllOfThem) {
  Accelerators world(2);
  world.script.hold(At::load_key);
  const JobHandle job = world.submit("porep", 4);
  ASSERT_TRUE(world.script.wait_for(At::load_key, 2)) << "both keys are loaded at once";
  world.script.release(At::load_key);
  EXPECT_EQ(World::proof(job), result_of("porep", 4));
}

TEST(SeveralDevices, AKeyDrawsTheJobsThatNeedIt) {
  Accelerators world(2, 2);
  const std::string of_a = world.proved_on("first of a", "a");
  const std::string of_b = world.proved_on("first of b", "b");
  EXPECT_NE(of_a, of_b) << "each has a device of its own while there are enough";
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(world.proved_on("a " + std::to_string(i), "a"), of_a);
    EXPECT_EQ(world.proved_on("b " + std::to_string(i), "b"), of_b);
  }
  EXPECT_EQ(world.script.count(At::load_key), 2U);
}

TEST(SeveralDevices, WhatFindsItsDeviceFullIsProvedOnAnother) {
  Accelerators world(2);
  const std::string of_a = world.proved_on("first", "a");
  world.script.hold(At::start);
  const JobHandle job = world.submit("porep", 2, "normal", "a");
  ASSERT_TRUE(world.script.wait_for(At::start, 3));
  world.script.release(At::start);
  EXPECT_EQ(World::proof(job), result_of("porep", 2));
  EXPECT_NE(world.name_of_device(job, 0), world.name_of_device(job, 1));
}

TEST(SeveralDevices, WhoNeedsAKeyThatIsBeingLoadedWaitsForIt) {
  Accelerators world(2, 4);
  world.script.hold(At::load_key);
  std::vector<JobHandle> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(world.submit("a " + std::to_string(i), 1, "normal", "a"));
  const JobHandle other = world.submit("b", 1, "normal", "b");
  ASSERT_TRUE(world.script.wait_for(At::load_key, 2));
  world.script.release(At::load_key);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(World::proof(jobs[i]), result_of("a " + std::to_string(i), 1));
    EXPECT_EQ(world.name_of_device(jobs[i]), world.name_of_device(jobs[0]));
  }
  EXPECT_EQ(World::proof(other), result_of("b", 1));
  EXPECT_NE(world.name_of_device(other), world.name_of_device(jobs[0]));
  EXPECT_EQ(world.script.count(At::load_key), 2U);
}

TEST(SeveralDevices, TheWorkOfOneThatFailsGoesToTheOthers) {
  Accelerators world(2);
  world.script.fail_on_device(0, Code::device);
  const JobHandle job = world.submit("porep", 8);
  EXPECT_EQ(World::proof(job), result_of("porep", 8));
  const auto devices = world.engine->snapshot().devices;
  EXPECT_EQ(devices[0].proofs, 0U);
  EXPECT_EQ(devices[1].proofs, 8U);
  EXPECT_FALSE(devices[0].in_service);
}

}  // namespace
}  // namespace cuzk::engine::test
