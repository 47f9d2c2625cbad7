#include "engine/residents.h"

#include <algorithm>

#include "memory/memory_size.h"
#include "support/log.h"

namespace cuzk::engine {

using memory::format_memory_size;

namespace {

/// How long evicting may take before others may have the memory.
constexpr auto kEvictionTime = std::chrono::milliseconds(50);

}  // namespace

Residents::Residents(const std::shared_ptr<memory::MemoryBudget>& budget, std::chrono::nanoseconds min_idle,
                     std::uint64_t set_aside)
    : budget_(budget),
      set_aside_(set_aside),
      critical_reserve_(budget->snapshot().critical_reserve),
      circuits_(budget, memory::MemoryTag::circuit, memory::EvictionOrder::circuits, min_idle),
      keys_(budget, memory::MemoryTag::key, memory::EvictionOrder::keys, min_idle) {}

std::uint64_t Residents::usable_bytes(memory::Priority priority) const noexcept {
  const std::uint64_t others = set_aside_ + (priority == memory::Priority::critical ? 0 : critical_reserve_);
  return budget_->total_bytes() - std::min(others, budget_->total_bytes());
}

Status Residents::check_total(const Want& want, std::uint64_t partition_bytes) const {
  const CircuitSizes sizes = want.circuit.sizes();
  const std::uint64_t sum = sizes.key_bytes + sizes.circuit_bytes + partition_bytes;
  const std::uint64_t usable = usable_bytes(want.priority);
  if (sum <= usable) return {};
  return fail(Code::exhausted, "proving " + want.circuit.id() + " takes " + format_memory_size(sum) + " (key " +
                                   format_memory_size(sizes.key_bytes) + ", circuit " +
                                   format_memory_size(sizes.circuit_bytes) + ", partition " +
                                   format_memory_size(partition_bytes) + "), more than the " +
                                   format_memory_size(usable) + " it can have of the budget of " +
                                   format_memory_size(budget_->total_bytes()) +
                                   " (memory.total_budget; payloads and the critical reserve take the rest)");
}

bool Residents::has(std::string_view circuit, unsigned device) const {
  const ResidentName name{std::string(circuit), device};
  return circuits_.has(name) && keys_.has(name);
}

std::optional<ProvingSet> Residents::peek(std::string_view circuit, unsigned device) const {
  const ResidentName name{std::string(circuit), device};
  ProvingSet set{.key = keys_.peek(name), .circuit = circuits_.peek(name)};
  return set.key != nullptr && set.circuit != nullptr ? std::optional(std::move(set)) : std::nullopt;
}

Result<bool> Residents::warm_up(const Want& want) {
  CUZK_CHECK_OK(check_total(want, want.owner.empty() ? 0 : want.circuit.sizes().partition_peak()));
  auto loaded = load(want, kEvictionTime);
  if (loaded) return true;
  if (loaded.error().code() == Code::deadline && !want.deadline.passed()) return false;
  return fail(std::move(loaded).error());
}

template <class Load> auto Residents::in_place_of_idle(const Want& want, const Load& load) -> decltype(load()) {
  while (true) {
    auto loaded = load();
    if (loaded || want.device.is_cpu || loaded.error().code() != Code::exhausted) return loaded;
    if (!drop_idle(want)) return loaded;
  }
}

bool Residents::drop_idle(const Want& want) {
  const unsigned device = want.device.ordinal;
  const std::string& id = want.circuit.id();
  if (!keys_.drop_idle(device, id) && !circuits_.drop_idle(device, id)) return false;
  log_info("no room on " + want.device.name + " for " + id + ": what lay idle there longest is dropped");
  return true;
}

void Residents::make_room(const Want& want, const ResidentKey& key) {
  const auto memory = want.device.memory();
  if (memory == nullptr) return;
  const auto free_bytes = [&] { return memory->budget()->total_bytes() - memory->budget()->snapshot().used; };
  while (key.lacking_bytes() > free_bytes() && drop_idle(want)) {
  }
}

Result<Supplies> Residents::load(const Want& want, std::optional<std::chrono::nanoseconds> patience) {
  const auto begin = [&] {
    if (want.begins_to_load) want.begins_to_load();
  };
  const ResidentName name{want.circuit.id(), want.device.ordinal};
  const CircuitSizes sizes = want.circuit.sizes();
  while (true) {
    if (want.begins_to_wait) want.begins_to_wait();
    Supplies supplies;
    supplies.circuit = circuits_.find(name);
    supplies.key = keys_.find(name);
    if (supplies.circuit && supplies.key) {
      CUZK_CHECK_OK(want.circuit.check_fit(*supplies.key.value(), *supplies.circuit.value()));
      return supplies;
    }
    const bool circuit_is_there = static_cast<bool>(supplies.circuit);
    supplies = {};
    if (!circuit_is_there) {
      CUZK_CHECK_OK(circuits_.get(
          {name, sizes.circuit_bytes, want.priority, want.stop, want.deadline, patience}, [&](const StopToken& stop) {
            begin();
            return in_place_of_idle(want, [&] { return want.circuit.load_circuit(want.device, stop); });
          }));
    } else {
      CUZK_CHECK_OK(keys_.get(
          {name, sizes.key_bytes, want.priority, want.stop, want.deadline, patience}, [&](const StopToken& stop) {
            begin();
            auto key = in_place_of_idle(want, [&] { return want.circuit.load_key(want.device, stop); });
            if (key) make_room(want, **key);
            return key;
          }));
    }
  }
}

Result<memory::ReserveRequest> Residents::partition_memory(const Want& want, const Supplies& supplies) {
  const CircuitSizes sizes = want.circuit.sizes();
  memory::ReserveRequest request{.bytes = sizes.partition_peak(),
                                 .tag = memory::MemoryTag::workspace,
                                 .owner = want.owner,
                                 .priority = want.priority,
                                 .stop = want.stop,
                                 .deadline = want.deadline};
  const ProvingSet set = supplies.set();
  if (want.circuit.wants(want.device, &set) == backend::Wants::witness) return request;
  if (want.pool == nullptr) {
    return fail(Code::unavailable, want.device.name + " wants a, b, c of " + want.circuit.id() +
                                       " from the host, and there is no pool of buffers");
  }
  const std::uint64_t abc_bytes = want.pool->footprint_bytes(want.circuit.abc_bytes(set));
  if (want.abc_memory == memory::BufferMemory::pinned) request.pooled_bytes = abc_bytes;
  request.bytes += abc_bytes;
  return request;
}

Result<Supplies> Residents::collect(const Want& want, FunctionRef<void()> waits_for_memory) {
  CUZK_CHECK_OK(check_total(want, want.owner.empty() ? 0 : want.circuit.sizes().partition_peak()));
  const ResidentName name{want.circuit.id(), want.device.ordinal};
  while (true) {
    CUZK_TRY(auto supplies, load(want));
    if (want.owner.empty()) return supplies;
    waits_for_memory();
    CUZK_TRY(const memory::ReserveRequest request, partition_memory(want, supplies));
    CUZK_CHECK_OK(check_total(want, request.bytes));
    auto at_once = budget_->try_reserve(request);
    if (at_once) {
      supplies.memory = *std::move(at_once);
      return supplies;
    }
    supplies = {};
    CUZK_TRY(auto memory, budget_->reserve(request));
    supplies.circuit = circuits_.find(name);
    supplies.key = keys_.find(name);
    if (supplies.circuit && supplies.key) {
      CUZK_TRY(const memory::ReserveRequest now, partition_memory(want, supplies));
      supplies.memory = std::move(memory);
      if (now.bytes == request.bytes && now.pooled_bytes == request.pooled_bytes) return supplies;
    }
    // What was let go has been evicted meanwhile, or what is there takes other memory: once more, holding nothing.
  }
}

}  // namespace cuzk::engine
