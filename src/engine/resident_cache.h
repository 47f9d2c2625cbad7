// ResidentCache: what is loaded once and shared: proving keys on devices (KeyCache), compiled circuits (CircuitCache).
//
// The first who asks loads, all others wait for the same load; no lock is held meanwhile. A more urgent caller takes
// over a load that still waits for memory. A load goes on for as long as anybody wants what is loaded (Wish), whoever
// began it: he may find, at its end, that he was stopped long ago. The Reservation belongs to the entry; of what a key
// on a device does not hold in the host's memory it is given back when the load ends, and when a use ends. Who uses an
// entry holds a Use; without users it is idle, and the budget may have it destroyed, if it holds anything: after
// min_idle for ordinary work, at once for critical work, the longest idle first. A failed load leaves nothing behind.
//
// Lock rank: 40; under it the budget's may be taken. Thread-safety: concurrently. A Use may outlive the cache.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/proving_circuit.h"
#include "engine/snapshot.h"
#include "memory/budget.h"
#include "support/mutex.h"

namespace cuzk::engine {

/// A circuit id and the device it is on.
struct ResidentName {
  std::string circuit;
  unsigned device = 0;
  friend bool operator==(const ResidentName&, const ResidentName&) = default;
};

template <class T> class ResidentCache final : private memory::Evictor {
  struct Entry;
  struct Shared;

 public:
  using Value = std::shared_ptr<const T>;

  /// Keeps an entry where it is.
  class Use {
   public:
    Use() noexcept = default;
    Use(Use&&) noexcept = default;
    Use& operator=(Use&& other) noexcept {
      release();
      shared_ = std::move(other.shared_);
      entry_ = std::move(other.entry_);
      value_ = std::move(other.value_);
      return *this;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { release(); }

    const Value& value() const noexcept { return value_; }
    explicit operator bool() const noexcept { return entry_ != nullptr; }
    void release() noexcept;

   private:
    friend class ResidentCache;
    Use(std::shared_ptr<Shared> shared, std::shared_ptr<Entry> entry, Value value) noexcept
        : shared_(std::move(shared)), entry_(std::move(entry)), value_(std::move(value)) {}

    std::shared_ptr<Shared> shared_;
    std::shared_ptr<Entry> entry_;
    Value value_;
  };

  /// Somebody wants the entry, until his stop is pulled or this ends. Who waits in get() has one; another one is for
  /// those who do not wait there themselves. It may outlive the cache.
  class Wish {
   public:
    Wish(ResidentCache& cache, ResidentName name, const StopToken& stop);
    Wish(const Wish&) = delete;
    Wish& operator=(const Wish&) = delete;
    ~Wish() { end(); }

   private:
    void end();

    const std::shared_ptr<Shared> shared_;
    const ResidentName name_;
    bool ended_ = false;  // under the cache's lock
    std::optional<std::stop_callback<std::function<void()>>> on_stop_{};
  };

  struct Request {
    ResidentName name;
    std::uint64_t bytes = 0;
    memory::Priority priority = memory::Priority::normal;
    StopToken stop{};
    Deadline deadline = Deadline::never();
    std::optional<std::chrono::nanoseconds> memory_patience{};  // with waiting for memory alone; none: no limit
  };
  /// Its stop is pulled when nobody wants the entry any more.
  using Load = std::function<Result<Value>(const StopToken&)>;

  ResidentCache(std::shared_ptr<memory::MemoryBudget> budget, memory::MemoryTag tag, memory::EvictionOrder order,
                std::chrono::nanoseconds min_idle);
  ~ResidentCache() override;

  /// Only what is there.
  Use find(const ResidentName& name);
  /// Whether it is there; without making it younger.
  bool has(const ResidentName& name) const { return peek(name) != nullptr; }
  /// What is there, null: nothing; for a look, without making it younger.
  Value peek(const ResidentName& name) const;
  /// Loads it, waiting for memory and for the load. The caller should hold nothing of the budget meanwhile.
  Result<Use> get(const Request& request, const Load& load);
  struct Dropped {
    bool was_loaded = false;
    std::uint64_t bytes = 0;  // freed now
  };
  /// Drops the circuit's entries; those in use with their last user.
  Dropped drop(std::string_view circuit);
  /// Drops what has lain idle longest on a device, another circuit's than this; false: nothing does. For room in the
  /// device's own memory, which no budget here knows.
  bool drop_idle(unsigned device, std::string_view but);
  /// Whether anybody waits for it.
  bool is_wished(const ResidentName& name) const;
  /// Of all that is on a device, or is being loaded.
  std::uint64_t bytes_on(unsigned device) const;
  std::vector<ResidentSnapshot> snapshot() const;

 private:
  std::string_view name() const noexcept override { return memory::to_string(tag_); }
  memory::Evictable evictable(const memory::EvictionNeed& need) override;
  std::uint64_t evict(const memory::EvictionNeed& need) override;

  /// Of an entry that is resident and already counts the user.
  Use use(std::shared_ptr<Entry> entry);
  /// Waits while others load. The entry is to be used, or is to be loaded by the caller (owned: he is `owner`).
  Result<std::shared_ptr<Entry>> join(const Request& request, const std::stop_source& owner, bool& owned);
  Result<memory::Reservation> reserve(const Request& request, std::stop_source& owner);
  /// False when another one has taken over.
  bool begin_load(Entry& entry, const std::stop_source& owner);
  Status load(const Load& load, Entry& entry, memory::Reservation memory);
  /// The caller will not load it: others may, or get the error.
  /// Of the owner alone; false when a more urgent one has taken over.
  bool give_up(const std::shared_ptr<Entry>& entry, const std::stop_source& owner, const Error& error);

  const std::shared_ptr<memory::MemoryBudget> budget_;
  const memory::MemoryTag tag_;
  const std::chrono::nanoseconds min_idle_;
  const std::shared_ptr<Shared> shared_;
  memory::EvictorRegistration registration_;
};

extern template class ResidentCache<ResidentKey>;
extern template class ResidentCache<ResidentCircuit>;
using KeyCache = ResidentCache<ResidentKey>;
using CircuitCache = ResidentCache<ResidentCircuit>;

}  // namespace cuzk::engine
