// Jobs that others join on other terms while they run: what already waits for memory, or for a load, waits on the new
// ones.
#include <thread>

#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

using Waiting = memory::BudgetSnapshot::Waiting;

void join(World& world, const std::string& text, std::optional<Priority> priority, Deadline deadline,
          const std::string& circuit = "a") {
  auto request = World::request(text, 1, "low", circuit);
  request.priority = priority;
  request.deadline = deadline;
  static_cast<void>(must(world.engine->submit(std::move(request))));
}

/// The memory is in the hands of a partition that is being finished: the next one waits for its own.
struct FullMemory {
  static constexpr std::uint64_t kUsable = kKeyBytes + kCircuitBytes + kSizes.finish_bytes + kPeakBytes - 100;
  static constexpr std::uint64_t kPayloadShare = 8;  // of the total, kept for payloads

  FullMemory() {
    world.script.hold(At::finish, holder());
    first = world.submit("first");
    EXPECT_TRUE(world.script.wait_for(At::finish, 1));
  }
  ~FullMemory() { world.script.release(At::finish, holder()); }

  static std::string holder() { return proof_of(input_of("first", 0)); }
  JobHandle submit(const std::string& text, Deadline deadline) {
    auto request = World::request(text, 1, "low");
    request.deadline = deadline;
    return must(world.engine->submit(std::move(request)));
  }
  bool is_waiting(Priority priority) const {
    const auto waiting = world.budget->snapshot().waiting;
    return std::ranges::count(waiting, priority, &Waiting::priority) == 1;
  }

  World world{[](EngineOptions& options) {
                options.max_witnesses = 1;
                options.min_idle = 1h;  // nothing is evicted, and the wait stays where it is
              },
              kUsable* kPayloadShare / (kPayloadShare - 1) + 1};
  std::optional<JobHandle> first;
};

TEST(Terms, ARaisedPriorityReachesAWaitForMemory) {
  for (const Priority priority : {Priority::high, Priority::critical}) {  // the latter in a lane of its own
    FullMemory full;
    const JobHandle job = full.submit("job", Deadline::never());
    ASSERT_TRUE(World::eventually([&] { return full.is_waiting(Priority::low); }));
    join(full.world, "job", priority, Deadline::never());
    EXPECT_TRUE(World::eventually([&] { return full.is_waiting(priority); }));
    full.world.script.release(At::finish, FullMemory::holder());
    EXPECT_EQ(World::proof(job), result_of("job", 1));
    EXPECT_EQ(job.status().partitions[0].timeline.attempts, 1U);
  }
}

TEST(Terms, AProlongedDeadlineReachesAWaitForMemory) {
  FullMemory full;
  for (std::chrono::milliseconds span = 500ms;; span *= 4) {  // until it is joined in time
    const Deadline deadline = Deadline::after(span);
    const std::string text = "job of " + std::to_string(span.count());
    const JobHandle job = full.submit(text, deadline);
    ASSERT_TRUE(World::eventually([&] { return full.is_waiting(Priority::low) || deadline.passed(); }));
    join(full.world, text, {}, Deadline::never());
    if (deadline.passed()) continue;
    std::this_thread::sleep_until(deadline.when());
    EXPECT_TRUE(World::eventually([&] { return full.is_waiting(Priority::low) || !job.status().is_open(); }));
    full.world.script.release(At::finish, FullMemory::holder());
    EXPECT_EQ(World::proof(job), result_of(text, 1));
    return;
  }
}

TEST(Terms, TheSameTermsChangeNothing) {
  FullMemory full;
  const JobHandle job = full.submit("job", Deadline::never());
  ASSERT_TRUE(World::eventually([&] { return full.is_waiting(Priority::low); }));
  const std::uint64_t given_up = full.world.budget->snapshot().given_up;
  join(full.world, "job", {}, Deadline::after(1h));  // an earlier end than never is none
  EXPECT_TRUE(full.is_waiting(Priority::low));
  EXPECT_EQ(full.world.budget->snapshot().given_up, given_up);
}

TEST(Terms, ARaisedPriorityReachesAWaitForTheLoadOfOthers) {
  World world({}, 9'000);  // a key of one circuit, and not that of another
  world.script.hold(At::start);
  const JobHandle holder = world.submit("holder", 1, "normal", "a");
  ASSERT_TRUE(world.script.wait_for(At::start, 1));
  const auto is_waiting = [&](Priority priority) {
    const auto waiting = world.budget->snapshot().waiting;
    return std::ranges::count(waiting, priority, &Waiting::priority) == 1;
  };
  std::jthread preloading([&] { EXPECT_TRUE(world.engine->preload("b")); });
  ASSERT_TRUE(World::eventually([&] { return is_waiting(Priority::low); }));
  const JobHandle job = world.submit("job", 1, "low", "b");
  ASSERT_TRUE(World::eventually([&] { return job.status().partitions[0].timeline[Phase::key].begin_ns != 0; }));
  join(world, "job", Priority::high, Deadline::never(), "b");
  EXPECT_TRUE(World::eventually([&] { return is_waiting(Priority::high); }));
  world.script.release(At::start);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
  EXPECT_EQ(World::proof(holder), result_of("holder", 1));
}

}  // namespace
}  // namespace cuzk::engine::test
