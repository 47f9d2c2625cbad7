#include <algorithm>

#include "engine/core.h"
#include "support/right_of_way.h"

namespace cuzk::engine {

/// Both are of the partition's reservation, which pays for what is made beside them.
Status EngineCore::keep_input(Task& task, r1cs::Witness witness) {
  const std::string owner = task.supplies.memory.owner();
  task.input.witness_memory = task.supplies.memory.split(task.circuit->sizes().witness_bytes);
  task.input.witness_memory.transfer(memory::MemoryTag::witness, owner);
  task.input.witness = std::make_shared<const r1cs::Witness>(std::move(witness));
  task.input.other_means = task.is_again_here();
  const Device& device = lines_[task.device]->device();
  const ProvingSet set = task.supplies.set();
  if (task.circuit->wants(device, &set) == backend::Wants::abc) return evaluate(task, set, owner);
  note_path(task, device.is_cpu ? MemoryPath::host : MemoryPath::packed_witness);
  return {};
}

Status EngineCore::evaluate(Task& task, const ProvingSet& set, const std::string& owner) {
  Job& job = *task.job;
  CUZK_CHECK_OK(check_stop(job.stop_token(), "evaluating a, b, c"));
  job.begin(task.partition, Phase::evaluate);
  CUZK_TRY(memory::HostBuffer abc,
           options_.pool->acquire(task.circuit->abc_bytes(set), task.supplies.memory, task.abc_memory()));
  abc.transfer(memory::MemoryTag::abc, owner);
  Arena& arena = arena_for(job);
  const RightOfWay way(arena);
  CUZK_CHECK_OK(task.circuit->evaluate(arena, set, *task.input.witness, abc, job.stop_token()));
  note_path(task, abc.is_pinned() ? MemoryPath::pinned : MemoryPath::pageable);
  task.input.abc = std::move(abc);
  job.finish(task.partition, Phase::evaluate);
  return {};
}

void EngineCore::note_path(const Task& task, MemoryPath path) {
  task.job->update(task.partition, [&](PartitionStatus& status) { status.timeline.path = path; });
}

/// As many as partitions may hold at once: those that wait for a device or are being put on it, and a critical one.
/// Their exact size is known where the circuit is resident.
std::optional<memory::PinnedPool::BufferSet> EngineCore::buffers_of(const ProvingCircuit& circuit) {
  memory::PinnedPool::BufferSet set{.bytes = circuit.sizes().abc_bytes,
                                    .count = options_.max_witnesses + options_.device_queue * lines_.size() + 1,
                                    .at_most = true};
  bool is_wanted = false;
  for (const auto& line : lines_) {
    const Device& device = line->device();
    if (!circuit.runs_on(device)) continue;
    const auto resident = residents_.peek(circuit.id(), device.ordinal);
    if (circuit.wants(device, resident ? &*resident : nullptr) != backend::Wants::abc) continue;
    is_wanted = true;
    if (resident) set = {.bytes = circuit.abc_bytes(*resident), .count = set.count, .at_most = false};
  }
  return is_wanted ? std::optional(set) : std::nullopt;
}

/// Those that were named, and those that are resident: they were used, or will be.
std::set<std::string> EngineCore::expected_circuits() {
  std::set<std::string> all;
  for (ResidentSnapshot& key : residents_.keys().snapshot()) {
    if (!key.loading) all.insert(std::move(key.circuit));
  }
  const MutexLock lock(expected_mutex_);
  all.insert(expected_circuits_.begin(), expected_circuits_.end());
  return all;
}

void EngineCore::expect_circuit(std::string_view id) {
  const MutexLock lock(expected_mutex_);
  expected_circuits_.emplace(id);
}

void EngineCore::forget_circuit(std::string_view id) {
  const MutexLock lock(expected_mutex_);
  if (const auto at = expected_circuits_.find(id); at != expected_circuits_.end()) expected_circuits_.erase(at);
}

/// Of the host's memory: what its key holds where it is resident, else what a load takes.
std::uint64_t EngineCore::key_bytes(const ProvingCircuit& circuit) const {
  std::optional<std::uint64_t> held;
  for (const ResidentSnapshot& key : residents_.keys().snapshot()) {
    if (key.circuit == circuit.id() && !key.loading) held = held.value_or(0) + key.bytes;
  }
  return held.value_or(circuit.sizes().key_bytes);
}

void EngineCore::prewarm_buffers() {
  if (options_.pool == nullptr) return;
  std::vector<memory::PinnedPool::BufferSet> sets;
  std::vector<std::uint64_t> peaks;  // of a partition, with its buffer
  std::uint64_t resident = payload_memory_.bytes();
  for (const std::string& id : expected_circuits()) {
    const auto circuit = options_.catalogue->find(id);
    if (!circuit) continue;  // whoever wants it will be told
    const CircuitSizes sizes = (*circuit)->sizes();
    resident += key_bytes(**circuit) + sizes.circuit_bytes;
    const auto set = buffers_of(**circuit);
    if (!set) continue;
    sets.push_back(*set);
    peaks.push_back(sizes.partition_peak() + options_.pool->footprint_bytes(set->bytes));
  }
  const std::uint64_t total = options_.budget->total_bytes();
  const std::uint64_t room = total > resident ? total - resident : 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {  // no more than the budget admits
    sets[i].count = std::clamp(room / peaks[i], std::uint64_t{1}, sets[i].count);
  }
  options_.pool->prewarm_for_any(sets);
}

void EngineCore::tend_buffers() {
  options_.pool->trim();
  prewarm_buffers();
}

}  // namespace cuzk::engine
