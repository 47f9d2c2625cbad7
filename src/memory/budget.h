// MemoryBudget: who may have how much memory, and who waits for it.
//
// One for the host, one for each device. A request that does not fit waits: higher priority first, first come first
// served among equals, and nobody overtakes the first of the queue, however small his request; so large requests are
// not starved. The first of the queue may have things evicted (evictor.h), and only when that is enough for it to go
// on: otherwise it waits for others to give back, and what is warm stays warm. A part of the total is kept for critical
// work.
//
// A partition reserves its whole peak at once, then splits and shrinks: whoever waits for memory while holding some of
// the same budget can wait for ever.
//
// Errors: invalid_argument; exhausted (the request could never be met, or try_reserve found no room, or a fault was
// injected), cancelled, deadline: each says how much was wanted, what is free and who holds the rest.
// Units: bytes. Thread-safety: concurrently. Lock rank: 50; evictors, clocks of tests apart, nothing of others is
// called under it, so it may be taken under any lock of a lower rank (the pool's, 45).
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "memory/evictor.h"
#include "memory/fault_policy.h"
#include "memory/ledger.h"
#include "memory/reservation.h"
#include "memory/time_source.h"
#include "support/mutex.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::memory {

struct BudgetOptions {
  std::string name = "host memory";  // in messages: "13.6 GiB of host memory"
  std::uint64_t total_bytes = 0;
  std::uint64_t critical_reserve_bytes = 0;
  std::shared_ptr<FaultPolicy> faults = nullptr;  // null: nothing fails on purpose
  TimeSource* time = &steady_time();              // must outlive the budget
};

struct ReserveRequest {
  std::uint64_t bytes = 0;
  std::uint64_t pooled_bytes = 0;  // of them: what will be taken as buffers of the pool (PinnedPool::footprint_bytes)
  MemoryTag tag = MemoryTag::workspace;
  // g++ wants initialisers of what designated ones may leave out.
  std::string owner = std::string();  // "porep-32g", "job 17" NOLINT(readability-redundant-member-init)
  Priority priority = Priority::normal;
  StopToken stop = StopToken();  // NOLINT(readability-redundant-member-init)
  Deadline deadline = Deadline::never();
};

struct BudgetSnapshot {
  struct Waiting {
    MemoryTag tag;
    std::string owner;
    std::uint64_t bytes;
    Priority priority;
    std::uint64_t waited_ns;
  };

  std::uint64_t total = 0;
  std::uint64_t critical_reserve = 0;
  std::uint64_t used = 0;  // reserved and the idle bytes that nobody expects
  std::uint64_t used_peak = 0;
  std::uint64_t reserved = 0;
  std::uint64_t expected = 0;   // of reserved: still to be taken from the pool
  std::uint64_t idle = 0;       // free in the pool
  std::uint64_t available = 0;  // for a request of normal priority
  std::array<Ledger::TagUse, kMemoryTags> by_tag{};
  std::vector<Account> holders;  // largest first
  std::vector<Waiting> waiting;  // next first
  std::uint64_t granted = 0;
  std::uint64_t granted_after_waiting = 0;
  std::uint64_t refused = 0;   // could never be met, or failed on purpose
  std::uint64_t given_up = 0;  // waits that ended as cancelled or too late
  std::uint64_t evicted = 0;   // bytes, as the evictors said
};

/// Keeps an evictor registered; its end waits until the evictor is not being called (unless by this thread).
class EvictorRegistration {
 public:
  EvictorRegistration() noexcept = default;
  EvictorRegistration(EvictorRegistration&& other) noexcept;
  EvictorRegistration& operator=(EvictorRegistration&& other) noexcept;
  EvictorRegistration(const EvictorRegistration&) = delete;
  EvictorRegistration& operator=(const EvictorRegistration&) = delete;
  ~EvictorRegistration();

 private:
  friend class MemoryBudget;
  EvictorRegistration(std::shared_ptr<MemoryBudget> budget, const void* entry) noexcept;
  void end() noexcept;

  std::shared_ptr<MemoryBudget> budget_;
  const void* entry_ = nullptr;
};

