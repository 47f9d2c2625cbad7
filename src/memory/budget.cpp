#include "memory/budget.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "memory/memory_size.h"

namespace cuzk::memory {

namespace {

std::string seconds_text(std::uint64_t ns) {
  const std::uint64_t tenths = ns / 100'000'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string wish_text(const ReserveRequest& request, const std::string& budget_name) {
  std::string text = format_memory_size(request.bytes) + " of " + budget_name + " for ";
  text += to_string(request.tag);
  if (!request.owner.empty()) text += " of " + request.owner;
  return text;
}

std::uint64_t elapsed_ns(TimeSource::TimePoint from, TimeSource::TimePoint to) noexcept {
  const auto span = std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
  return span < 0 ? 0 : static_cast<std::uint64_t>(span);
}

Amount amount_of(const ReserveRequest& request) noexcept {
  return {.bytes = request.bytes, .pooled = request.pooled_bytes};
}

}  // namespace

Result<std::shared_ptr<MemoryBudget>> MemoryBudget::create(BudgetOptions options) {
  if (options.total_bytes == 0) return fail(Code::invalid_argument, "a budget of 0 bytes of " + options.name);
  if (options.critical_reserve_bytes >= options.total_bytes) {
    return fail(Code::invalid_argument, "the reserve for critical work, " +
                                            format_memory_size(options.critical_reserve_bytes) +
                                            ", leaves nothing of the budget, " +
                                            format_memory_size(options.total_bytes) + " of " + options.name);
  }
  return std::make_shared<MemoryBudget>(Private{}, std::move(options));
}

MemoryBudget::MemoryBudget(Private /*made by create()*/, BudgetOptions options)
    : name_(std::move(options.name)),
      total_(options.total_bytes),
      faults_(std::move(options.faults)),
      time_(*options.time),
      ledger_(options.total_bytes, options.critical_reserve_bytes) {}

MemoryBudget::~MemoryBudget() { CUZK_ASSERT(ledger_.reserved() == 0 && ledger_.idle() == 0 && queue_.empty()); }

bool MemoryBudget::should_fail(FaultSite site, std::uint64_t bytes) const noexcept {
  return faults_ && faults_->should_fail(site, bytes);
}

Status MemoryBudget::check_possible(const ReserveRequest& request) {
  if (request.pooled_bytes > request.bytes) {
    return fail(Code::invalid_argument, "a request for " + std::to_string(request.bytes) + " bytes, " +
                                            std::to_string(request.pooled_bytes) + " of them from the pool");
  }
  const bool injected = should_fail(FaultSite::reserve, request.bytes);
  const MutexLock lock(mutex_);
  if (injected) {
    ++refused_;
    return fail(refusal_locked(Code::exhausted, "failed on purpose:", request));
  }
  if (request.bytes > ledger_.ceiling(request.priority)) {
    ++refused_;
    std::string event = "can never be met: above " + format_memory_size(ledger_.ceiling(request.priority));
    event += request.priority == Priority::critical ? ", the total," : ", the total without the critical reserve,";
    event += " by " + std::to_string(request.bytes - ledger_.ceiling(request.priority)) + " bytes:";
    return fail(refusal_locked(Code::exhausted, event, request));
  }
  return {};
}

Result<Reservation> MemoryBudget::reserve(const ReserveRequest& request) {
  CUZK_CHECK_OK(check_possible(request));
  MutexLock lock(mutex_);
  const Waiter waiter{request, time_.now()};
  enqueue_locked(waiter);
  const bool at_once = has_turn_locked(waiter);
  Status turn = wait_for_turn_locked(waiter, lock);
  leave_queue_locked(waiter);
  if (!turn) {
    ++given_up_;
    return fail(std::move(turn).error());
  }
  if (!at_once) ++granted_after_waiting_;
  return hold(grant_locked(request));
}

Result<Reservation> MemoryBudget::try_reserve(const ReserveRequest& request) {
  CUZK_CHECK_OK(check_possible(request));
  const MutexLock lock(mutex_);
  const bool others_first = !queue_.empty() && queue_.front()->request.priority >= request.priority;
  if (others_first || ledger_.shortfall(amount_of(request), request.priority) > 0) {
    return fail(refusal_locked(Code::exhausted, others_first ? "others wait for it:" : "not free now:", request));
  }
  return hold(grant_locked(request));
}

Holding MemoryBudget::grant_locked(const ReserveRequest& request) {
  ++granted_;
  return ledger_.open(request.tag, request.owner, amount_of(request), request.priority == Priority::critical);
}

void MemoryBudget::enqueue_locked(const Waiter& waiter) {
  const auto before = [](const Waiter* a, const Waiter* b) { return a->request.priority > b->request.priority; };
  queue_.insert(std::upper_bound(queue_.begin(), queue_.end(), &waiter, before), &waiter);
}

void MemoryBudget::leave_queue_locked(const Waiter& waiter) {
  std::erase(queue_, &waiter);
  if (!queue_.empty()) changed_locked();  // the next one may have his turn
}

bool MemoryBudget::is_first_locked(const Waiter& waiter) const { return queue_.front() == &waiter; }

bool MemoryBudget::has_turn_locked(const Waiter& waiter) const {
  return is_first_locked(waiter) && ledger_.shortfall(amount_of(waiter.request), waiter.request.priority) == 0;
}

void MemoryBudget::changed_locked() noexcept {
  ++generation_;
  changed_.notify_all();
}

void MemoryBudget::reconsider() noexcept {
  const MutexLock lock(mutex_);
  changed_locked();
}

Status MemoryBudget::wait_for_turn_locked(const Waiter& waiter, MutexLock& lock) {
  const ReserveRequest& request = waiter.request;
  while (true) {
    CUZK_CHECK_OK(check_patience_locked(waiter));  // first: who was stopped gets nothing
    if (has_turn_locked(waiter)) return {};
    const std::uint64_t seen = generation_;
    TimeSource::TimePoint until = request.deadline.when();
    if (is_first_locked(waiter) && !evicting_ && !evictors_.empty()) {
      until = std::min(until, evict_locked(waiter));
    }
    time_.wait(changed_, lock, request.stop, until, [&]() CUZK_CALLED_UNDER_LOCK { return generation_ != seen; });
  }
}

Status MemoryBudget::check_patience_locked(const Waiter& waiter) {
  const ReserveRequest& request = waiter.request;
  const bool stopped = request.stop.stop_requested();
  const TimeSource::TimePoint now = time_.now();
  if (!stopped && (request.deadline.is_never() || now < request.deadline.when())) return {};
  std::string event = "waited " + seconds_text(elapsed_ns(waiter.since, now));
  const auto place = std::find(queue_.begin(), queue_.end(), &waiter) - queue_.begin();
  if (place > 0) event += ", behind " + std::to_string(place) + (place == 1 ? " other," : " others,");
  event += stopped ? " and was cancelled:" : " until its deadline:";
  return fail(refusal_locked(stopped ? Code::cancelled : Code::deadline, event, request));
}

TimeSource::TimePoint MemoryBudget::evict_locked(const Waiter& waiter) {
  const Evictors evictors = evictors_;
  evicting_ = true;
  evicting_thread_ = std::this_thread::get_id();
  mutex_.unlock();
  const TimeSource::TimePoint again = run_evictors(evictors, waiter);
  mutex_.lock();
  evicting_ = false;
  evicted_.notify_all();
  // Who came to the front meanwhile found the evictors busy.
  if (!is_first_locked(waiter)) changed_locked();
  return again;
}

TimeSource::TimePoint MemoryBudget::run_evictors(const Evictors& evictors, const Waiter& waiter) {
  TimeSource::TimePoint again = TimeSource::TimePoint::max();
  const auto need = need_of(waiter);
  if (!need) return again;
  const TimeSource::TimePoint now = time_.now();
  std::uint64_t possible = 0;
  for (const auto& entry : evictors) {
    Evictor* const evictor = still_registered(*entry);
    if (evictor == nullptr) continue;
    const Evictable evictable = evictor->evictable(*need);
    possible += std::min(evictable.bytes, need->bytes);
    if (evictable.more_at && *evictable.more_at > now) again = std::min(again, *evictable.more_at);
  }
  if (possible < need->bytes) return again;  // would not help: what is warm stays warm
  for (const auto& entry : evictors) {
    const auto rest = need_of(waiter);
    if (!rest) break;
    Evictor* const evictor = still_registered(*entry);
    if (evictor == nullptr) continue;
    const std::uint64_t freed = evictor->evict(*rest);
    const MutexLock lock(mutex_);
    evicted_bytes_ += freed;
  }
  return again;
}

std::optional<EvictionNeed> MemoryBudget::need_of(const Waiter& waiter) {
  const MutexLock lock(mutex_);
  if (!is_first_locked(waiter)) return std::nullopt;
  const std::uint64_t bytes = ledger_.shortfall(amount_of(waiter.request), waiter.request.priority);
  if (bytes == 0) return std::nullopt;
  return EvictionNeed{.bytes = bytes, .pooled_bytes = waiter.request.pooled_bytes, .priority = waiter.request.priority};
}

Evictor* MemoryBudget::still_registered(const Entry& entry) {
  const MutexLock lock(mutex_);
  return entry.evictor;
}

EvictorRegistration MemoryBudget::register_evictor(EvictionOrder order, Evictor& evictor) {
  auto entry = std::make_shared<Entry>(Entry{order, &evictor});
  const void* const id = entry.get();
  const MutexLock lock(mutex_);
  const auto before = [](const auto& a, const auto& b) { return a->order < b->order; };
  const auto place = std::upper_bound(evictors_.begin(), evictors_.end(), entry, before);
  evictors_.insert(place, std::move(entry));
  changed_locked();
  return {shared_from_this(), id};
}

void MemoryBudget::unregister(const void* id) noexcept {
  MutexLock lock(mutex_);
  const auto found = std::find_if(evictors_.begin(), evictors_.end(), [&](const auto& e) { return e.get() == id; });
  (*found)->evictor = nullptr;
  evictors_.erase(found);
  while (evicting_ && evicting_thread_ != std::this_thread::get_id()) evicted_.wait(lock);
}

Error MemoryBudget::refusal_locked(Code code, const std::string& event, const ReserveRequest& request) const {
  std::string text = event + " " + wish_text(request, name_) + " (" + std::to_string(request.bytes) + " bytes; ";
  text += format_memory_size(ledger_.available(request.priority)) + " of " + format_memory_size(total_) + " free";
  return {code, text + holders_locked() + ")"};
}

std::string MemoryBudget::holders_locked() const {
  constexpr std::size_t kNamed = 6;
  std::vector<Account> accounts = ledger_.accounts();
  std::sort(accounts.begin(), accounts.end(), [](const Account& a, const Account& b) { return a.bytes > b.bytes; });
  std::string text;
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    if (i >= kNamed) {
      rest += accounts[i].bytes;
      continue;
    }
    text += "; ";
    text += to_string(accounts[i].tag);
    if (!accounts[i].owner.empty()) text += " " + accounts[i].owner;
    text += " " + format_memory_size(accounts[i].bytes);
  }
  if (rest > 0) text += "; " + std::to_string(accounts.size() - kNamed) + " others " + format_memory_size(rest);
  if (ledger_.idle() > 0) text += "; idle in the pool " + format_memory_size(ledger_.idle());
  return text;
}

BudgetSnapshot MemoryBudget::snapshot() const {
  BudgetSnapshot now;
  const TimeSource::TimePoint time = time_.now();
  const MutexLock lock(mutex_);
  now.total = total_;
  now.critical_reserve = ledger_.critical_reserve();
  now.used = ledger_.used();
  now.used_peak = ledger_.peak();
  now.reserved = ledger_.reserved();
  now.expected = ledger_.expected();
  now.idle = ledger_.idle();
  now.available = ledger_.available(Priority::normal);
  now.by_tag = ledger_.by_tag();
  now.holders = ledger_.accounts();
  std::sort(now.holders.begin(), now.holders.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  for (const Waiter* const waiter : queue_) {
    const ReserveRequest& request = waiter->request;
    now.waiting.push_back(
        {request.tag, request.owner, request.bytes, request.priority, elapsed_ns(waiter->since, time)});
  }
  now.granted = granted_;
  now.granted_after_waiting = granted_after_waiting_;
  now.refused = refused_;
  now.given_up = given_up_;
  now.evicted = evicted_bytes_;
  return now;
}

// What Reservation calls.

Holding MemoryBudget::split(Holding& from, Amount amount) {
  const MutexLock lock(mutex_);
  return ledger_.split(from, amount);
}

void MemoryBudget::give_back(Holding& from, std::uint64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  const std::uint64_t plain = from.bytes - from.pooled;
  ledger_.give_back(from, {.bytes = bytes, .pooled = bytes > plain ? bytes - plain : 0});
  changed_locked();
}

void MemoryBudget::join(Holding& to, Holding& from) {
  const MutexLock lock(mutex_);
  ledger_.join(to, from);
  changed_locked();  // more of the critical reserve may be in use
}

void MemoryBudget::rename(Holding& holding, MemoryTag tag, std::string_view owner) {
  const MutexLock lock(mutex_);
  ledger_.rename(holding, tag, owner);
}

void MemoryBudget::make_ordinary(Holding& holding) {
  const MutexLock lock(mutex_);
  ledger_.make_ordinary(holding);
}

void MemoryBudget::end(Holding& holding) noexcept {
  const MutexLock lock(mutex_);
  ledger_.give_back(holding, {.bytes = holding.bytes, .pooled = holding.pooled});
  ledger_.close(holding);
  changed_locked();
}

std::string MemoryBudget::owner_of(const Holding& holding) const {
  const MutexLock lock(mutex_);
  return holding.account->owner;
}

MemoryTag MemoryBudget::tag_of(const Holding& holding) const noexcept {
  const MutexLock lock(mutex_);
  return holding.account->tag;
}

// What the pool calls.

bool MemoryBudget::attach_pool() noexcept {
  const MutexLock lock(mutex_);
  return !std::exchange(has_pool_, true);
}

void MemoryBudget::detach_pool() noexcept {
  const MutexLock lock(mutex_);
  has_pool_ = false;
}

void MemoryBudget::park(Reservation& from, std::uint64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  ledger_.park(from.holding_, bytes);
  changed_locked();
}

void MemoryBudget::take_idle(Reservation& by, std::uint64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  ledger_.take_idle(by.holding_, bytes);
  changed_locked();
}

bool MemoryBudget::materialise(Reservation& by, std::uint64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  return ledger_.materialise(by.holding_, bytes);
}

void MemoryBudget::drop_idle(std::uint64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  ledger_.drop_idle(bytes);
  changed_locked();
}

std::uint64_t MemoryBudget::excess_idle(std::uint64_t more) const noexcept {
  const MutexLock lock(mutex_);
  return ledger_.excess_idle(more);
}

// EvictorRegistration.

EvictorRegistration::EvictorRegistration(std::shared_ptr<MemoryBudget> budget, const void* entry) noexcept
    : budget_(std::move(budget)), entry_(entry) {}

EvictorRegistration::EvictorRegistration(EvictorRegistration&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), entry_(std::exchange(other.entry_, nullptr)) {}

EvictorRegistration& EvictorRegistration::operator=(EvictorRegistration&& other) noexcept {
  if (this != &other) {
    end();
    budget_ = std::exchange(other.budget_, nullptr);
    entry_ = std::exchange(other.entry_, nullptr);
  }
  return *this;
}

EvictorRegistration::~EvictorRegistration() { end(); }

void EvictorRegistration::end() noexcept {
  const std::shared_ptr<MemoryBudget> budget = std::exchange(budget_, nullptr);
  if (budget) budget->unregister(entry_);
}

}  // namespace cuzk::memory
