#include "backend/cuda/arena.h"

#include <algorithm>

#include "memory/memory_size.h"

namespace cuzk::cuda {

namespace {

constexpr std::size_t kGranule = 4096;

}  // namespace

/// What a buffer owns.
struct DeviceArena::Block {
  std::shared_ptr<DeviceArena> arena;
  std::uint64_t offset;
  memory::Reservation reservation;

  Block(std::shared_ptr<DeviceArena> from, std::uint64_t at, memory::Reservation paid)
      : arena(std::move(from)), offset(at), reservation(std::move(paid)) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    arena->give_back(offset, reservation.bytes());
    reservation.release();
    arena->note_return();
  }
};

Result<std::shared_ptr<DeviceArena>> DeviceArena::create(std::shared_ptr<memory::DeviceBudget> budget) {
  CUZK_TRY(auto memory, DeviceBuffer::create(budget->budget()->total_bytes()));
  return std::make_shared<DeviceArena>(Private{}, std::move(budget), std::move(memory));
}

DeviceArena::DeviceArena(Private /*made by create()*/, std::shared_ptr<memory::DeviceBudget> budget,
                         DeviceBuffer memory)
    : budget_(std::move(budget)), memory_(std::move(memory)), ranges_(memory_.bytes(), kGranule) {}

Result<DeviceBuffer> DeviceArena::take(const Request& request) {
  using memory::format_memory_size;
  const std::size_t bytes = std::max<std::size_t>(request.bytes, 1);
  memory::ReserveRequest paid;
  paid.bytes = (bytes + kGranule - 1) / kGranule * kGranule;
  paid.tag = request.tag;
  paid.owner = request.owner;
  CUZK_TRY(auto reservation, budget_->budget()->try_reserve(paid));
  const bool stays = request.tag != memory::MemoryTag::workspace;
  MutexLock lock(mutex_);
  const auto offset = ranges_.take(bytes, stays ? memory::RangeAllocator::End::low : memory::RangeAllocator::End::high);
  if (!offset) {
    const std::string longest = format_memory_size(ranges_.largest_free_bytes());
    const std::string free = format_memory_size(ranges_.free_bytes());
    lock.unlock();
    return fail(Code::exhausted, "memory of the device: no " + format_memory_size(bytes) + " in one piece for " +
                                     request.owner + ": " + free + " are free, at most " + longest + " in a piece");
  }
  lock.unlock();
  auto block = std::make_shared<const Block>(shared_from_this(), *offset, std::move(reservation));
  return DeviceBuffer(memory_.as<std::byte>().data + *offset, bytes, std::move(block));
}

void DeviceArena::give_back(std::uint64_t offset, std::uint64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  ranges_.give_back(offset, bytes);
}

void DeviceArena::note_return() noexcept {
  {
    const MutexLock lock(mutex_);
    ++returns_;
  }
  returned_.notify_all();
}

bool DeviceArena::leaves_room(std::uint64_t bytes, std::uint64_t for_proofs) const {
  const MutexLock lock(mutex_);
  return ranges_.leaves_room(std::max<std::uint64_t>(bytes, 1), for_proofs);
}

std::uint64_t DeviceArena::returns() const {
  const MutexLock lock(mutex_);
  return returns_;
}

Status DeviceArena::wait_return(std::uint64_t seen, const StopToken& stop) {
  MutexLock lock(mutex_);
  returned_.wait(lock, stop, [&] { return returns_ > seen; });
  lock.unlock();
  return check_stop(stop, "waiting for memory of the device");
}

}  // namespace cuzk::cuda
