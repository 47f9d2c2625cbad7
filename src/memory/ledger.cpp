#include "memory/ledger.h"

#include <algorithm>
#include <limits>

#include "support/checked.h"
#include "support/result.h"

namespace cuzk::memory {

namespace {

constexpr std::uint64_t above(std::uint64_t a, std::uint64_t b) noexcept { return a > b ? a - b : 0; }

}  // namespace

Ledger::Ledger(std::uint64_t total, std::uint64_t critical_reserve) noexcept
    : total_(total), critical_reserve_(critical_reserve) {
  CUZK_ASSERT(critical_reserve < total);
}

std::uint64_t Ledger::excess_idle(std::uint64_t more) const noexcept { return above(idle_, expected_ + more); }

std::vector<Account> Ledger::accounts() const {
  std::vector<Account> all;
  all.reserve(accounts_.size());
  for (const auto& [name, account] : accounts_) all.push_back(account);
  return all;
}

std::uint64_t Ledger::ceiling(Priority priority) const noexcept {
  return priority == Priority::critical ? total_ : total_ - critical_reserve_;
}

std::uint64_t Ledger::kept_for_critical() const noexcept { return above(critical_reserve_, critical_used_); }

std::uint64_t Ledger::shortfall(Amount amount, Priority priority) const noexcept {
  const std::uint64_t kept = priority == Priority::critical ? 0 : kept_for_critical();
  const auto wanted = checked_add(reserved_ + excess_idle(amount.pooled) + kept, amount.bytes);
  return wanted ? above(*wanted, total_) : std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t Ledger::available(Priority priority) const noexcept {
  return above(total_, used() + (priority == Priority::critical ? 0 : kept_for_critical()));
}

void Ledger::note_peak() noexcept { peak_ = std::max(peak_, used()); }

void Ledger::add(Account& account, std::uint64_t bytes) noexcept {
  account.bytes += bytes;
  TagUse& use = by_tag_[static_cast<std::size_t>(account.tag)];
  use.bytes += bytes;
  use.peak = std::max(use.peak, use.bytes);
}

void Ledger::subtract(Account& account, std::uint64_t bytes) noexcept {
  account.bytes -= bytes;
  by_tag_[static_cast<std::size_t>(account.tag)].bytes -= bytes;
}

Account& Ledger::open_account(MemoryTag tag, std::string_view owner) {
  const auto [place, is_new] = accounts_.try_emplace(Name(tag, owner));
  if (is_new) {
    place->second.tag = tag;
    place->second.owner = owner;
  }
  ++place->second.holdings;
  return place->second;
}

Holding Ledger::open(MemoryTag tag, std::string_view owner, Amount amount, bool critical) {
  Holding holding{&open_account(tag, owner), amount.bytes, amount.pooled, critical};
  add(*holding.account, amount.bytes);
  reserved_ += amount.bytes;
  expected_ += amount.pooled;
  if (critical) critical_used_ += amount.bytes;
  note_peak();
  return holding;
}

Holding Ledger::split(Holding& from, Amount amount) {
  ++from.account->holdings;
  from.bytes -= amount.bytes;
  from.pooled -= amount.pooled;
  return {from.account, amount.bytes, amount.pooled, from.critical};
}

void Ledger::give_back(Holding& from, Amount amount) {
  from.bytes -= amount.bytes;
  from.pooled -= amount.pooled;
  subtract(*from.account, amount.bytes);
  reserved_ -= amount.bytes;
  expected_ -= amount.pooled;
  if (from.critical) critical_used_ -= amount.bytes;
}

void Ledger::join(Holding& to, Holding& from) {
  if (from.critical && !to.critical) make_ordinary(from);
  if (to.critical && !from.critical) critical_used_ += from.bytes;
  subtract(*from.account, from.bytes);
  add(*to.account, from.bytes);
  to.bytes += std::exchange(from.bytes, 0);
  to.pooled += std::exchange(from.pooled, 0);
  close(from);
}

void Ledger::rename(Holding& holding, MemoryTag tag, std::string_view owner) {
  Account& to = open_account(tag, owner);
  subtract(*holding.account, holding.bytes);
  add(to, holding.bytes);
  close(holding);
  holding.account = &to;
}

void Ledger::make_ordinary(Holding& holding) noexcept {
  if (holding.critical) critical_used_ -= holding.bytes;
  holding.critical = false;
}

void Ledger::close(Holding& holding) {
  if (--holding.account->holdings == 0) accounts_.erase(Name(holding.account->tag, holding.account->owner));
  holding.account = nullptr;
}

void Ledger::park(Holding& from, std::uint64_t bytes) {
  give_back(from, {.bytes = bytes, .pooled = 0});
  idle_ += bytes;
}

void Ledger::take_idle(Holding& by, std::uint64_t bytes) noexcept {
  const std::uint64_t pooled = std::min(by.pooled, bytes);
  idle_ -= bytes;
  by.pooled -= pooled;
  expected_ -= pooled;
}

bool Ledger::materialise(Holding& by, std::uint64_t bytes) noexcept {
  const std::uint64_t pooled = std::min(by.pooled, bytes);
  if (reserved_ + above(idle_, expected_ - pooled) > total_) return false;
  by.pooled -= pooled;
  expected_ -= pooled;
  note_peak();
  return true;
}

void Ledger::drop_idle(std::uint64_t bytes) noexcept { idle_ -= bytes; }

}  // namespace cuzk::memory
