#include "server/preloader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/fake_proving.h"
#include "tests/support/eventually.h"

namespace cuzk::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Loads as a test says: by default what it is asked for, at once.
class Loading final : public ProvingService {
 public:
  /// What the n-th call for a circuit does; it may wait for the stop.
  std::function<Status(const std::string&, int, const StopToken&)> on_load = [](auto&&...) { return Status(); };
  bool evicts = false;  // the one before, when one comes

  std::vector<std::string> loaded() const {
    const std::lock_guard lock(mutex_);
    return loaded_;
  }

  Result<engine::Preloaded> preload(std::string_view circuit, const StopToken& stop) override {
    int calls = 0;
    {
      const std::lock_guard lock(mutex_);
      calls = ++calls_[std::string(circuit)];
    }
    CUZK_CHECK_OK(on_load(std::string(circuit), calls, stop));
    const std::lock_guard lock(mutex_);
    if (evicts) resident_.clear();
    resident_.insert(std::string(circuit));
    loaded_.emplace_back(circuit);
    return engine::Preloaded{};
  }
  std::chrono::milliseconds retry_delay() const override { return std::chrono::milliseconds(0); }
  engine::EngineSnapshot snapshot() const override {
    const std::lock_guard lock(mutex_);
    engine::EngineSnapshot all;
    for (const std::string& circuit : resident_) all.keys.push_back({.circuit = circuit});
    all.circuits = all.keys;
    return all;
  }

  Result<std::shared_ptr<engine::PayloadRoom>> receive(std::uint64_t) override { return unused(); }
  Result<std::shared_ptr<const ServedJob>> submit(Submission) override { return unused(); }
  Result<std::shared_ptr<const ServedJob>> find(std::string_view) override { return unused(); }
  std::vector<engine::JobStatus> list() const override { return {}; }
  void mark_delivered(const ServedJob&) override {}
  Result<bool> cancel(std::string_view) override { return unused(); }
  Result<engine::Evicted> evict(std::string_view) override { return unused(); }

 private:
  static tl::unexpected<Error> unused() { return fail(Code::internal, "not of this test"); }

  mutable std::mutex mutex_;
  std::map<std::string, int> calls_;
  std::set<std::string> resident_;
  std::vector<std::string> loaded_;
};

Status wait_for_stop(const StopToken& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
  return fail(Code::cancelled, "stopped");
}

class PreloaderTest : public ::testing::Test {
 protected:
  PreloaderOptions options() {
    PreloaderOptions options;
    options.tell = [this](const PreloadState& state) {
      const std::lock_guard lock(mutex_);
      told_.push_back(state);
      changed_.notify_all();
    };
    options.first_pause = std::chrono::milliseconds(1);
    options.longest_pause = std::chrono::milliseconds(4);
    return options;
  }
  /// The first that was told, from the beginning, of which it is true.
  PreloadState told(const std::function<bool(const PreloadState&)>& is_it) {
    std::unique_lock lock(mutex_);
    PreloadState found;
    const bool came = changed_.wait_for(lock, test::kPatience, [&] {
      const auto at = std::ranges::find_if(told_, is_it);
      if (at != told_.end()) found = *at;
      return at != told_.end();
    });
    EXPECT_TRUE(came);
    return found;
  }
  PreloadState done() {
    return told([](const PreloadState& state) { return state.done; });
  }
  /// Nothing is done any more, and something is wrong.
  PreloadState stuck() {
    return told([](const PreloadState& state) { return state.doing.empty() && !state.problems.empty(); });
  }

  Loading proving_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<PreloadState> told_;
};

TEST_F(PreloaderTest, LoadsAListAndTellsItsProgress) {
  Preloader preloader(proving_, options());
  preloader.load({"a", "b"});
  EXPECT_THAT(done().problems, IsEmpty());
  EXPECT_THAT(proving_.loaded(), ElementsAre("a", "b"));
  EXPECT_EQ(told_.front().doing, "preloading a (1 of 2)");
}

TEST_F(PreloaderTest, AnEmptyListIsDone) {
  Preloader preloader(proving_, options());
  preloader.load({});
  EXPECT_TRUE(done().done);
}

TEST_F(PreloaderTest, WhatMayPassIsTriedAgain) {
  proving_.on_load = [](const std::string& circuit, int calls, const StopToken&) -> Status {
    if (circuit == "a" && calls < 4) return fail(Code::exhausted, "no memory");
    return {};
  };
  Preloader preloader(proving_, options());
  preloader.load({"a", "b"});
  EXPECT_THAT(stuck().problems, ElementsAre(HasSubstr("a is not preloaded: ")));
  EXPECT_THAT(done().problems, IsEmpty());
  EXPECT_EQ(proving_.loaded().front(), "b");
}

TEST_F(PreloaderTest, WhatCannotPassIsLeft) {
  std::atomic<int> calls = 0;
  proving_.on_load = [&](auto&&...) -> Status {
    ++calls;
    return fail(Code::malformed, "no key");
  };
  Preloader preloader(proving_, options());
  preloader.load({"a"});
  EXPECT_THAT(stuck().problems, ElementsAre(HasSubstr("no key")));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, 1);
}

TEST_F(PreloaderTest, ANewListEndsTheLoadingOfTheFormerWithoutWaitingForIt) {
  std::atomic<bool> is_stuck = false, may_end = false;
  proving_.on_load = [&](const std::string& circuit, int, const StopToken& stop) -> Status {
    if (circuit != "slow") return {};
    is_stuck = true;
    is_stuck.notify_all();
    Status stopped = wait_for_stop(stop);
    may_end.wait(false);  // a load looks at its stop only now and then
    return stopped;
  };
  Preloader preloader(proving_, options());
  preloader.load({"slow"});
  is_stuck.wait(false);
  preloader.load({"fast"});
  preloader.load({"faster"});
  EXPECT_THAT(proving_.loaded(), IsEmpty());
  may_end = true;
  may_end.notify_all();
  EXPECT_THAT(done().problems, IsEmpty());
  EXPECT_THAT(proving_.loaded(), ElementsAre("faster"));
}

TEST_F(PreloaderTest, IsNotDoneWhenOneTookTheOthersPlace) {
  proving_.evicts = true;
  Preloader preloader(proving_, options());
  preloader.load({"a", "b"});
  EXPECT_THAT(stuck().problems, ElementsAre(HasSubstr("a was preloaded and had to go")));
}

TEST_F(PreloaderTest, IsNotDoneBeforeBuffersAreReady) {
  std::atomic<bool> ready = false;
  PreloaderOptions waiting = options();
  waiting.wait_for_buffers = [&](const StopToken&) {
    ready.wait(false);
    return Status();
  };
  Preloader preloader(proving_, waiting);
  preloader.load({"a"});
  told([](const PreloadState& state) { return state.doing == "making page-locked memory ready"; });
  {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(std::ranges::none_of(told_, &PreloadState::done));
  }
  ready = true;
  ready.notify_all();
  EXPECT_TRUE(done().done);
}

TEST_F(PreloaderTest, StopsAtOnce) {
  std::atomic<bool> is_stuck = false;
  proving_.on_load = [&](const std::string&, int, const StopToken& stop) {
    is_stuck = true;
    is_stuck.notify_all();
    return wait_for_stop(stop);
  };
  Preloader preloader(proving_, options());
  preloader.load({"a"});
  is_stuck.wait(false);
  preloader.request_stop();
  preloader.load({"b"});
}

}  // namespace
}  // namespace cuzk::server
