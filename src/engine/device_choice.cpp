// Which device proves a partition: an accelerator where there is one, of several the one with its key. The CPU stands
// in for it when it is out of service, has failed at this partition, or is too busy, but only where the CPU's own time
// is foreseen to be short enough: what takes it hours is better failed at once, so that the caller can do something
// else.
#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/core.h"

namespace cuzk::engine {

namespace {

/// Of the working memory of a partition that a CPU proves within seconds: a WinningPoSt, not a WindowPoSt.
constexpr std::uint64_t kSmallWork = std::uint64_t{512} << 20;

std::string seconds(std::uint64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ns) * 1e-9);
  return text.data();
}

/// Until the job's deadline; none: it has none.
std::optional<std::uint64_t> time_left(const Job& job) {
  if (job.deadline().is_never()) return std::nullopt;
  const auto left = job.deadline().when() - Deadline::Clock::now();
  return static_cast<std::uint64_t>(std::max(std::chrono::nanoseconds(left).count(), std::int64_t{0}));
}

std::string foreseen(std::uint64_t ns, const std::optional<std::uint64_t>& left) {
  return seconds(ns) + " are foreseen" + (left ? ", " + seconds(*left) + " are left" : "");
}

}  // namespace

const DeviceLine* EngineCore::best_line(const Task& task, bool cpu) const {
  const std::string& circuit = task.circuit->id();
  const auto rank = [&](const DeviceLine& line) {
    const unsigned ordinal = line.device().ordinal;
    const std::size_t load = line.load();
    const bool is_there = residents_.has(circuit, ordinal);
    return std::tuple(!line.in_service(), task.avoid_device == ordinal, load / options_.workers_per_device, !is_there,
                      !is_there && !residents_.keys().is_wished({circuit, ordinal}), load,
                      residents_.keys().bytes_on(ordinal), ordinal);
  };
  const DeviceLine* best = nullptr;
  for (const auto& line : lines_) {
    if (line->device().is_cpu != cpu || !task.circuit->runs_on(line->device())) continue;
    if (best == nullptr || rank(*line) < rank(*best)) best = line.get();
  }
  return best;
}

/// From now to the proof of the last of so many partitions.
std::optional<std::uint64_t> EngineCore::foresee(const DeviceLine& line, const Task& task,
                                                 std::uint32_t partitions) const {
  const auto own = estimates_.partition_ns(*task.circuit, line.device());
  if (!own) return std::nullopt;
  const auto goes_first = [&](const TaskPtr& other) { return before(other->order(), task.order()); };
  const std::size_t ahead = line.in_flight() + line.ready().count(goes_first);
  const std::uint64_t each = estimates_.mean_ns(line.device().ordinal).value_or(*own) / options_.workers_per_device;
  return ahead * each + partitions * *own;
}

DeviceChoice EngineCore::choose_device(const Task& task) const {
  if (task.loaded_on && lines_[*task.loaded_on]->in_service()) return task.choice;
  const DeviceLine* const accelerator = best_line(task, false);
  const DeviceLine* const cpu = best_line(task, true);
  if (accelerator == nullptr || cpu == nullptr) {
    const DeviceLine* const only = accelerator == nullptr ? cpu : accelerator;
    return {.device = only == nullptr ? 0 : only->device().ordinal, .instead = {}, .refused = {}};
  }
  if (!accelerator->in_service()) {
    return stand_in(*accelerator, *cpu, task, "out of service", task.job->unfinished_partitions());
  }
  if (task.avoid_device == accelerator->device().ordinal) {
    return stand_in(*accelerator, *cpu, task, "failed at it", 1);
  }
  if (is_too_busy(*accelerator, *cpu, task)) return stand_in(*accelerator, *cpu, task, "too busy", 1);
  return {.device = accelerator->device().ordinal, .instead = {}, .refused = {}};
}

bool EngineCore::is_too_busy(const DeviceLine& accelerator, const DeviceLine& cpu, const Task& task) const {
  if (accelerator.load() == 0) return false;
  const auto there = foresee(accelerator, task, 1);
  const auto here = foresee(cpu, task, 1);
  if (!there || !here) return false;
  const auto left = time_left(*task.job);
  if (left) return *there > *left && *here <= *left;
  return task.circuit->sizes().working_bytes() <= kSmallWork && *there > *here;
}

/// The CPU for so many partitions, if its time is short enough.
DeviceChoice EngineCore::stand_in(const DeviceLine& accelerator, const DeviceLine& cpu, const Task& task,
                                  const char* trouble, std::uint32_t partitions) const {
  const std::uint64_t ns = foresee(cpu, task, partitions).value_or(0);
  const auto left = time_left(*task.job);
  const bool soon = left ? ns <= *left : task.circuit->sizes().working_bytes() <= kSmallWork;
  const bool allowed =
      options_.cpu_fallback == CpuFallback::always || (options_.cpu_fallback == CpuFallback::foreseen && soon);
  const std::string name = accelerator.device().name;
  if (allowed) {
    return {.device = cpu.device().ordinal,
            .instead = "instead of " + name + " (" + trouble + "): " + foreseen(ns, left),
            .refused = {}};
  }
  const std::string why = options_.cpu_fallback == CpuFallback::never ? "it is not allowed to" : foreseen(ns, left);
  return {.device = accelerator.device().ordinal,
          .instead = {},
          .refused = cpu.device().name + " does not stand in for " + name + " (" + trouble + "): " + why};
}

void EngineCore::note_fallback(const Task& task) {
  if (task.choice.instead.empty()) return;
  const Job& job = *task.job;
  log_warn("on " + lines_[task.device]->device().name + " " + task.choice.instead, job.subject(task.partition));
  metrics_.fell_back(job.identity().kind);
}

}  // namespace cuzk::engine
