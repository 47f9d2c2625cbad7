#include "store/commit_queue.h"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using Access = CommitQueue::Access;
using cuzk::test::eventually;
using cuzk::test::must;
using ::testing::Each;

/// Counts how often connections that are opened while it lives try to begin a write; one at a time.
class BeginCounter {
 public:
  BeginCounter() {
    begins = 0;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&attach));
  }
  BeginCounter(const BeginCounter&) = delete;
  BeginCounter& operator=(const BeginCounter&) = delete;
  ~BeginCounter() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&attach)); }

  static inline std::atomic<int> begins = 0;

 private:
  static int attach(sqlite3* connection, char** /*error*/, const sqlite3_api_routines* /*routines*/) {
    return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, &count, nullptr);
  }
  static int count(unsigned /*event*/, void* /*context*/, void* /*statement*/, void* text) {
    begins += std::string_view(static_cast<const char*>(text)) == "BEGIN IMMEDIATE";
    return 0;
  }
};

class CommitQueueTest : public ::testing::Test {
 protected:
  CommitQueueTest() {
    const BeginCounter attached;
    auto opened = must(Database::open(folder.file("queue.db"), std::chrono::milliseconds(1000)));
    must(opened->execute("PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB)"));
    database = opened.get();
    queue = std::make_unique<CommitQueue>(std::move(opened));
  }

  Status insert(std::int64_t n, std::size_t bytes = 1) {
    auto changed = database->run("INSERT INTO t VALUES (?1, ?2)", n, Bytes(std::vector<std::byte>(bytes)));
    return changed ? Status{} : Status(fail(std::move(changed).error()));
  }
  std::int64_t rows() {
    return must(queue->run(Access::read, {}, [&] { return database->integer("SELECT count(*) FROM t"); }));
  }
  /// Keeps the queue's thread at work, from its own beginning until end().
  class Busy {
   public:
    explicit Busy(CommitQueue& queue)
        : caller_([this, &queue] {
            must(queue.run(Access::read, {}, [this]() -> Status {
              begun_.count_down();
              go_.wait();
              return {};
            }));
          }) {
      begun_.wait();
    }
    void end() { go_.count_down(); }

   private:
    std::latch begun_{1}, go_{1};
    std::jthread caller_;
  };

  /// Calls that wait while the thread is busy, and are therefore committed together.
  std::vector<Code> together(const std::vector<std::function<Status()>>& works) {
    Busy busy(*queue);
    std::vector<Code> codes(works.size(), Code::internal);
    std::vector<std::jthread> threads;
    std::latch started(static_cast<std::ptrdiff_t>(works.size()));
    for (std::size_t i = 0; i < works.size(); ++i) {
      threads.emplace_back([&, i] {
        started.count_down();
        const Status done = queue->run(Access::write, {}, works[i]);
        codes[i] = done ? kNone : done.error().code();
      });
    }
    started.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    busy.end();
    threads.clear();
    return codes;
  }

  static constexpr Code kNone = Code{0xff};
  cuzk::test::TemporaryFolder folder;
  Database* database = nullptr;
  std::unique_ptr<CommitQueue> queue;
};

TEST_F(CommitQueueTest, AFailureUndoesItsOwnWritesAlone) {
  const auto codes = together({[&] { return insert(1); },
                               [&]() -> Status {
                                 CUZK_CHECK_OK(insert(2));
                                 return fail(Code::conflict, "no");
                               },
                               [&] { return insert(3); }});
  EXPECT_EQ(codes, (std::vector{kNone, Code::conflict, kNone}));
  EXPECT_EQ(rows(), 2);
}

