// Residents: the two caches, and how a partition comes by what it needs: compiled circuit, key, working memory.
//
// Whoever waits for memory holds none of it: circuit and key are let go meanwhile (they are the last to be evicted,
// having been used last) and taken again when the memory is there. So two who need each other's memory cannot wait for
// each other. Thread-safety: concurrently.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/resident_cache.h"
#include "memory/budget.h"
#include "support/function_ref.h"

namespace cuzk::engine {

/// What a partition is proven with, as long as it needs it.
struct Supplies {
  CircuitCache::Use circuit;
  KeyCache::Use key;
  memory::Reservation memory;  // the partition's whole peak

  ProvingSet set() const { return {key.value(), circuit.value()}; }
};

class Residents {
 public:
  /// `set_aside` bytes of the budget are reserved for as long as this lives: nothing else can ever have them.
  Residents(const std::shared_ptr<memory::MemoryBudget>& budget, std::chrono::nanoseconds min_idle,
            std::uint64_t set_aside);

  struct Want {
    const ProvingCircuit& circuit;
    const Device& device;
    std::string owner;                         // of the working memory; empty: none is wanted
    const memory::PinnedPool* pool = nullptr;  // where devices want a, b, c
    memory::BufferMemory abc_memory = memory::BufferMemory::pinned;
    memory::Priority priority = memory::Priority::normal;
    StopToken stop{};
    Deadline deadline = Deadline::never();
    std::function<void()> begins_to_wait{};  // for memory, or for others who load the same; called again and again
    std::function<void()> begins_to_load{};  // memory for it is there; called once or twice, or not at all
  };
  /// Somebody wants both (ResidentCache::Wish).
  class Wish {
   public:
    Wish(Residents& residents, const std::string& circuit, unsigned device, const StopToken& stop)
        : circuit_(residents.circuits_, {circuit, device}, stop), key_(residents.keys_, {circuit, device}, stop) {}

   private:
    CircuitCache::Wish circuit_;
    KeyCache::Wish key_;
  };

  /// exhausted at once when circuit, key and partition together are more than what this priority can ever have.
  /// `waits_for_memory` is called when circuit and key are there.
  Result<Supplies> collect(const Want& want, FunctionRef<void()> waits_for_memory);
  /// Loads what is missing as long as there is memory for it, or is after evicting: false when there is not.
  Result<bool> warm_up(const Want& want);
  bool has(std::string_view circuit, unsigned device) const;
  /// Both, where they are; without making them younger.
  std::optional<ProvingSet> peek(std::string_view circuit, unsigned device) const;

  KeyCache& keys() noexcept { return keys_; }
  CircuitCache& circuits() noexcept { return circuits_; }
  const KeyCache& keys() const noexcept { return keys_; }
  const CircuitCache& circuits() const noexcept { return circuits_; }

 private:
  /// A partition's whole peak.
  static Result<memory::ReserveRequest> partition_memory(const Want& want, const Supplies& supplies);
  std::uint64_t usable_bytes(memory::Priority priority) const noexcept;
  Status check_total(const Want& want, std::uint64_t partition_bytes) const;
  /// Both, in use. Nothing is held while something is loaded.
  /// `patience` is that with waiting for memory, for circuit and key each.
  Result<Supplies> load(const Want& want, std::optional<std::chrono::nanoseconds> patience = {});
  /// What lies longest idle on the device, of other circuits; false: nothing does.
  bool drop_idle(const Want& want);
  /// Points of the key that cross for each proof at a loss follow when what lies idle on the device has made room.
  void make_room(const Want& want, const ResidentKey& key);
  /// A load onto a device that has no room is tried again without what lies idle there.
  template <class Load> auto in_place_of_idle(const Want& want, const Load& load) -> decltype(load());

  const std::shared_ptr<memory::MemoryBudget> budget_;
  const std::uint64_t set_aside_;
  const std::uint64_t critical_reserve_;
  CircuitCache circuits_;
  KeyCache keys_;
};

}  // namespace cuzk::engine
