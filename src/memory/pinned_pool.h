// PinnedPool: page-locked memory that is made once and used for every partition.
//
//   PinnedPool ─owns─► idle chunks, pre-warming thread ("cuzk-prewarm")
//   HostBuffer ─owns─► its chunks, its Reservation, a share of the pool          (the pool ends with its last buffer)
//
// A buffer of n bytes is n / large chunks and small ones for the rest: no gigabytes in a row, less than one small chunk
// wasted, and any chunk fits any later buffer (docs/adr/0008). Bytes in use are under the buffer's Reservation, idle
// ones are in the budget's books as idle: a request that says which part of it the pool will serve
// (ReserveRequest::pooled_bytes) is admitted without having the pool emptied first. The pool is its budget's first
// evictor: it gives back idle chunks that no admitted request expects, largest first, the remainder by small ones.
//
// Where page-locking is refused, or the limit is reached, a chunk is ordinary memory: same bytes, same use, slower
// copies. Each is counted by its cause, and the first of each cause is logged. Such chunks are never kept.
//
// Units: bytes. Errors: invalid_argument, exhausted. Thread-safety: concurrently. Lock rank: 45; under it only the
// budget's (50) is taken; mapping, touching, locking, unlocking and freeing pages happen outside.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "memory/budget.h"
#include "memory/evictor.h"
#include "memory/host_buffer.h"
#include "memory/memory_size.h"
#include "memory/page_locker.h"
#include "support/mutex.h"
#include "support/parallel.h"

namespace cuzk::memory {

struct PoolOptions {
  /// Powers of two, multiples of page_bytes(), large >= small. For machines: 64 MiB and 2 MiB, a huge page.
  std::uint64_t large_chunk_bytes = 64 * kMiB;
  std::uint64_t small_chunk_bytes = 2 * kMiB;
  /// Most bytes that are page-locked at once; none: the machine belongs to the prover.
  std::optional<std::uint64_t> pinned_limit_bytes = std::nullopt;
  /// Overwrites what a buffer held when it comes back.
  bool wipe_on_return = false;
  /// Touches new chunks in parallel; null: the calling thread does it. Must outlive the pool.
  Arena* arena = nullptr;
  /// null: mlock.
  std::shared_ptr<PageLocker> locker = nullptr;
};

enum class BufferMemory : std::uint8_t {
  pinned,    // page-locked where it may be
  pageable,  // ordinary memory, on purpose
};

struct PoolStatistics {
  struct Fallbacks {
    std::uint64_t refused = 0;  // chunks whose locking was refused, by the system or on purpose
    std::uint64_t limited = 0;  // chunks above the limit
  };

  std::string locker;
  // Since the start.
  std::uint64_t buffers = 0;
  std::uint64_t fallback_buffers = 0;  // of them: with a chunk that is not page-locked, and should be
  std::uint64_t hits = 0;              // chunks that lay ready
  std::uint64_t misses = 0;            // chunks that had to be made while someone waited
  Fallbacks fallbacks;
  std::uint64_t pageable_bytes = 0;  // handed out that way
  std::uint64_t prewarmed = 0;       // chunks made ahead
  std::uint64_t freed = 0;           // chunks freed again: evicted, shrunk, or of the wrong size
  std::uint64_t evicted_bytes = 0;   // freed for the budget
  std::string last_refusal;          // what the system said
  // Now.
  std::uint64_t buffers_in_use = 0;
  std::uint64_t in_use_pinned_bytes = 0;
  std::uint64_t in_use_pageable_bytes = 0;
  std::uint64_t wasted_bytes = 0;  // of those in use: the ends of last chunks
  std::uint64_t idle_bytes = 0;
  std::uint64_t pinned_bytes = 0;  // idle, in use, and being made or freed
  std::uint64_t pinned_peak_bytes = 0;
  std::optional<std::uint64_t> pinned_limit_bytes;
  // Pre-warming.
  std::uint64_t prewarm_target_bytes = 0;
  std::uint64_t prewarm_ready_bytes = 0;  // of the target: exists, idle or in use
  bool prewarm_running = false;
  std::string prewarm_end;  // why it ended before its target; empty: it did not
};

class PinnedPool final : public std::enable_shared_from_this<PinnedPool>, private Evictor {
  struct Private {};

 public:
  /// invalid_argument: chunk sizes as PoolOptions does not allow. conflict: the budget has a pool.
  static Result<std::shared_ptr<PinnedPool>> create(std::shared_ptr<MemoryBudget> budget, PoolOptions options = {});
  PinnedPool(Private, std::shared_ptr<MemoryBudget> budget, PoolOptions options);
  ~PinnedPool() override;

  /// What a buffer of `bytes` costs, and how much of a request for it is pooled_bytes.
  std::uint64_t footprint_bytes(std::uint64_t bytes) const noexcept;

  /// A buffer, paid from `from`: footprint_bytes(bytes) of it, its pooled bytes first. Never waits for others.
  /// invalid_argument when `from` has less or is another budget's; exhausted when the system gives no memory at all
  /// (what was split from `from` is then given back to the budget: the job cannot go on).
  Result<HostBuffer> acquire(std::uint64_t bytes, Reservation& from, BufferMemory memory = BufferMemory::pinned);

