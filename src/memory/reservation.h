// Reservation: bytes of a MemoryBudget that belong to whoever holds it; it gives them back when it ends.
//
// It keeps its budget alive. Bytes move between reservations and out of them, never into them from nowhere: the
// budget's sum is right at every moment. Preconditions are CUZK_REQUIREd: a broken one is a fault of ours. Units:
// bytes. Thread-safety: a value for one thread at a time; several of one budget concurrently. Lock rank: each call
// takes the budget's lock (50), so none may be made under a lock of a higher rank.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "memory/ledger.h"

namespace cuzk::memory {

class MemoryBudget;

class Reservation {
 public:
  /// Holds nothing.
  Reservation() noexcept = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation();

  std::uint64_t bytes() const noexcept { return holding_.bytes; }
  /// Of them: what the pool will serve and has not yet.
  std::uint64_t pooled_bytes() const noexcept { return holding_.pooled; }
  /// Null where nothing was ever held, and after the end.
  const std::shared_ptr<MemoryBudget>& budget() const noexcept { return budget_; }
  MemoryTag tag() const noexcept;
  std::string owner() const;

  /// Takes `bytes` of this one, `pooled` of them such as the pool will serve, into a new one of the same tag, owner and
  /// priority. precondition: this one has as much of both.
  Reservation split(std::uint64_t bytes, std::uint64_t pooled = 0);
  /// Gives `bytes` back, those not meant for the pool first. precondition: at most bytes().
  void shrink(std::uint64_t bytes);
  /// Gives back all above `bytes`; nothing when there is no more.
  void shrink_to(std::uint64_t bytes);
  /// Takes all of another one of the same budget, or the first bytes of an empty one.
  void absorb(Reservation&& other);
  /// From now on another consumer's.
  void transfer(MemoryTag tag, std::string_view owner);
  /// No longer counts against the reserve for critical work: what outlives its job (a key that a critical job loaded).
  void make_ordinary();
  /// Gives everything back now.
  void release() noexcept;

 private:
  friend class MemoryBudget;
  Reservation(std::shared_ptr<MemoryBudget> budget, Holding holding) noexcept;

  std::shared_ptr<MemoryBudget> budget_;
  Holding holding_;
};

}  // namespace cuzk::memory
