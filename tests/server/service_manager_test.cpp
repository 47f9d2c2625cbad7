#include "server/service_manager.h"

#include <atomic>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/clock.h"
#include "support/mutex.h"
#include "tests/server/fake_proving.h"
#include "tests/server/notify_socket.h"
#include "tests/support/eventually.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;

/// An engine with one partition on an accelerator, since so long.
class OnAccelerator final : public FakeProving {
 public:
  void set_age(std::chrono::nanoseconds age) {
    const MutexLock lock(mutex_);
    age_ = age;
  }
  unsigned looks() const { return looks_; }

  engine::EngineSnapshot snapshot() const override {
    engine::EngineSnapshot snapshot;
    snapshot.now_ns = monotonic_ns();
    snapshot.devices.resize(1);
    snapshot.devices[0].name = "H200";
    snapshot.devices[0].is_cpu = false;
    engine::JobStatus job;
    job.job_id = "job";
    job.state = engine::JobState::running;
    job.partitions.resize(1);
    job.partitions[0].stage = engine::Stage::proving;
    job.partitions[0].timeline.device = "H200";
    const MutexLock lock(mutex_);
    const auto age = static_cast<std::uint64_t>(age_.count());
    job.partitions[0].timeline[engine::Phase::start] = {.begin_ns = snapshot.now_ns - age, .end_ns = 0};
    snapshot.jobs.push_back(std::move(job));
    ++looks_;
    return snapshot;
  }

 private:
  mutable Mutex mutex_;
  std::chrono::nanoseconds age_ CUZK_GUARDED_BY(mutex_){0};
  mutable std::atomic<unsigned> looks_ = 0;
};

class ServiceManagerTest : public testing::Test {
 protected:
  void ask(std::chrono::milliseconds longest, std::chrono::milliseconds interval) {
    asking.emplace(proving, longest, interval);
    EXPECT_EQ(manager.next(), "STOPPING=1\nSTATUS=draining");
  }
  std::size_t waiting_messages() const {
    std::size_t count = 0;
    while (!manager.next_if_any().empty()) ++count;
    return count;
  }
  /// Those that come until what is there now has been seen, and what came of it sent.
  std::size_t messages_until_seen() const {
    const unsigned before = proving.looks();
    std::size_t count = 0;
    EXPECT_TRUE(test::eventually([&] {
      count += waiting_messages();
      return proving.looks() >= before + 2;
    }));
    return count + waiting_messages();
  }

  const test::TemporaryFolder folder;
  OnAccelerator proving;
  std::optional<TimeToStop> asking;
  const NotifySocket manager{folder.file("notify")};  // ends first: who sends waits while its queue is full
};

TEST_F(ServiceManagerTest, TimeToStopIsAskedForAgainAndAgain) {
  ask(1h, 5ms);
  for (int request = 0; request < 5; ++request) EXPECT_EQ(manager.next(), "EXTEND_TIMEOUT_USEC=15000");
}

TEST_F(ServiceManagerTest, WhatStandsStillGetsNoMoreTime) {
  proving.set_age(1h);
  ask(1h, 1ms);
  EXPECT_EQ(messages_until_seen(), 0U);
  proving.set_age(1s);
  EXPECT_EQ(manager.next(), "EXTEND_TIMEOUT_USEC=3000") << "it moves again";
  proving.set_age(1h);
  messages_until_seen();
  EXPECT_EQ(messages_until_seen(), 0U);
}

TEST_F(ServiceManagerTest, NoMoreTimeIsAskedForThanTheStopMayTake) {
  ask(1h, 1h);
  const std::string request = manager.next();
  ASSERT_THAT(request, StartsWith("EXTEND_TIMEOUT_USEC="));
  EXPECT_LE(std::stoll(request.substr(request.find('=') + 1)), 3'600'000'000);
}

TEST_F(ServiceManagerTest, WhenTheTimeIsOverNoMoreIsAskedFor) {
  ask(0ms, 1ms);
  ASSERT_TRUE(test::eventually([&] { return proving.looks() > 0; }));
  asking.reset();
  EXPECT_EQ(waiting_messages(), 0U);
}

TEST_F(ServiceManagerTest, WithoutAManagerNobodyIsAsked) {
  ::unsetenv("NOTIFY_SOCKET");
  asking.emplace(proving, 1h, 1ms);
  EXPECT_EQ(proving.looks(), 0U);
}

}  // namespace
}  // namespace cuzk::server
