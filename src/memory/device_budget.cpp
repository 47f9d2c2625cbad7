#include "memory/device_budget.h"

#include <algorithm>
#include <utility>

#include "memory/memory_size.h"

namespace cuzk::memory {

Result<std::shared_ptr<DeviceBudget>> DeviceBudget::create(DeviceBudgetOptions options,
                                                           std::unique_ptr<DeviceMemoryReader> reader) {
  CUZK_TRY(const DeviceMemory first, reader->read());
  const std::uint64_t ours = std::min(first.free_bytes, options.limit_bytes.value_or(first.free_bytes));
  if (ours <= options.margin_bytes) {
    return fail(Code::exhausted, "memory of " + options.name + ": " + format_memory_size(ours) + " of " +
                                     format_memory_size(first.total_bytes) + " can be had, no more than the " +
                                     format_memory_size(options.margin_bytes) + " that are left to its driver");
  }
  BudgetOptions of_budget;
  of_budget.name = "memory of " + options.name;
  of_budget.total_bytes = ours - options.margin_bytes;
  of_budget.critical_reserve_bytes = options.critical_reserve_bytes;
  of_budget.faults = options.faults;
  of_budget.time = options.time;
  CUZK_TRY(auto budget, MemoryBudget::create(std::move(of_budget)));
  return std::make_shared<DeviceBudget>(Private{}, std::move(options), std::move(reader), std::move(budget), first);
}

DeviceBudget::DeviceBudget(Private /*made by create()*/, DeviceBudgetOptions options,
                           std::unique_ptr<DeviceMemoryReader> reader, std::shared_ptr<MemoryBudget> budget,
                           DeviceMemory first)
    : options_(std::move(options)),
      reader_(std::move(reader)),
      budget_(std::move(budget)),
      last_(first),
      read_at_(options_.time->now()) {}

DeviceMemory DeviceBudget::memory_now() {
  const MutexLock lock(mutex_);
  const TimeSource::TimePoint now = options_.time->now();
  if (now - read_at_ < options_.reading_age) return last_;
  read_at_ = now;
  if (const auto read = reader_->read()) last_ = *read;
  return last_;
}

}  // namespace cuzk::memory
