#include "memory/pinned_pool.h"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "support/log.h"
#include "support/secret.h"

namespace cuzk::memory {

namespace {

constexpr std::size_t index(auto size) noexcept { return static_cast<std::size_t>(size); }

Status check_options(const PoolOptions& options) {
  const auto is_chunk = [](std::uint64_t bytes) { return std::has_single_bit(bytes) && bytes % page_bytes() == 0; };
  if (is_chunk(options.large_chunk_bytes) && is_chunk(options.small_chunk_bytes) &&
      options.large_chunk_bytes >= options.small_chunk_bytes) {
    return {};
  }
  return fail(Code::invalid_argument, "chunks of " + std::to_string(options.large_chunk_bytes) + " and " +
                                          std::to_string(options.small_chunk_bytes) +
                                          " bytes: expected powers of two, at least a page, the larger one first");
}

}  // namespace

Result<std::shared_ptr<PinnedPool>> PinnedPool::create(std::shared_ptr<MemoryBudget> budget, PoolOptions options) {
  CUZK_CHECK_OK(check_options(options));
  if (!budget->attach_pool()) return fail(Code::conflict, "the memory budget has a pool already");
  if (!options.locker) options.locker = make_mlock_locker();
  auto pool = std::make_shared<PinnedPool>(Private{}, std::move(budget), std::move(options));
  pool->registration_ = pool->budget_->register_evictor(EvictionOrder::pool, *pool);
  return pool;
}

PinnedPool::PinnedPool(Private /*made by create()*/, std::shared_ptr<MemoryBudget> budget, PoolOptions options)
    : budget_(std::move(budget)),
      options_(std::move(options)),
      locker_(options_.locker),
      chunk_bytes_{options_.large_chunk_bytes, options_.small_chunk_bytes} {
  const MutexLock lock(mutex_);
  stats_.locker = locker_->name();
  stats_.pinned_limit_bytes = options_.pinned_limit_bytes;
}

PinnedPool::~PinnedPool() {
  prewarmer_ = {};  // asks it to stop, and waits
  registration_ = {};
  shrink(~std::uint64_t{0});
  budget_->detach_pool();
}

// Sizes.

PinnedPool::Counts PinnedPool::plan(std::uint64_t bytes) const noexcept {
  const std::uint64_t large = bytes / bytes_of(Size::large);
  const std::uint64_t rest = bytes % bytes_of(Size::large);
  return {large, rest / bytes_of(Size::small) + (rest % bytes_of(Size::small) != 0 ? 1 : 0)};
}

PinnedPool::Counts PinnedPool::plan_up_to(std::uint64_t bytes) const noexcept {
  Counts counts = plan(bytes);
  if (counts[0] > 0) counts[1] = bytes_of(Size::large) / bytes_of(Size::small);
  return counts;
}

std::uint64_t PinnedPool::bytes_of(const Counts& counts) const noexcept {
  return counts[0] * chunk_bytes_[0] + counts[1] * chunk_bytes_[1];
}

std::uint64_t PinnedPool::footprint_bytes(std::uint64_t bytes) const noexcept { return bytes_of(plan(bytes)); }

PinnedPool::Size PinnedPool::size_of(const Chunk& chunk) const noexcept {
  return chunk.block.size() == bytes_of(Size::large) ? Size::large : Size::small;
}

std::uint64_t PinnedPool::idle_bytes_locked() const {
  return idle_[0].size() * chunk_bytes_[0] + idle_[1].size() * chunk_bytes_[1];
}

// Handing out.

Result<HostBuffer> PinnedPool::acquire(std::uint64_t bytes, Reservation& from, BufferMemory memory) {
  const Counts counts = plan(bytes);
  const std::uint64_t footprint = bytes_of(counts);
  if (from.budget() != budget_ || from.bytes() < footprint) {
    return fail(Code::invalid_argument,
                "a buffer of " + std::to_string(bytes) + " bytes takes " + std::to_string(footprint) +
                    " of a reservation that holds " +
                    (from.budget() == budget_ ? std::to_string(from.bytes()) : "those of another budget"));
  }
  HostBuffer buffer = begin_buffer(bytes, from.split(footprint, std::min(footprint, from.pooled_bytes())));
  for (const Size size : kSizes) CUZK_CHECK_OK(fill(buffer, size, counts[index(size)], memory));
  const MutexLock lock(mutex_);
  ++stats_.buffers;
  stats_.fallback_buffers += memory == BufferMemory::pageable || buffer.is_pinned() ? 0U : 1U;
  return buffer;
}

HostBuffer PinnedPool::begin_buffer(std::uint64_t bytes, Reservation paid) {
  HostBuffer buffer;
  buffer.pool_ = shared_from_this();
  buffer.size_ = bytes;
  buffer.large_shift_ = static_cast<unsigned>(std::countr_zero(bytes_of(Size::large)));
  buffer.small_shift_ = static_cast<unsigned>(std::countr_zero(bytes_of(Size::small)));
  buffer.reservation_ = std::move(paid);
  const MutexLock lock(mutex_);
  ++stats_.buffers_in_use;
  stats_.wasted_bytes += buffer.footprint() - bytes;
  return buffer;
}

Status PinnedPool::fill(HostBuffer& buffer, Size size, std::uint64_t count, BufferMemory memory) {
  buffer.chunks_.reserve(buffer.chunks_.size() + count);
  const bool takes_idle = memory == BufferMemory::pinned;
  for (std::uint64_t i = takes_idle ? take_idle(buffer, size, count) : 0; i < count; ++i) {
    if (takes_idle && i > 0 && take_idle(buffer, size, 1) > 0) continue;  // one that came back meanwhile
    CUZK_TRY(Chunk chunk, make_chunk(size, buffer.reservation_, memory));
    const MutexLock lock(mutex_);
    ++stats_.misses;
    if (chunk.pinned) {
      stats_.in_use_pinned_bytes += chunk.block.size();
    } else {
      stats_.in_use_pageable_bytes += chunk.block.size();
      stats_.pageable_bytes += chunk.block.size();
      buffer.pageable_bytes_ += chunk.block.size();
    }
    buffer.chunks_.push_back(std::move(chunk));
  }
  if (size == Size::large) buffer.large_count_ = static_cast<std::size_t>(count);
  return {};
}

std::uint64_t PinnedPool::take_idle(HostBuffer& buffer, Size size, std::uint64_t count) {
  const MutexLock lock(mutex_);
  std::vector<Chunk>& idle = idle_locked(size);
  const std::uint64_t taken = std::min<std::uint64_t>(count, idle.size());
  for (std::uint64_t i = 0; i < taken; ++i) {
    buffer.chunks_.push_back(std::move(idle.back()));
    idle.pop_back();
  }
  note_least_idle_locked();
  const std::uint64_t bytes = taken * bytes_of(size);
  if (bytes > 0) budget_->take_idle(buffer.reservation_, bytes);
  stats_.hits += taken;
  stats_.in_use_pinned_bytes += bytes;
  return taken;
}

void PinnedPool::take_back(std::uint64_t size, std::vector<Chunk> chunks, Reservation paid) noexcept {
  if (options_.wipe_on_return) {
    for (const Chunk& chunk : chunks) wipe_memory(chunk.block.bytes().data(), chunk.block.size());
  }
  const std::uint64_t footprint = paid.bytes();
  const auto first_pageable = std::partition(chunks.begin(), chunks.end(), [](const Chunk& c) { return c.pinned; });
  std::uint64_t pageable = 0;
  for (auto chunk = first_pageable; chunk != chunks.end(); ++chunk) pageable += chunk->block.size();
  chunks.erase(first_pageable, chunks.end());  // unmapped here; their bytes end with `paid`
  const MutexLock lock(mutex_);
  std::uint64_t parked = 0;
  for (Chunk& chunk : chunks) {
    parked += chunk.block.size();
    idle_locked(size_of(chunk)).push_back(std::move(chunk));
  }
  if (parked > 0) budget_->park(paid, parked);
  --stats_.buffers_in_use;
  stats_.wasted_bytes -= footprint - size;
  stats_.in_use_pinned_bytes -= parked;
  stats_.in_use_pageable_bytes -= pageable;
}

// Making.

Result<PinnedPool::Chunk> PinnedPool::make_chunk(Size size, Reservation& paid, BufferMemory memory) {
  const std::uint64_t bytes = bytes_of(size);
  bool counted = make_room(bytes, paid, memory);
  const auto uncount = [&] {
    const MutexLock lock(mutex_);
    stats_.pinned_bytes -= bytes;
    counted = false;
  };
  if (budget_->should_fail(FaultSite::map, bytes)) {
    if (counted) uncount();
    return fail(Code::exhausted, "mapping " + format_memory_size(bytes) + " of memory failed on purpose");
  }
  auto block = PageBlock::map(static_cast<std::size_t>(bytes));
  if (!block) {
    if (counted) uncount();
    return fail(std::move(block).error());
  }
  Chunk chunk{*std::move(block), false};
  if (!counted) return chunk;
  const Status pinned = pin(chunk.block.bytes());
  if (!pinned) {
    uncount();
    note_refusal(pinned.error());
    return chunk;
  }
  chunk.pinned = true;
  const MutexLock lock(mutex_);
  ++pinned_counts_[index(size)];
  return chunk;
}

bool PinnedPool::may_pin_locked(std::uint64_t bytes) const {
  return !options_.pinned_limit_bytes || (stats_.pinned_bytes <= *options_.pinned_limit_bytes &&
                                          bytes <= *options_.pinned_limit_bytes - stats_.pinned_bytes);
}

bool PinnedPool::limit_leaves_locked(std::uint64_t bytes) const {
  const std::uint64_t in_use = stats_.pinned_bytes - idle_bytes_locked() - victim_bytes_;
  const std::uint64_t limit = options_.pinned_limit_bytes.value_or(in_use + bytes);
  return in_use <= limit && bytes <= limit - in_use;
}

/// Makes sure that new bytes fit beside the idle ones, freeing some of those if they do not (they are then of the other
/// size); true, and the bytes counted, when they may be page-locked and are to be.
bool PinnedPool::make_room(std::uint64_t bytes, Reservation& paid, BufferMemory memory) {
  MutexLock lock(mutex_);
  bool fits = false;
  while (true) {
    fits = fits || budget_->materialise(paid, bytes);
    if (fits && memory == BufferMemory::pageable) return false;
    const bool may_pin = may_pin_locked(bytes);
    if (fits && may_pin) {
      stats_.pinned_bytes += bytes;
      stats_.pinned_peak_bytes = std::max(stats_.pinned_peak_bytes, stats_.pinned_bytes);
      return true;
    }
    const bool freeing_helps = !fits || limit_leaves_locked(bytes);
    std::optional<Chunk> victim = freeing_helps ? pick_victim_locked(bytes) : std::nullopt;
    if (victim) {
      free_victim_locked(*std::move(victim));
    } else if (freeing_helps && victim_bytes_ > 0) {
      freed_.wait(lock);
    } else {
      CUZK_REQUIRE(fits);  // with nothing idle, what is reserved fits
      lock.unlock();
      note_limit();
      return false;
    }
  }
}

Status PinnedPool::pin(MutableBytes block) {
  if (budget_->should_fail(FaultSite::page_lock, block.size())) {
    return fail(Code::exhausted, "page-locking failed on purpose");
  }
  touch(block);
  return locker_->lock(block);
}

/// The kernel gives a page at its first touch, and clears it: the slow part, so it is spread over threads.
void PinnedPool::touch(MutableBytes block) const {
  constexpr std::size_t kGrain = 1;  // huge pages; clearing one takes about 200 us
  const std::size_t page = page_bytes();
  const auto touch_part = [&](std::size_t begin, std::size_t end) {
    const std::size_t stop = std::min(end * kHugePageBytes, block.size());
    for (std::size_t at = begin * kHugePageBytes; at < stop; at += page) {
      *const_cast<volatile std::byte*>(block.data() + at) = std::byte{0};
    }
  };
  const std::size_t parts = (block.size() + kHugePageBytes - 1) / kHugePageBytes;
  if (options_.arena == nullptr) {
    touch_part(0, parts);
  } else {
    parallel_for(*options_.arena, 0, parts, kGrain, touch_part);
  }
}

void PinnedPool::note_refusal(const Error& error) {
  const std::string text = error.to_string();
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    is_first = stats_.fallbacks.refused++ == 0;
    stats_.last_refusal = text;
  }
  if (is_first) log_warn("page-locking was refused, copies to devices will be slower: " + text);
}

