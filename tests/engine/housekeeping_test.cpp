// Leases and deadlines are kept whatever hangs beside them.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/engine/process.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine::test {
namespace {

/// A driver whose calls do not return, once that is wanted.
class HangingDriver final : public memory::PageLocker {
 public:
  std::string_view name() const noexcept override { return "hanging"; }
  Status lock(MutableBytes) override { return {}; }
  void unlock(MutableBytes) noexcept override {
    MutexLock lock(mutex_);
    ++calls_;
    changed_.notify_all();
    changed_.wait(lock, [&]() CUZK_REQUIRES(mutex_) { return !hangs_; });
  }

  void hang(bool hangs) {
    const MutexLock lock(mutex_);
    hangs_ = hangs;
    changed_.notify_all();
  }
  bool wait_for_call() {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&]() CUZK_REQUIRES(mutex_) { return calls_ > 0; });
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool hangs_ CUZK_GUARDED_BY(mutex_) = false;
  unsigned calls_ CUZK_GUARDED_BY(mutex_) = 0;
};

/// A process whose housekeeper is in a call of the driver, for as long as this lives.
class HangingHousekeeper : public testing::Test {
 protected:
  HangingHousekeeper() : process(made()) {}
  ~HangingHousekeeper() override { driver->hang(false); }

  void SetUp() override {
    driver->hang(true);
    auto memory = must(process->world.budget->reserve({.bytes = kChunk, .owner = "test"}));
    static_cast<void>(must(pool->acquire(kChunk, memory)));  // lies idle now, and is freed before long
    ASSERT_TRUE(driver->wait_for_call());
  }

  static constexpr std::uint64_t kChunk = 4096;

  cuzk::test::TemporaryFolder folder;
  std::shared_ptr<HangingDriver> driver = std::make_shared<HangingDriver>();
  std::shared_ptr<memory::PinnedPool> pool;
  std::unique_ptr<Process> process;  // ends first

 private:
  std::unique_ptr<Process> made() {
    return std::make_unique<Process>(folder.path().string(), [&](EngineOptions& options) {
      memory::PoolOptions of_pool;
      of_pool.large_chunk_bytes = of_pool.small_chunk_bytes = kChunk;
      of_pool.locker = driver;
      pool = must(memory::PinnedPool::create(options.budget, std::move(of_pool)));
      options.pool = pool;
      options.buffer_idle = 1ms;
      options.lease = 100ms;
    });
  }
};

TEST_F(HangingHousekeeper, CostsNoLease) {
  process->world.script.hold(At::start);
  const JobHandle job = process->world.submit("job");
  const auto lease_end = [&] {
    return must(process->journal->find_id("job")).value().summary.lease_until.value_or(store::WallTime{});
  };
  const auto first = lease_end();
  EXPECT_TRUE(World::eventually([&] { return lease_end() > first + 100ms; })) << "it is renewed";
  process->world.script.release(At::start);
  EXPECT_EQ(World::proof(job), result_of("job", 1));
}

TEST_F(HangingHousekeeper, CostsNoDeadline) {
  process->world.script.hold(At::start);
  auto request = World::request("job");
  request.deadline = Deadline::after(10ms);
  EXPECT_EQ(World::result(must(process->world.engine->submit(std::move(request))))->code, Code::deadline);
  process->world.script.release(At::start);
}

TEST_F(HangingHousekeeper, CostsNobodyWhoCancelsElsewhere) {
  process->world.script.hold(At::start);
  const JobHandle job = process->world.submit("job");
  const auto other = must(store::open_sqlite_journal(folder.path().string() + "/journal"));
  EXPECT_TRUE(must(other->cancel(must(other->find_id("job")).value().summary.digest)));
  EXPECT_EQ(World::result(job)->state, JobState::cancelled);
  process->world.script.release(At::start);
}

}  // namespace
}  // namespace cuzk::engine::test
