// Many clients at once, of all kinds, with failures and cancellations among them.
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

constexpr int kClients = 16;
constexpr int kJobs = 40;

/// One client: each job is cancelled, abandoned or awaited; what is awaited and completed must be his own proof.
void be_a_client(World& world, unsigned seed, std::atomic<int>& completed) {
  std::mt19937_64 random(seed);
  const std::array kinds = {"low", "normal", "high", "critical"};
  const std::array circuits = {"a", "b", "c"};
  for (int i = 0; i < kJobs; ++i) {
    const auto partitions = static_cast<std::uint32_t>(1 + random() % 4);
    const std::string text =
        (random() % 8 == 0 ? "bad " : "job ") + std::to_string(random() % 200) + "/" + std::to_string(partitions);
    const auto job = world.engine->submit(
        World::request(text, partitions, kinds[random() % kinds.size()], circuits[random() % circuits.size()]));
    ASSERT_TRUE(job) << job.error().to_string();
    if (random() % 6 == 0) static_cast<void>(world.engine->cancel(job->job_id()));
    if (random() % 6 == 0) static_cast<void>(world.engine->evict(circuits[random() % circuits.size()]));
    if (random() % 4 == 0) continue;
    const auto result = World::result(*job);
    if (result->state != JobState::completed) continue;
    EXPECT_EQ(bytes_text(result->proof), result_of(text, partitions));
    ++completed;
  }
}

void run(World& world) {
  world.script.fail_next(At::start, Code::device, 20);
  world.script.fail_next(At::witness, Code::exhausted, 20);
  world.script.corrupt_next(20);
  std::atomic<int> completed = 0;
  std::vector<std::jthread> clients;
  for (unsigned c = 0; c < kClients; ++c) clients.emplace_back([&, c] { be_a_client(world, c, completed); });
  clients.clear();
  EXPECT_TRUE(world.engine->drain(Deadline::after(kPatience)));
  EXPECT_GT(completed, kClients * kJobs / 4);
  EXPECT_TRUE(World::eventually([&] {
    const auto queues = world.engine->snapshot().queues;
    return world.working_bytes() == 0 &&
           std::ranges::all_of(queues, [](const QueueSnapshot& queue) { return queue.length == 0; });
  }));
  const auto memory = world.budget->snapshot();
  EXPECT_LE(memory.used_peak, memory.total);
}

TEST(Stress, ManyClientsAndRoomForAll) {
  World world([](EngineOptions& options) {
    options.max_open_jobs = 10'000;
    options.finishers = 3;
    options.devices.resize(2);
  });
  run(world);
}

TEST(Stress, ManyClientsAndMemoryForOne) {
  World world([](EngineOptions& options) { options.max_open_jobs = 10'000; }, 8'000);
  run(world);
}

}  // namespace
}  // namespace cuzk::engine::test