void PinnedPool::note_limit() {
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    is_first = stats_.fallbacks.limited++ == 0;
  }
  if (is_first) {
    log_warn("the limit of page-locked memory, " + format_memory_size(options_.pinned_limit_bytes.value_or(0)) +
             ", is reached; further buffers are ordinary memory, copies to devices will be slower");
  }
}

// Freeing.

std::optional<PinnedPool::Chunk> PinnedPool::pick_victim_locked(std::uint64_t need) {
  const bool small_suffice = idle_locked(Size::small).size() * bytes_of(Size::small) >= need;
  const bool prefer_small = need < bytes_of(Size::large) && small_suffice;
  for (const Size size : {prefer_small ? Size::small : Size::large, prefer_small ? Size::large : Size::small}) {
    std::vector<Chunk>& idle = idle_locked(size);
    if (idle.empty()) continue;
    Chunk chunk = std::move(idle.back());
    idle.pop_back();
    note_least_idle_locked();
    return chunk;
  }
  return std::nullopt;
}

void PinnedPool::free_victim_locked(Chunk victim) {
  const std::uint64_t bytes = victim.block.size();
  const Size size = size_of(victim);
  victim_bytes_ += bytes;
  mutex_.unlock();
  locker_->unlock(victim.block.bytes());
  victim.block = {};
  mutex_.lock();
  victim_bytes_ -= bytes;
  --pinned_counts_[index(size)];
  stats_.pinned_bytes -= bytes;
  ++stats_.freed;
  budget_->drop_idle(bytes);
  freed_.notify_all();
}

