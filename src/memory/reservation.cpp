#include "memory/reservation.h"

#include <algorithm>
#include <utility>

#include "memory/budget.h"

namespace cuzk::memory {

Reservation::Reservation(std::shared_ptr<MemoryBudget> budget, Holding holding) noexcept
    : budget_(std::move(budget)), holding_(holding) {}

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), holding_(std::exchange(other.holding_, {})) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    release();
    budget_ = std::exchange(other.budget_, nullptr);
    holding_ = std::exchange(other.holding_, {});
  }
  return *this;
}

Reservation::~Reservation() { release(); }

void Reservation::release() noexcept {
  const std::shared_ptr<MemoryBudget> budget = std::exchange(budget_, nullptr);
  if (budget) budget->end(holding_);
  holding_ = {};
}

MemoryTag Reservation::tag() const noexcept {
  CUZK_REQUIRE(budget_ != nullptr);
  return budget_->tag_of(holding_);
}

std::string Reservation::owner() const { return budget_ ? budget_->owner_of(holding_) : std::string(); }

Reservation Reservation::split(std::uint64_t bytes, std::uint64_t pooled) {
  CUZK_REQUIRE(budget_ != nullptr);
  CUZK_REQUIRE(pooled <= bytes && bytes <= holding_.bytes);
  CUZK_REQUIRE(pooled <= holding_.pooled && bytes - pooled <= holding_.bytes - holding_.pooled);
  return {budget_, budget_->split(holding_, {.bytes = bytes, .pooled = pooled})};
}

void Reservation::shrink(std::uint64_t bytes) {
  CUZK_REQUIRE(bytes <= holding_.bytes);
  if (bytes > 0) budget_->give_back(holding_, bytes);
}

void Reservation::shrink_to(std::uint64_t bytes) {
  if (bytes < holding_.bytes) shrink(holding_.bytes - bytes);
}

void Reservation::absorb(Reservation&& other) {
  CUZK_REQUIRE(this != &other);
  if (!other.budget_) return;
  if (!budget_) {
    *this = std::move(other);
    return;
  }
  CUZK_REQUIRE(budget_ == other.budget_);
  budget_->join(holding_, other.holding_);
  other.budget_ = nullptr;
  other.holding_ = {};
}

void Reservation::transfer(MemoryTag tag, std::string_view owner) {
  if (budget_) budget_->rename(holding_, tag, owner);
}

void Reservation::make_ordinary() {
  if (budget_) budget_->make_ordinary(holding_);
}

}  // namespace cuzk::memory