TEST_F(CommitQueueTest, WhatIsTooLargeTakesNothingWithIt) {
  must(queue->run(Access::read, {}, [&] { return database->execute("PRAGMA max_page_count = 20"); }));
  const auto codes =
      together({[&] { return insert(1); }, [&] { return insert(2, 1'000'000); }, [&] { return insert(3); },
                [&]() -> Status {
                  CUZK_CHECK_OK(insert(4));
                  return insert(5, 1'000'000);
                }});
  EXPECT_EQ(codes, (std::vector{kNone, Code::exhausted, kNone, Code::exhausted}));
  EXPECT_EQ(rows(), 2) << "and the fourth left no half of it";
}

TEST_F(CommitQueueTest, ALockOfAnotherProcessIsWaitedForOnce) {
  const auto other = must(Database::open(folder.file("queue.db"), std::chrono::milliseconds(0)));
  must(queue->run(Access::read, {}, [&] { return database->execute("PRAGMA busy_timeout = 1"); }));
  must(other->execute("BEGIN IMMEDIATE"));
  const std::vector<std::function<Status()>> works(8, [&] { return insert(1); });
  // Again where the calls have not come together.
  EXPECT_TRUE(eventually([&] {
    BeginCounter::begins = 0;
    EXPECT_THAT(together(works), Each(Code::unavailable));
    return BeginCounter::begins == 1;
  }));
  must(other->execute("ROLLBACK"));
  must(queue->run(Access::write, {}, [&] { return insert(1); }));
}

TEST_F(CommitQueueTest, ALockThatIsTakenBetweenTwoTriesIsWaitedForOnceToo) {
  const auto other = must(Database::open(folder.file("queue.db"), std::chrono::milliseconds(0)));
  must(queue->run(Access::read, {}, [&] { return database->execute("PRAGMA busy_timeout = 1"); }));
  std::vector<std::function<Status()>> works(8, [&] { return insert(1); });
  works[0] = [&]() -> Status {  // as a full disk ends the transaction of all
    CUZK_CHECK_OK(database->execute("ROLLBACK"));
    return other->execute("BEGIN IMMEDIATE");
  };
  EXPECT_TRUE(eventually([&] {
    if (other->in_transaction()) must(other->execute("ROLLBACK"));
    BeginCounter::begins = 0;
    const std::vector<Code> codes = together(works);
    return BeginCounter::begins == 2 && std::ranges::count(codes, Code::unavailable) == std::ssize(works);
  }));
}

TEST_F(CommitQueueTest, AWaitingCallCanBeEnded) {
  Busy busy(*queue);
  const auto write = [&](const Call& call) { return queue->run(Access::write, call, [&] { return insert(1); }); };
  EXPECT_EQ(write({.deadline = Deadline::after(std::chrono::milliseconds(50))}).error().code(), Code::deadline);
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_EQ(write({.stop = stop.get_token()}).error().code(), Code::cancelled);
  busy.end();
  EXPECT_EQ(rows(), 0) << "what was given up is not done later";
}

TEST_F(CommitQueueTest, OnlyWritesThatHappenedAreChanges) {
  const std::uint64_t before = queue->changes();
  EXPECT_FALSE(queue->run(Access::write, {}, [&]() -> Status { return fail(Code::conflict, "no"); }));
  EXPECT_EQ(rows(), 0);
  EXPECT_EQ(queue->changes(), before);
  must(queue->run(Access::durable, {}, [&] { return insert(1); }));
  EXPECT_EQ(queue->changes(), before + 1);
}

TEST_F(CommitQueueTest, ReadsSeeWhatWasCommittedBeforeThem) {
  std::vector<std::jthread> threads;
  for (std::int64_t n = 0; n < 8; ++n) {
    threads.emplace_back([&, n] {
      for (std::int64_t i = 0; i < 20; ++i) {
        must(queue->run(Access::write, {}, [&] { return insert(n * 100 + i); }));
        const std::int64_t count = must(queue->run(Access::read, {}, [&] {
          return database->integer("SELECT count(*) FROM t WHERE n BETWEEN ?1 AND ?2", n * 100, n * 100 + 99);
        }));
        EXPECT_EQ(count, i + 1);
      }
    });
  }
}

}  // namespace
}  // namespace cuzk::store