std::uint64_t PinnedPool::free_idle(std::uint64_t bytes, std::uint64_t pooled_bytes_of_need, bool excess_only) {
  std::uint64_t freed = 0;
  const MutexLock lock(mutex_);
  while (freed < bytes) {
    std::uint64_t rest = bytes - freed;
    if (excess_only) {
      const std::uint64_t excess = budget_->excess_idle(pooled_bytes_of_need);
      rest = std::min(rest, excess > victim_bytes_ ? excess - victim_bytes_ : 0);
      if (rest == 0) break;
    }
    std::optional<Chunk> victim = pick_victim_locked(rest);
    if (!victim) break;
    freed += victim->block.size();
    free_victim_locked(*std::move(victim));
  }
  return freed;
}

void PinnedPool::note_least_idle_locked() {
  for (std::size_t i = 0; i < least_idle_.size(); ++i) {
    least_idle_[i] = std::min<std::uint64_t>(least_idle_[i], idle_[i].size());
  }
}

std::uint64_t PinnedPool::trim() {
  std::uint64_t freed = 0;
  const MutexLock lock(mutex_);
  const Counts unused = least_idle_;
  for (const Size size : kSizes) {
    for (std::uint64_t i = 0; i < unused[index(size)]; ++i) {
      std::vector<Chunk>& idle = idle_locked(size);
      if (idle.empty() || pinned_counts_[index(size)] <= prewarm_target_[index(size)]) break;
      Chunk victim = std::move(idle.back());
      idle.pop_back();
      freed += victim.block.size();
      free_victim_locked(std::move(victim));
    }
  }
  least_idle_ = {idle_[0].size(), idle_[1].size()};
  return freed;
}

