#include "engine/resident_cache.h"

#include <algorithm>

#include "engine/failure.h"
#include "support/clock.h"

namespace cuzk::engine {

namespace {

enum class EntryState : std::uint8_t {
  vacant,     // who wanted to load it has given up; whoever waits may
  reserving,  // its owner waits for memory
  loading,
  resident,
  failed,  // found no more; for those who waited
};

}  // namespace

/// `value` is constant once resident; everything else is under the cache's lock.
template <class T> struct ResidentCache<T>::Entry {
  ResidentName name;
  EntryState state = EntryState::vacant;
  std::stop_source owner;                       // while reserving; pulled when another one takes over
  std::stop_source unwanted{std::nostopstate};  // while loading; pulled when nobody wants it any more
  memory::Priority priority{};
  std::uint32_t waiting = 0;
  memory::Reservation memory;
  std::uint64_t size = 0;  // what the load took: of a key on a device, about what it takes there
  Value value;
  std::optional<Error> error;
  std::uint32_t users = 0;
  std::uint64_t idle_since_ns = 0;
  std::uint64_t load_ns = 0;

  bool idle() const noexcept { return state == EntryState::resident && users == 0; }
};

template <class T> struct ResidentCache<T>::Shared {
  explicit Shared(std::weak_ptr<memory::MemoryBudget> of) : budget(std::move(of)) {}

  std::shared_ptr<Entry> find_locked(const ResidentName& name) CUZK_REQUIRES(mutex) {
    const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry->name == name; });
    return found == entries.end() ? nullptr : *found;
  }

  struct Wished {
    ResidentName name;
    unsigned wishes = 0;
  };
  auto find_wished_locked(const ResidentName& name) CUZK_REQUIRES(mutex) {
    return std::ranges::find(wished, name, &Wished::name);
  }

  std::weak_ptr<memory::MemoryBudget> budget;
  Mutex mutex;
  std::condition_variable_any changed;
  std::vector<std::shared_ptr<Entry>> entries CUZK_GUARDED_BY(mutex);
  std::vector<Wished> wished CUZK_GUARDED_BY(mutex);  // by anybody
};

template <class T>
ResidentCache<T>::Wish::Wish(ResidentCache& cache, ResidentName name, const StopToken& stop)
    : shared_(cache.shared_), name_(std::move(name)) {
  {
    const MutexLock lock(shared_->mutex);
    const auto known = shared_->find_wished_locked(name_);
    if (known == shared_->wished.end()) {
      shared_->wished.push_back({.name = name_, .wishes = 1});
    } else {
      ++known->wishes;
    }
  }
  on_stop_.emplace(stop, [this] { end(); });
}

template <class T> void ResidentCache<T>::Wish::end() {
  std::stop_source unwanted(std::nostopstate);
  {
    const MutexLock lock(shared_->mutex);
    if (std::exchange(ended_, true)) return;
    const auto wished = shared_->find_wished_locked(name_);
    if (--wished->wishes > 0) return;
    shared_->wished.erase(wished);
    const auto entry = shared_->find_locked(name_);
    if (entry != nullptr && entry->state == EntryState::loading) unwanted = entry->unwanted;
  }
  unwanted.request_stop();
}

template <class T> void ResidentCache<T>::Use::release() noexcept {
  if (entry_ == nullptr) return;
  bool idle = false;
  const std::optional<std::uint64_t> held = value_->host_bytes();
  {
    const MutexLock lock(shared_->mutex);
    if (held) entry_->memory.shrink_to(*held);
    entry_->idle_since_ns = monotonic_ns();
    idle = --entry_->users == 0;
  }
  value_.reset();
  entry_.reset();  // destroys one that was dropped meanwhile
  if (const auto budget = shared_->budget.lock(); idle && budget != nullptr) budget->reconsider();
  shared_.reset();
}

template <class T>
ResidentCache<T>::ResidentCache(std::shared_ptr<memory::MemoryBudget> budget, memory::MemoryTag tag,
                                memory::EvictionOrder order, std::chrono::nanoseconds min_idle)
    : budget_(std::move(budget)), tag_(tag), min_idle_(min_idle), shared_(std::make_shared<Shared>(budget_)) {
  registration_ = budget_->register_evictor(order, *this);
}

template <class T> ResidentCache<T>::~ResidentCache() {
  registration_ = {};
  std::vector<std::shared_ptr<Entry>> entries;  // destroyed after the lock is given back
  const MutexLock lock(shared_->mutex);
  entries.swap(shared_->entries);
}

template <class T> typename ResidentCache<T>::Use ResidentCache<T>::find(const ResidentName& name) {
  const MutexLock lock(shared_->mutex);
  auto entry = shared_->find_locked(name);
  if (entry == nullptr || entry->state != EntryState::resident) return {};
  ++entry->users;
  return use(std::move(entry));
}

