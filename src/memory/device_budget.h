// DeviceBudget: the memory of one accelerator: a MemoryBudget for what is ours of it, and what its driver says.
//
// The total is what was free when the device was set up, less a margin for the driver, and at most a limit. What is
// resident on the device and every partition's working memory there is reserved as on the host: same queue, priorities,
// evictors, tags. Others may use the device as well: an allocation that was reserved can still be refused by the
// driver, and memory_now() shows how much is free at all.
//
// Units: bytes. Errors: create: exhausted (nothing is left), those of the reader; the budget's own. Thread-safety:
// concurrently. Lock rank: 55, held while the reader is called.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "memory/budget.h"

namespace cuzk::memory {

/// Of the whole device, all processes together.
struct DeviceMemory {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
};

/// Asks the driver (cuMemGetInfo, NVML). Thread-safety: one call at a time.
class DeviceMemoryReader {
 public:
  DeviceMemoryReader() = default;
  DeviceMemoryReader(const DeviceMemoryReader&) = delete;
  DeviceMemoryReader& operator=(const DeviceMemoryReader&) = delete;
  virtual ~DeviceMemoryReader() = default;

  virtual Result<DeviceMemory> read() = 0;
};

struct DeviceBudgetOptions {
  std::string name;  // of the device, in messages: "memory of NVIDIA H200"
  std::uint64_t margin_bytes = std::uint64_t{512} << 20;
  std::optional<std::uint64_t> limit_bytes = std::nullopt;
  std::uint64_t critical_reserve_bytes = 0;
  std::shared_ptr<FaultPolicy> faults = nullptr;
  /// How old an answer of the driver may be; asking costs a call of the driver.
  std::chrono::nanoseconds reading_age = std::chrono::seconds(1);
  TimeSource* time = &steady_time();  // must outlive the budget
};

class DeviceBudget {
  struct Private {};

 public:
  static Result<std::shared_ptr<DeviceBudget>> create(DeviceBudgetOptions options,
                                                      std::unique_ptr<DeviceMemoryReader> reader);
  DeviceBudget(Private, DeviceBudgetOptions options, std::unique_ptr<DeviceMemoryReader> reader,
               std::shared_ptr<MemoryBudget> budget, DeviceMemory first);
  DeviceBudget(const DeviceBudget&) = delete;
  DeviceBudget& operator=(const DeviceBudget&) = delete;

  /// Reservations, evictors and the books of what is ours.
  const std::shared_ptr<MemoryBudget>& budget() const noexcept { return budget_; }
  /// The driver's last answer; asked again when it is too old. Where it gives none, the one before stands.
  DeviceMemory memory_now();

 private:
  const DeviceBudgetOptions options_;
  const std::unique_ptr<DeviceMemoryReader> reader_;
  const std::shared_ptr<MemoryBudget> budget_;

  Mutex mutex_;
  DeviceMemory last_ CUZK_GUARDED_BY(mutex_);
  TimeSource::TimePoint read_at_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::memory
