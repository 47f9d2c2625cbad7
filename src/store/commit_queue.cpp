#include "store/commit_queue.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace cuzk::store {

namespace {

constexpr std::size_t kLargestBatch = 256;
/// How often the file is looked at for changes by other processes, while somebody waits for one.
constexpr std::chrono::milliseconds kLookEvery{250};

/// Waits until ready() holds, the stop token is pulled or the deadline has passed; whether ready() holds.
template <class Ready>
bool wait(std::condition_variable_any& condition, MutexLock& lock, const Call& call, Ready ready) {
  if (call.deadline.is_never()) return condition.wait(lock, call.stop, ready);
  return condition.wait_until(lock, call.stop, call.deadline.when(), ready);
}

Status why_ended(const Call& call, std::string_view what) {
  CUZK_CHECK_OK(check_stop(call.stop, what));
  return call.deadline.check(what);
}

}  // namespace

CommitQueue::CommitQueue(std::unique_ptr<Database> database)
    : database_(std::move(database)), thread_([this](const StopToken& stop) { serve(stop); }) {
  ::pthread_setname_np(thread_.native_handle(), "cuzk-journal");
}

CommitQueue::~CommitQueue() = default;

// Callers.

bool CommitQueue::withdraw_locked(Request& request) {
  if (request.stage != Request::Stage::queued) return false;
  queue_.erase(std::find(queue_.begin(), queue_.end(), &request));
  return true;
}

Status CommitQueue::submit(Access access, const Call& call, FunctionRef<bool()> body) {
  CUZK_CHECK_OK(why_ended(call, "waiting for the journal"));
  Request request(access, body);
  MutexLock lock(mutex_);
  queue_.push_back(&request);
  arrived_.notify_one();
  const auto done = [&] { return request.stage == Request::Stage::done; };
  if (!wait(request.finished, lock, call, done)) {
    if (withdraw_locked(request)) {
      CUZK_CHECK_OK(why_ended(call, "waiting for the journal"));
      return fail(Code::deadline, "waiting for the journal has passed its deadline");
    }
    request.finished.wait(lock, done);  // it has begun, and its outcome is what the caller must know
  }
  return std::move(request.committed);
}

Result<std::uint64_t> CommitQueue::wait_for_change(std::uint64_t seen, const Call& call) {
  MutexLock lock(mutex_);
  ++waiting_for_change_;
  arrived_.notify_one();
  const bool changed = wait(changed_, lock, call, [&] { return changes_.load() != seen; });
  --waiting_for_change_;
  if (!changed) {
    CUZK_CHECK_OK(why_ended(call, "waiting for a change of the journal"));
    return fail(Code::deadline, "waiting for a change of the journal has passed its deadline");
  }
  return changes_.load();
}

// The thread.

void CommitQueue::serve(const StopToken& stop) {
  data_version_ = database_->integer("PRAGMA data_version").value_or(0);
  for (;;) {
    const std::vector<Request*> batch = next_batch(stop);
    if (batch.empty()) return;
    const std::int64_t before = database_->total_changes();
    run_batch(batch);
    finish(batch, database_->total_changes() != before);
  }
}

/// All that waits, up to the largest batch; empty when the queue ends.
std::vector<CommitQueue::Request*> CommitQueue::next_batch(const StopToken& stop) {
  MutexLock lock(mutex_);
  while (queue_.empty() && !stop.stop_requested()) {
    if (waiting_for_change_ == 0) {
      arrived_.wait(lock, stop, [this]() CUZK_REQUIRES(mutex_) { return !queue_.empty() || waiting_for_change_ > 0; });
      continue;
    }
    lock.unlock();
    notice_others();
    lock.lock();
    arrived_.wait_for(lock, stop, kLookEvery, [this]() CUZK_REQUIRES(mutex_) { return !queue_.empty(); });
  }
  std::vector<Request*> batch;
  while (!queue_.empty() && batch.size() < kLargestBatch) {
    batch.push_back(queue_.front());
    queue_.pop_front();
    batch.back()->stage = Request::Stage::running;
  }
  return batch;
}

/// Wakes the callers; a request is gone as soon as its caller sees it done.
void CommitQueue::finish(Batch batch, bool changed) {
  const MutexLock lock(mutex_);
  for (Request* request : batch) {
    request->stage = Request::Stage::done;
    request->finished.notify_one();
  }
  if (changed) {
    ++changes_;
    changed_.notify_all();
  }
}

void CommitQueue::notice_others() {
  const auto version = database_->integer("PRAGMA data_version");
  if (!version || *version == data_version_) return;
  data_version_ = *version;
  const MutexLock lock(mutex_);
  ++changes_;
  changed_.notify_all();
}

void CommitQueue::run_batch(Batch batch) {
  std::vector<Request*> reads;
  std::vector<Request*> writes;
  for (Request* request : batch) (request->access == Access::read ? reads : writes).push_back(request);
  run_writes(writes);
  run_reads(reads);
}

/// One view of the tables for all.
void CommitQueue::run_reads(Batch batch) {
  if (batch.empty()) return;
  const bool begun = database_->execute("BEGIN").has_value();
  for (Request* request : batch) request->succeeded = request->body();
  if (begun) roll_back();
}

void CommitQueue::run_writes(Batch batch) {
  if (batch.size() > 1 && run_together(batch)) return;
  while (!batch.empty() && run_first(batch)) batch = batch.subspan(1);
}

Status CommitQueue::begin(Access access) {
  const bool full = access == Access::durable;
  if (full != full_sync_) {
    CUZK_CHECK_OK(database_->execute(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
    full_sync_ = full;
  }
  return database_->execute("BEGIN IMMEDIATE");
}

/// What keeps one from beginning (the lock of another process, for which it has waited) is in the way of all.
bool CommitQueue::begin_for(Batch batch, Access access) {
  if (begin(access)) return true;
  for (Request* request : batch) {
    request->succeeded = false;
    request->committed = fail(database_->error("cannot use"));
  }
  return false;
}

/// False when the transaction itself has ended, as it does when the disk is full.
bool CommitQueue::run_in_savepoint(Request& request) {
  if (!database_->execute("SAVEPOINT request")) return false;
  request.succeeded = request.body();
  if (!database_->in_transaction()) return false;
  if (!request.succeeded && !database_->execute("ROLLBACK TO request")) return false;
  return database_->execute("RELEASE request").has_value();
}

bool CommitQueue::run_together(Batch batch) {
  const bool durable = std::any_of(batch.begin(), batch.end(),
                                   [](const Request* request) { return request->access == Access::durable; });
  if (!begin_for(batch, durable ? Access::durable : Access::write)) return true;
  bool whole = true;
  for (std::size_t i = 0; whole && i < batch.size(); ++i) whole = run_in_savepoint(*batch[i]);
  whole = whole && database_->execute("COMMIT").has_value();
  if (!whole) roll_back();
  return whole;
}

bool CommitQueue::run_first(Batch batch) {
  Request& request = *batch.front();
  if (!begin_for(batch, request.access)) return false;
  request.succeeded = request.body();
  if (request.succeeded) request.committed = database_->execute("COMMIT");
  roll_back();
  return true;
}

void CommitQueue::roll_back() noexcept {
  if (database_->in_transaction()) (void)database_->execute("ROLLBACK");
}

}  // namespace cuzk::store
