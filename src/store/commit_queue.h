// CommitQueue: one thread that owns a database connection, and the queue at which other threads hand it their work.
//
// What waits in the queue together is committed together: writes of one batch share one transaction, and one wait for
// the disk when any of them is durable. A write that fails is undone alone. When the batch itself fails (disk full),
// each of its writes is tried in a transaction of its own, so that one that is too large takes no other with it. When
// no transaction can begin (another process keeps its lock longer than the busy timeout), that is the answer to all:
// one wait, however many they are.
//
//   caller ── Request on its stack ──► queue_ ──► thread: BEGIN, SAVEPOINT each, COMMIT ──► caller wakes
//
// Lock: one mutex over the queue (rank: nothing else is taken while it is held); the connection needs none.
// Thread-safety: concurrently; calls end before the queue does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "store/journal.h"
#include "store/sqlite.h"
#include "support/function_ref.h"
#include "support/mutex.h"
#include "support/result.h"

namespace cuzk::store {

class CommitQueue {
 public:
  enum class Access : std::uint8_t {
    read,
    write,    // survives the death of the process
    durable,  // survives a loss of power
  };

  explicit CommitQueue(std::unique_ptr<Database> database);
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;
  /// What was handed in is still done.
  ~CommitQueue();

  /// Runs `work` (a Result or Status) on the thread and waits for it. An error of the work undoes what it wrote; it may
  /// run twice, with nothing of the first time left.
  template <class Work> auto run(Access access, const Call& call, Work work) -> decltype(work()) {
    std::optional<decltype(work())> outcome;
    const auto body = [&] {
      outcome.emplace(work());
      return outcome->has_value();
    };
    CUZK_CHECK_OK(submit(access, call, body));
    return *std::move(outcome);  // NOLINT(bugprone-unchecked-optional-access): submit() has run the work
  }

  /// A number that grows with each change; now and then also with one that was undone.
  std::uint64_t changes() const noexcept { return changes_.load(); }
  Result<std::uint64_t> wait_for_change(std::uint64_t seen, const Call& call);

 private:
  struct Request {
    enum class Stage : std::uint8_t { queued, running, done };
    Request(Access how, FunctionRef<bool()> what) noexcept : access(how), body(what) {}

    Access access;
    FunctionRef<bool()> body;
    Stage stage = Stage::queued;
    bool succeeded = false;
    Status committed;
    std::condition_variable_any finished;
  };
  using Batch = std::span<Request* const>;

  Status submit(Access access, const Call& call, FunctionRef<bool()> body);
  bool withdraw_locked(Request& request) CUZK_REQUIRES(mutex_);

  void serve(const StopToken& stop);
  std::vector<Request*> next_batch(const StopToken& stop);
  void finish(Batch batch, bool changed);
  void run_batch(Batch batch);
  void run_reads(Batch batch);
  void run_writes(Batch batch);
  /// False when the batch as a whole has failed and nothing of it is written.
  bool run_together(Batch batch);
  /// The first in a transaction of its own. False: none could begin, and all have their answer.
  bool run_first(Batch batch);
  Status begin(Access access);
  /// False: it is refused, and all have that for an answer.
  bool begin_for(Batch batch, Access access);
  bool run_in_savepoint(Request& request);
  void roll_back() noexcept;
  void notice_others();

  std::unique_ptr<Database> database_;  // the thread's, once it runs
  bool full_sync_ = true;               // the thread's; as the tables were opened
  std::int64_t data_version_ = 0;       // the thread's
  Mutex mutex_;
  std::condition_variable_any arrived_;
  std::condition_variable_any changed_;
  std::deque<Request*> queue_ CUZK_GUARDED_BY(mutex_);
  unsigned waiting_for_change_ CUZK_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint64_t> changes_{0};  // raised under mutex_
  std::jthread thread_;                    // last: ends before what it uses
};

}  // namespace cuzk::store