template <class T> typename ResidentCache<T>::Value ResidentCache<T>::peek(const ResidentName& name) const {
  const MutexLock lock(shared_->mutex);
  const auto entry = shared_->find_locked(name);
  return entry != nullptr && entry->state == EntryState::resident ? entry->value : nullptr;
}

template <class T> typename ResidentCache<T>::Use ResidentCache<T>::use(std::shared_ptr<Entry> entry) {
  Value value = entry->value;
  return Use(shared_, std::move(entry), std::move(value));
}

template <class T>
Result<typename ResidentCache<T>::Use> ResidentCache<T>::get(const Request& request, const Load& load) {
  const Wish wish(*this, request.name, request.stop);
  while (true) {
    std::stop_source owner;
    bool owned = false;
    CUZK_TRY(auto entry, join(request, owner, owned));
    if (!owned) return use(std::move(entry));

    auto memory = reserve(request, owner);
    if (memory && begin_load(*entry, owner)) {
      Status loaded = this->load(load, *entry, *std::move(memory));
      if (loaded) return use(std::move(entry));
      give_up(entry, owner, loaded.error());
      return fail(std::move(loaded).error());
    }
    if (!memory && give_up(entry, owner, memory.error())) return fail(std::move(memory).error());
    // A more urgent one has taken over: wait for his load.
  }
}

template <class T>
Result<std::shared_ptr<typename ResidentCache<T>::Entry>> ResidentCache<T>::join(const Request& request,
                                                                                 const std::stop_source& owner,
                                                                                 bool& owned) {
  MutexLock lock(shared_->mutex);
  auto entry = shared_->find_locked(request.name);
  if (entry == nullptr) {
    entry = shared_->entries.emplace_back(std::make_shared<Entry>());
    entry->name = request.name;
  }
  const auto decided = [&]() CUZK_REQUIRES(shared_->mutex) {
    const bool urgent = entry->state == EntryState::reserving && entry->priority < request.priority;
    return urgent || (entry->state != EntryState::reserving && entry->state != EntryState::loading);
  };
  ++entry->waiting;
  if (request.deadline.is_never()) {
    shared_->changed.wait(lock, request.stop, decided);
  } else {
    shared_->changed.wait_until(lock, request.stop, request.deadline.when(), decided);
  }
  --entry->waiting;
  if (entry->state == EntryState::failed) return fail(copy_of(*entry->error));
  if (!decided() || request.stop.stop_requested()) {
    if (entry->state == EntryState::vacant && entry->waiting == 0) std::erase(shared_->entries, entry);
    CUZK_CHECK_OK(check_stop(request.stop, "waiting for " + request.name.circuit));
    return fail(Code::deadline, "waited too long for " + request.name.circuit + " to be loaded");
  }
  if (entry->state == EntryState::resident) {
    ++entry->users;
    return entry;
  }
  if (entry->state == EntryState::reserving) entry->owner.request_stop();
  entry->state = EntryState::reserving;
  entry->owner = owner;
  entry->priority = request.priority;
  owned = true;
  return entry;
}

namespace {
bool sooner(const Deadline& a, const Deadline& b) noexcept { return a.when() < b.when(); }
}  // namespace

template <class T>
Result<memory::Reservation> ResidentCache<T>::reserve(const Request& request, std::stop_source& owner) {
  const std::stop_callback relay(request.stop, [&] { owner.request_stop(); });
  const auto patience = request.memory_patience ? Deadline::after(*request.memory_patience) : Deadline::never();
  return budget_->reserve({.bytes = request.bytes,
                           .tag = tag_,
                           .owner = request.name.circuit,
                           .priority = request.priority,
                           .stop = owner.get_token(),
                           .deadline = std::min(request.deadline, patience, sooner)});
}

template <class T> bool ResidentCache<T>::begin_load(Entry& entry, const std::stop_source& owner) {
  const MutexLock lock(shared_->mutex);
  if (entry.owner != owner) return false;
  entry.state = EntryState::loading;
  entry.unwanted = std::stop_source();
  if (shared_->find_wished_locked(entry.name) == shared_->wished.end()) entry.unwanted.request_stop();
  return true;
}

template <class T> Status ResidentCache<T>::load(const Load& load, Entry& entry, memory::Reservation memory) {
  const Stopwatch watch;
  memory.make_ordinary();  // it outlives the job that it is loaded for
  Value value;
  CUZK_CHECK_OK(guarded([&]() -> Status {
    CUZK_TRY(value, load(entry.unwanted.get_token()));
    return {};
  }));
  const std::uint64_t size = memory.bytes();
  if (const auto held = value->host_bytes()) memory.shrink_to(*held);
  const MutexLock lock(shared_->mutex);
  entry.state = EntryState::resident;
  entry.memory = std::move(memory);
  entry.size = size;
  entry.value = std::move(value);
  entry.users = 1;
  entry.load_ns = watch.elapsed_ns();
  shared_->changed.notify_all();
  return {};
}

