// DeviceArena: all memory of a device that is ours, taken from the driver once and given out by the arena.
//
// Every byte that it gives out is reserved in the device's budget, and belongs to a DeviceBuffer until that ends.
// Keys and circuits come from one end, what a proof works in from the other. Taking never waits: exhausted, saying what
// was wanted, what is free, who holds the rest. Who wants to wait until others give back asks for a ticket first.
//
// Errors: create: those of the driver; take: exhausted. Thread-safety: concurrently. Lock rank: 56, nothing is called
// under it.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>

#include "backend/cuda/runtime.h"
#include "memory/device_budget.h"
#include "memory/range_allocator.h"
#include "support/mutex.h"
#include "support/stop.h"

namespace cuzk::cuda {

class DeviceArena final : public std::enable_shared_from_this<DeviceArena> {
  struct Private {};

 public:
  /// Takes the budget's total from the current device.
  static Result<std::shared_ptr<DeviceArena>> create(std::shared_ptr<memory::DeviceBudget> budget);
  DeviceArena(Private, std::shared_ptr<memory::DeviceBudget> budget, DeviceBuffer memory);
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;

  const std::shared_ptr<memory::DeviceBudget>& budget() const noexcept { return budget_; }

  struct Request {
    std::size_t bytes = 0;
    memory::MemoryTag tag = memory::MemoryTag::workspace;
    std::string owner = std::string();  // NOLINT(readability-redundant-member-init)
  };
  Result<DeviceBuffer> take(const Request& request);

  /// Whether so much can stay here and leave proofs that much in one piece, or what they had before.
  bool leaves_room(std::uint64_t bytes, std::uint64_t for_proofs) const;

  /// How often something was given back; to be read before a take that may fail.
  std::uint64_t returns() const;
  /// Until it is more than that; cancelled.
  Status wait_return(std::uint64_t seen, const StopToken& stop);

 private:
  struct Block;
  void give_back(std::uint64_t offset, std::uint64_t bytes) noexcept;
  void note_return() noexcept;

  const std::shared_ptr<memory::DeviceBudget> budget_;
  const DeviceBuffer memory_;

  mutable Mutex mutex_;
  std::condition_variable_any returned_;
  memory::RangeAllocator ranges_ CUZK_GUARDED_BY(mutex_);
  std::uint64_t returns_ CUZK_GUARDED_BY(mutex_) = 0;
};

}  // namespace cuzk::cuda
