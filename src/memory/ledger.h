// Ledger: the books of a MemoryBudget, without its lock, its queue and its clock.
//
//   reserved   sum of all holdings
//   expected   the part of them that will be taken from the pool and has not been yet
//   idle       bytes that lie free in the pool
//   used       reserved + max(0, idle - expected)
//
// Idle buffers that holders will take anyway are counted once: so a working set that fits is admitted without emptying
// the pool, which it is about to fill. At any moment the bytes that exist are at most `used`: those handed out and
// those idle; and used never exceeds the total. Units: bytes. Thread-safety: external (the budget's lock).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/memory_tag.h"

namespace cuzk::memory {

/// A consumer's line in the books; it exists while a holding names it.
struct Account {
  MemoryTag tag;
  std::string owner;
  std::uint64_t bytes = 0;
  std::uint64_t holdings = 0;
};

/// What one Reservation holds.
struct Holding {
  Account* account = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t pooled = 0;  // of them: still to be taken from the pool
  bool critical = false;     // counts against the reserve for critical work
};

struct Amount {
  std::uint64_t bytes = 0;
  std::uint64_t pooled = 0;  // of them
};

class Ledger {
 public:
  struct TagUse {
    std::uint64_t bytes = 0;
    std::uint64_t peak = 0;
  };

  /// precondition: critical_reserve < total.
  Ledger(std::uint64_t total, std::uint64_t critical_reserve) noexcept;

  std::uint64_t total() const noexcept { return total_; }
  std::uint64_t critical_reserve() const noexcept { return critical_reserve_; }
  std::uint64_t reserved() const noexcept { return reserved_; }
  std::uint64_t idle() const noexcept { return idle_; }
  std::uint64_t expected() const noexcept { return expected_; }
  std::uint64_t used() const noexcept { return reserved_ + excess_idle(0); }
  std::uint64_t peak() const noexcept { return peak_; }
  /// Idle bytes that nobody will take when `more` bytes are expected in addition.
  std::uint64_t excess_idle(std::uint64_t more) const noexcept;
  const std::array<TagUse, kMemoryTags>& by_tag() const noexcept { return by_tag_; }
  std::vector<Account> accounts() const;

  /// The largest request of this priority that can ever be met.
  std::uint64_t ceiling(Priority priority) const noexcept;
  /// Bytes by which the request does not fit now; 0: it fits.
  std::uint64_t shortfall(Amount amount, Priority priority) const noexcept;
  /// What a request of this priority could get now.
  std::uint64_t available(Priority priority) const noexcept;

  /// precondition: shortfall is 0.
  Holding open(MemoryTag tag, std::string_view owner, Amount amount, bool critical);
  /// precondition of the following: the holding has as much.
  Holding split(Holding& from, Amount amount);
  void give_back(Holding& from, Amount amount);
  /// What joins a critical holding is critical, what joins an ordinary one is not.
  void join(Holding& to, Holding& from);
  void rename(Holding& holding, MemoryTag tag, std::string_view owner);
  void make_ordinary(Holding& holding) noexcept;
  /// The line of the books is closed with its last holding. precondition: nothing is held.
  void close(Holding& holding);

  /// Bytes of the holding become idle ones.
  void park(Holding& from, std::uint64_t bytes);
  /// The holding takes idle bytes for bytes that it has reserved.
  void take_idle(Holding& by, std::uint64_t bytes) noexcept;
  /// The holding makes new bytes instead; false when they do not fit beside the idle ones that nobody expects then.
  bool materialise(Holding& by, std::uint64_t bytes) noexcept;
  /// Idle bytes cease to exist.
  void drop_idle(std::uint64_t bytes) noexcept;

 private:
  using Name = std::pair<MemoryTag, std::string>;

  void add(Account& account, std::uint64_t bytes) noexcept;
  void subtract(Account& account, std::uint64_t bytes) noexcept;
  Account& open_account(MemoryTag tag, std::string_view owner);
  void note_peak() noexcept;
  /// What is kept from ordinary work at this moment.
  std::uint64_t kept_for_critical() const noexcept;

  std::uint64_t total_;
  std::uint64_t critical_reserve_;
  std::uint64_t reserved_ = 0;
  std::uint64_t expected_ = 0;
  std::uint64_t idle_ = 0;
  std::uint64_t critical_used_ = 0;
  std::uint64_t peak_ = 0;
  std::array<TagUse, kMemoryTags> by_tag_{};
  std::map<Name, Account> accounts_;
};

}  // namespace cuzk::memory