std::uint64_t PinnedPool::shrink(std::uint64_t bytes) { return free_idle(bytes, 0, false); }

Evictable PinnedPool::evictable(const EvictionNeed& need) {
  const MutexLock lock(mutex_);
  return {.bytes = std::min(budget_->excess_idle(need.pooled_bytes), idle_bytes_locked()), .more_at = {}};
}

std::uint64_t PinnedPool::evict(const EvictionNeed& need) {
  const std::uint64_t freed = free_idle(need.bytes, need.pooled_bytes, true);
  const MutexLock lock(mutex_);
  stats_.evicted_bytes += freed;
  return freed;
}

// Pre-warming.

void PinnedPool::prewarm(std::span<const std::uint64_t> buffer_bytes) {
  Counts target{};
  for (const std::uint64_t bytes : buffer_bytes) {
    const Counts counts = plan(bytes);
    for (std::size_t i = 0; i < counts.size(); ++i) target[i] += counts[i];
  }
  prewarm_to(target);
}

void PinnedPool::prewarm_for_any(std::span<const BufferSet> sets) {
  Counts target{};
  for (const BufferSet& set : sets) {
    const Counts counts = set.at_most ? plan_up_to(set.bytes) : plan(set.bytes);
    for (std::size_t i = 0; i < counts.size(); ++i) target[i] = std::max(target[i], set.count * counts[i]);
  }
  prewarm_to(target);
}