class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
  struct Private {};

 public:
  /// invalid_argument: a total of 0, or a reserve that leaves nothing for ordinary work.
  static Result<std::shared_ptr<MemoryBudget>> create(BudgetOptions options);
  MemoryBudget(Private, BudgetOptions options);
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;
  ~MemoryBudget();

  /// Waits for its turn and for room. A request above what its priority can ever get fails at once; one that was
  /// stopped or is too late gets nothing even where there is room.
  Result<Reservation> reserve(const ReserveRequest& request);
  /// Only what is free now, without evicting and without overtaking; stop and deadline of the request mean nothing.
  /// Finding no room is an answer, and counts as no request's end: who asked may wait for it now.
  Result<Reservation> try_reserve(const ReserveRequest& request);

  [[nodiscard]] EvictorRegistration register_evictor(EvictionOrder order, Evictor& evictor);
  /// To be called when something has become evictable that was not before: the first waiter looks again.
  void reconsider() noexcept;

  BudgetSnapshot snapshot() const;
  std::uint64_t total_bytes() const noexcept { return total_; }
  /// Whether a step fails on purpose.
  bool should_fail(FaultSite site, std::uint64_t bytes) const noexcept;

 private:
  friend class Reservation;
  friend class EvictorRegistration;
  friend class PinnedPool;

  struct Waiter {
    const ReserveRequest& request;
    TimeSource::TimePoint since;
  };
  struct Entry {
    EvictionOrder order;
    Evictor* evictor;  // null: no longer registered
  };
  using Evictors = std::vector<std::shared_ptr<Entry>>;

  Status check_possible(const ReserveRequest& request);
  Reservation hold(Holding holding) { return {shared_from_this(), holding}; }
  Status wait_for_turn_locked(const Waiter& waiter, MutexLock& lock) CUZK_REQUIRES(mutex_);
  Status check_patience_locked(const Waiter& waiter) CUZK_REQUIRES(mutex_);
  bool is_first_locked(const Waiter& waiter) const CUZK_REQUIRES(mutex_);
  bool has_turn_locked(const Waiter& waiter) const CUZK_REQUIRES(mutex_);
  void enqueue_locked(const Waiter& waiter) CUZK_REQUIRES(mutex_);
  void leave_queue_locked(const Waiter& waiter) CUZK_REQUIRES(mutex_);
  Holding grant_locked(const ReserveRequest& request) CUZK_REQUIRES(mutex_);
  void changed_locked() noexcept CUZK_REQUIRES(mutex_);

  /// Runs the evictors for the first waiter, without the lock; when to look again.
  TimeSource::TimePoint evict_locked(const Waiter& waiter) CUZK_REQUIRES(mutex_);
  TimeSource::TimePoint run_evictors(const Evictors& evictors, const Waiter& waiter);
  std::optional<EvictionNeed> need_of(const Waiter& waiter);
  Evictor* still_registered(const Entry& entry);
  void unregister(const void* entry) noexcept;

  Error refusal_locked(Code code, const std::string& event, const ReserveRequest& request) const CUZK_REQUIRES(mutex_);
  std::string holders_locked() const CUZK_REQUIRES(mutex_);

  // For Reservation.
  Holding split(Holding& from, Amount amount);
  void give_back(Holding& from, std::uint64_t bytes) noexcept;
  void join(Holding& to, Holding& from);
  void rename(Holding& holding, MemoryTag tag, std::string_view owner);
  void make_ordinary(Holding& holding);
  void end(Holding& holding) noexcept;
  std::string owner_of(const Holding& holding) const;
  MemoryTag tag_of(const Holding& holding) const noexcept;

  // For the pool, of which a budget has at most one; it calls them under its own lock, so that its free lists and
  // these books agree.
  bool attach_pool() noexcept;
  void detach_pool() noexcept;
  void park(Reservation& from, std::uint64_t bytes) noexcept;
  void take_idle(Reservation& by, std::uint64_t bytes) noexcept;
  bool materialise(Reservation& by, std::uint64_t bytes) noexcept;
  void drop_idle(std::uint64_t bytes) noexcept;
  std::uint64_t excess_idle(std::uint64_t more) const noexcept;

  const std::string name_;
  const std::uint64_t total_;
  const std::shared_ptr<FaultPolicy> faults_;
  TimeSource& time_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::condition_variable_any evicted_;
  Ledger ledger_ CUZK_GUARDED_BY(mutex_);
  std::vector<const Waiter*> queue_ CUZK_GUARDED_BY(mutex_);  // next first
  std::uint64_t generation_ CUZK_GUARDED_BY(mutex_) = 0;      // of everything that a waiter's turn depends on
  Evictors evictors_ CUZK_GUARDED_BY(mutex_);
  bool evicting_ CUZK_GUARDED_BY(mutex_) = false;
  std::thread::id evicting_thread_ CUZK_GUARDED_BY(mutex_);
  bool has_pool_ CUZK_GUARDED_BY(mutex_) = false;
  std::uint64_t granted_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t granted_after_waiting_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t refused_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t given_up_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t evicted_bytes_ CUZK_GUARDED_BY(mutex_) = 0;
};

}  // namespace cuzk::memory
