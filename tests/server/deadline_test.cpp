// Deadlines from the message to the engine's queues: over HTTP's and gRPC's common service, with proofs that are fakes.

#include <gtest/gtest.h>

#include "server/engine_service.h"
#include "tests/engine/fakes.h"
#include "tests/support/must.h"

namespace cuzk::server {
namespace {

using engine::test::At;
using engine::test::FakeKind;
using engine::test::World;
using test::must;
using namespace std::chrono_literals;

class DeadlineTest : public ::testing::Test {
 protected:
  std::shared_ptr<const ServedJob> submit(const std::string& text, std::chrono::milliseconds deadline) {
    const auto owner = std::make_shared<const std::string>(text);
    return must(
        proving->submit({.label = text, .work = CircomWork{"a", {text_bytes(*owner), owner}}, .deadline = deadline}));
  }

  std::size_t at_work() const { return world.script.count(At::witness); }
  std::size_t waiting() const { return world.queue_length("partitions"); }

  World world{[this](engine::EngineOptions& options) {
    options.kinds.push_back(std::make_shared<FakeKind>(world.script, "circom", engine::Priority::normal));
    options.ready_partitions = 100;
    options.max_witnesses = 1;
  }};
  const std::unique_ptr<ProvingService> proving = engine_service(*world.engine);
};

TEST_F(DeadlineTest, AJobThatIsNotProvedByThenFails) {
  must(world.engine->preload("a"));  // else the wait for the key may end first
  world.script.hold(At::witness);
  const auto job = submit("late", 30ms);
  const auto result = must(job->await(Deadline::after(test::kPatience), {}));
  EXPECT_EQ(result->state, engine::JobState::failed);
  EXPECT_EQ(result->code, Code::deadline);
  EXPECT_EQ(result->failure, engine::FailureClass::transient);
  EXPECT_NE(result->error.find("deadline has passed"), std::string::npos) << result->error;
}

TEST_F(DeadlineTest, WhoHasTheEarlierOneGoesFirst) {
  world.script.hold(At::witness);
  std::vector<std::shared_ptr<const ServedJob>> jobs;
  for (const char* text : {"1", "2", "3", "4", "5", "6", "7", "8"}) jobs.push_back(submit(text, 0ms));
  ASSERT_TRUE(World::eventually([&] { return at_work() + waiting() == 8; }));
  jobs.push_back(submit("later", 7'200'000ms));
  jobs.push_back(submit("soon", 3'600'000ms));
  ASSERT_TRUE(World::eventually([&] { return at_work() + waiting() == 10; }));
  world.script.release(At::witness);
  for (const auto& job : jobs) {
    EXPECT_EQ(must(job->await(Deadline::after(test::kPatience), {}))->state, engine::JobState::completed);
  }
  const std::vector<engine::test::Happened> started = world.script.happened(At::witness);
  const auto place = [&](const char* text) {
    return std::ranges::find(started, std::string(text) + "/0", &engine::test::Happened::who) - started.begin();
  };
  EXPECT_LT(place("soon"), place("later"));
  EXPECT_LT(place("later"), place("8"));  // the first ones were on their way already
}

}  // namespace
}  // namespace cuzk::server