template <class T>
bool ResidentCache<T>::give_up(const std::shared_ptr<Entry>& entry, const std::stop_source& owner, const Error& error) {
  const bool of_caller = error.code() == Code::cancelled || error.code() == Code::deadline;
  const MutexLock lock(shared_->mutex);
  if (entry->owner != owner) return false;
  entry->state = of_caller ? EntryState::vacant : EntryState::failed;
  if (!of_caller) entry->error = copy_of(error);
  if (!of_caller || entry->waiting == 0) std::erase(shared_->entries, entry);
  shared_->changed.notify_all();
  return true;
}

template <class T> typename ResidentCache<T>::Dropped ResidentCache<T>::drop(std::string_view circuit) {
  Dropped dropped;
  std::vector<std::shared_ptr<Entry>> entries;  // destroyed after the lock is given back
  const MutexLock lock(shared_->mutex);
  std::erase_if(shared_->entries, [&](std::shared_ptr<Entry>& entry) {
    if (entry->name.circuit != circuit || entry->state != EntryState::resident) return false;
    dropped.was_loaded = true;
    if (entry->idle()) dropped.bytes += entry->memory.bytes();
    entries.push_back(std::move(entry));
    return true;
  });
  return dropped;
}

template <class T> bool ResidentCache<T>::drop_idle(unsigned device, std::string_view but) {
  std::shared_ptr<Entry> victim;  // destroyed after the lock is given back
  const MutexLock lock(shared_->mutex);
  for (const auto& entry : shared_->entries) {
    if (!entry->idle() || entry->name.device != device || entry->name.circuit == but) continue;
    if (victim == nullptr || entry->idle_since_ns < victim->idle_since_ns) victim = entry;
  }
  std::erase(shared_->entries, victim);
  return victim != nullptr;
}

template <class T> bool ResidentCache<T>::is_wished(const ResidentName& name) const {
  const MutexLock lock(shared_->mutex);
  return shared_->find_wished_locked(name) != shared_->wished.end();
}

template <class T> std::uint64_t ResidentCache<T>::bytes_on(unsigned device) const {
  std::uint64_t sum = 0;
  const MutexLock lock(shared_->mutex);
  for (const auto& entry : shared_->entries) {
    if (entry->name.device == device) sum += entry->size;
  }
  return sum;
}

template <class T> std::vector<ResidentSnapshot> ResidentCache<T>::snapshot() const {
  std::vector<ResidentSnapshot> all;
  const MutexLock lock(shared_->mutex);
  const std::uint64_t now = monotonic_ns();  // under the lock: no use ends after it
  const auto least = static_cast<std::uint64_t>(min_idle_.count());
  for (const auto& entry : shared_->entries) {
    const std::uint64_t idle = entry->idle() ? now - entry->idle_since_ns : 0;
    all.push_back({.circuit = entry->name.circuit,
                   .device = entry->name.device,
                   .loading = entry->state != EntryState::resident,
                   .bytes = entry->memory.bytes(),
                   .users = entry->users,
                   .idle_ns = idle,
                   .load_ns = entry->load_ns,
                   .evictable = entry->idle(),
                   .kept_ns = entry->idle() && idle < least ? least - idle : 0});
  }
  return all;
}

template <class T> memory::Evictable ResidentCache<T>::evictable(const memory::EvictionNeed& need) {
  const auto least = need.priority == memory::Priority::critical ? 0 : static_cast<std::uint64_t>(min_idle_.count());
  memory::Evictable sum;
  const MutexLock lock(shared_->mutex);
  const std::uint64_t now = monotonic_ns();
  for (const auto& entry : shared_->entries) {
    if (!entry->idle()) continue;
    const std::uint64_t idle = now - entry->idle_since_ns;
    if (idle >= least) {
      sum.bytes += entry->memory.bytes();
    } else {
      const auto at = memory::steady_time().now() + std::chrono::nanoseconds(least - idle);
      sum.more_at = sum.more_at ? std::min(*sum.more_at, at) : at;
    }
  }
  return sum;
}

template <class T> std::uint64_t ResidentCache<T>::evict(const memory::EvictionNeed& need) {
  const auto least = need.priority == memory::Priority::critical ? 0 : static_cast<std::uint64_t>(min_idle_.count());
  std::vector<std::shared_ptr<Entry>> evicted;  // destroyed after the lock is given back
  std::uint64_t bytes = 0;
  const MutexLock lock(shared_->mutex);
  const std::uint64_t now = monotonic_ns();
  std::ranges::sort(shared_->entries, {}, [](const auto& entry) { return entry->idle_since_ns; });
  std::erase_if(shared_->entries, [&](std::shared_ptr<Entry>& entry) {
    if (bytes >= need.bytes || !entry->idle() || now - entry->idle_since_ns < least) return false;
    if (entry->memory.bytes() == 0) return false;  // it lies on a device: nothing would be free
    bytes += entry->memory.bytes();
    evicted.push_back(std::move(entry));
    return true;
  });
  return bytes;
}

template class ResidentCache<ResidentKey>;
template class ResidentCache<ResidentCircuit>;

}  // namespace cuzk::engine
