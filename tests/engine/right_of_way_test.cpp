// Critical work beside ordinary work on the same cores.
#include "support/right_of_way.h"

#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

/// What happened, in order, and where the two jobs wait for each other.
struct Story {
  void add(const std::string& what) {
    const MutexLock lock(mutex);
    text += what + " ";
  }

  Mutex mutex;
  std::string text;
  std::latch ordinary_runs{1}, critical_runs{1};
};

/// Its witness is a loop of three chunks: "o1 o2 o3", "c1 c2 c3". The ordinary one waits, after its first chunk, until
/// the critical one has begun.
class LoopStatement final : public Statement {
 public:
  LoopStatement(Story& story, std::string text) : story_(story), text_(std::move(text)) {}

  const std::string& circuit() const noexcept override { return circuit_; }
  std::uint32_t partitions() const noexcept override { return 1; }
  std::optional<std::vector<U256>> public_inputs(std::uint32_t k) const override {
    return std::vector{input_of(text_, k)};
  }
  Result<r1cs::Witness> witness(Arena& arena, std::uint32_t k, const StopToken&) const override {
    const bool is_critical = text_ == "c";
    if (is_critical) story_.critical_runs.count_down();
    parallel_tasks(arena, 3, [&](std::size_t i) {
      if (is_critical) std::this_thread::sleep_for(10ms);  // in which an ordinary chunk would run, if it did not pause
      story_.add(text_ + std::to_string(i + 1));
      if (i > 0 || is_critical) return;
      story_.ordinary_runs.count_down();
      story_.critical_runs.wait();
    });
    return r1cs::Witness({U256::from_u64(1), input_of(text_, k), U256::from_u64(k)});
  }

 private:
  Story& story_;
  const std::string circuit_ = "a";
  const std::string text_;
};

class LoopKind final : public JobKind {
 public:
  explicit LoopKind(Story& story) : story_(story) {}

  const std::string& name() const noexcept override { return name_; }
  Priority default_priority() const noexcept override { return Priority::normal; }
  Result<std::shared_ptr<const Statement>> read(const JobContent& content, const Reading& reading) const override {
    reading.decoded();
    return std::make_shared<const LoopStatement>(story_, std::string(bytes_text(content.payloads.at(0).bytes)));
  }

 private:
  Story& story_;
  const std::string name_ = "loop";
};

TEST(CriticalWork, fault_B29_ordinary_work_pauses_between_its_chunks) {
  SharedCores cores(1, 1h);
  Story story;
  World world([&](EngineOptions& options) {
    options.arena = &cores.ordinary();
    options.critical_arena = &cores.urgent();
    options.kinds.push_back(std::make_shared<LoopKind>(story));
  });
  const JobHandle ordinary = world.submit("o", 1, "loop");
  story.ordinary_runs.wait();
  auto request = World::request("c", 1, "loop");
  request.priority = Priority::critical;
  const JobHandle critical = must(world.engine->submit(std::move(request)));
  EXPECT_EQ(World::proof(critical), result_of("c", 1));
  EXPECT_EQ(World::proof(ordinary), result_of("o", 1));
  EXPECT_EQ(story.text, "o1 c1 c2 c3 o2 o3 ");
}

TEST(CriticalWork, DevicesAreTold) {
  World world;
  EXPECT_EQ(World::proof(world.submit("ordinary")), result_of("ordinary", 1));
  EXPECT_EQ(World::proof(world.submit("critical", 1, "critical")), result_of("critical", 1));
  EXPECT_EQ(world.script.urgent(), (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace cuzk::engine::test