  /// Makes chunks in the background until buffers of all these sizes can be had at once without a miss; stops early
  /// when the budget has no room, the limit is reached or locking is refused. A later call replaces the target.
  void prewarm(std::span<const std::uint64_t> buffer_bytes);
  /// So many buffers of one size, or of any size up to it.
  struct BufferSet {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    bool at_most = false;
  };
  /// The same for any one of these sets, not for all of them at once: kinds of work that take turns.
  void prewarm_for_any(std::span<const BufferSet> sets);
  /// Waits for its end; cancelled, deadline.
  Status wait_prewarmed(const StopToken& stop, Deadline deadline);

  /// Frees what has lain idle ever since the call before, except what pre-warming was asked for; how many bytes. To be
  /// called every few minutes.
  std::uint64_t trim();

  /// Frees idle chunks of about that many bytes, largest first; how many it freed.
  std::uint64_t shrink(std::uint64_t bytes);

  PoolStatistics statistics() const;

 private:
  friend class HostBuffer;

  enum class Size : std::uint8_t { large, small };
  static constexpr std::array kSizes = {Size::large, Size::small};
  using Chunk = HostBuffer::Chunk;
  using Counts = std::array<std::uint64_t, 2>;  // by Size

  std::string_view name() const noexcept override { return "pool"; }
  Evictable evictable(const EvictionNeed& need) override;
  std::uint64_t evict(const EvictionNeed& need) override;

  std::uint64_t bytes_of(Size size) const noexcept { return chunk_bytes_[static_cast<std::size_t>(size)]; }
  Size size_of(const Chunk& chunk) const noexcept;
  Counts plan(std::uint64_t bytes) const noexcept;
  /// Enough for a buffer of any size up to this.
  Counts plan_up_to(std::uint64_t bytes) const noexcept;
  std::uint64_t bytes_of(const Counts& counts) const noexcept;
  std::vector<Chunk>& idle_locked(Size size) CUZK_REQUIRES(mutex_) { return idle_[static_cast<std::size_t>(size)]; }
  std::uint64_t idle_bytes_locked() const CUZK_REQUIRES(mutex_);

  HostBuffer begin_buffer(std::uint64_t bytes, Reservation paid);
  Status fill(HostBuffer& buffer, Size size, std::uint64_t count, BufferMemory memory);
  std::uint64_t take_idle(HostBuffer& buffer, Size size, std::uint64_t count);
  void take_back(std::uint64_t size, std::vector<Chunk> chunks, Reservation paid) noexcept;

  /// A new chunk, page-locked if that may be and can be.
  Result<Chunk> make_chunk(Size size, Reservation& paid, BufferMemory memory);
  bool make_room(std::uint64_t bytes, Reservation& paid, BufferMemory memory);
  bool may_pin_locked(std::uint64_t bytes) const CUZK_REQUIRES(mutex_);
  /// Whether the limit allows it once nothing is idle.
  bool limit_leaves_locked(std::uint64_t bytes) const CUZK_REQUIRES(mutex_);
  Status pin(MutableBytes block);
  void touch(MutableBytes block) const;
  void note_refusal(const Error& error);
  void note_limit();

  /// A chunk to free for that need; nothing when none is idle.
  std::optional<Chunk> pick_victim_locked(std::uint64_t need) CUZK_REQUIRES(mutex_);
  /// Frees an idle chunk that was taken from its list, without the lock meanwhile.
  void free_victim_locked(Chunk victim) CUZK_REQUIRES(mutex_);
  void note_least_idle_locked() CUZK_REQUIRES(mutex_);
  std::uint64_t free_idle(std::uint64_t bytes, std::uint64_t pooled_bytes_of_need, bool excess_only);

  void prewarm_to(const Counts& target);
  void run_prewarmer(const StopToken& stop) noexcept;
  /// False: stopped.
  bool wait_for_target(const StopToken& stop);
  /// One chunk more; false at the end.
  bool prewarm_step();
  std::optional<Size> next_to_prewarm();
  bool prewarm_chunk(Size size);
  void end_prewarm_locked(std::string why) CUZK_REQUIRES(mutex_);

  const std::shared_ptr<MemoryBudget> budget_;
  const PoolOptions options_;
  const std::shared_ptr<PageLocker> locker_;
  const std::array<std::uint64_t, 2> chunk_bytes_;

  mutable Mutex mutex_;
  std::condition_variable_any freed_;            // victims_bytes_ has shrunk
  std::condition_variable_any prewarmed_;        // pre-warming has ended
  std::condition_variable_any prewarm_changed_;  // there is a new target
  std::array<std::vector<Chunk>, 2> idle_ CUZK_GUARDED_BY(mutex_);
  Counts least_idle_ CUZK_GUARDED_BY(mutex_){};             // since the last trim()
  Counts pinned_counts_ CUZK_GUARDED_BY(mutex_){};          // chunks that are page-locked, idle or in use
  std::uint64_t victim_bytes_ CUZK_GUARDED_BY(mutex_) = 0;  // being freed; still idle in the budget's books
  PoolStatistics stats_ CUZK_GUARDED_BY(mutex_);
  Counts prewarm_target_ CUZK_GUARDED_BY(mutex_){};
  std::uint64_t prewarm_number_ CUZK_GUARDED_BY(mutex_) = 0;  // of the target
  std::uint64_t prewarm_begun_ CUZK_GUARDED_BY(mutex_) = 0;   // number of the target that is being reached, or was

  EvictorRegistration registration_;
  std::jthread prewarmer_;  // last: ends before what it uses
};

}  // namespace cuzk::memory