void PinnedPool::prewarm_to(const Counts& target) {
  const MutexLock lock(mutex_);
  if (bytes_of(target) == 0 && !prewarmer_.joinable()) return;
  prewarm_target_ = target;
  ++prewarm_number_;
  stats_.prewarm_running = true;
  stats_.prewarm_end.clear();
  prewarm_changed_.notify_all();
  if (prewarmer_.joinable()) return;
  prewarmer_ = std::jthread([this](const std::stop_token& stop) { run_prewarmer(stop); });
}

void PinnedPool::run_prewarmer(const StopToken& stop) noexcept {
  ::pthread_setname_np(::pthread_self(), "cuzk-prewarm");
  while (wait_for_target(stop)) {
    bool more = true;
    while (more && !stop.stop_requested()) more = prewarm_step();
  }
  const MutexLock lock(mutex_);
  if (stats_.prewarm_running) end_prewarm_locked("it was stopped");
}

bool PinnedPool::wait_for_target(const StopToken& stop) {
  MutexLock lock(mutex_);
  prewarm_changed_.wait(lock, stop, [&]() CUZK_CALLED_UNDER_LOCK { return prewarm_begun_ != prewarm_number_; });
  prewarm_begun_ = prewarm_number_;
  return !stop.stop_requested();
}

bool PinnedPool::prewarm_step() {
  const std::optional<Size> size = next_to_prewarm();
  return size && prewarm_chunk(*size);
}

std::optional<PinnedPool::Size> PinnedPool::next_to_prewarm() {
  const MutexLock lock(mutex_);
  for (const Size size : kSizes) {
    if (pinned_counts_[index(size)] >= prewarm_target_[index(size)]) continue;
    if (may_pin_locked(bytes_of(size))) return size;
    end_prewarm_locked("the limit of page-locked memory is reached");
    return std::nullopt;
  }
  end_prewarm_locked({});
  return std::nullopt;
}

bool PinnedPool::prewarm_chunk(Size size) {
  const auto give_up = [&](std::string why) {
    const MutexLock lock(mutex_);
    end_prewarm_locked(why.empty() ? "page-locking was refused: " + stats_.last_refusal : std::move(why));
    return false;
  };
  ReserveRequest request;
  request.bytes = bytes_of(size);
  request.tag = MemoryTag::pool;
  request.owner = "pre-warming";
  request.priority = Priority::low;
  auto paid = budget_->try_reserve(request);
  if (!paid) return give_up(paid.error().to_string());
  auto chunk = make_chunk(size, *paid, BufferMemory::pinned);
  if (!chunk || !chunk->pinned) {
    std::string why = chunk ? std::string() : chunk.error().to_string();
    chunk = Chunk();  // both are given back before anybody hears of the end
    paid->release();
    return give_up(std::move(why));
  }
  const MutexLock lock(mutex_);
  budget_->park(*paid, chunk->block.size());
  idle_locked(size).push_back(*std::move(chunk));
  ++stats_.prewarmed;
  return true;
}

void PinnedPool::end_prewarm_locked(std::string why) {
  if (prewarm_begun_ != prewarm_number_) return;  // there is a new target
  stats_.prewarm_running = false;
  stats_.prewarm_end = std::move(why);
  prewarmed_.notify_all();
}

Status PinnedPool::wait_prewarmed(const StopToken& stop, Deadline deadline) {
  MutexLock lock(mutex_);
  steady_time().wait(prewarmed_, lock, stop, deadline.when(),
                     [&]() CUZK_CALLED_UNDER_LOCK { return !stats_.prewarm_running; });
  if (!stats_.prewarm_running) return {};
  CUZK_CHECK_OK(check_stop(stop, "waiting for the buffers that are made ahead"));
  return deadline.check("waiting for the buffers that are made ahead");
}

PoolStatistics PinnedPool::statistics() const {
  const MutexLock lock(mutex_);
  PoolStatistics now = stats_;
  now.idle_bytes = idle_bytes_locked();
  now.prewarm_target_bytes = bytes_of(prewarm_target_);
  Counts ready{};
  for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = std::min(pinned_counts_[i], prewarm_target_[i]);
  now.prewarm_ready_bytes = bytes_of(ready);
  return now;
}

}  // namespace cuzk::memory
