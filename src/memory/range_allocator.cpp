#include "memory/range_allocator.h"

#include <algorithm>
#include <bit>

#include "support/result.h"

namespace cuzk::memory {

RangeAllocator::RangeAllocator(std::uint64_t size, std::uint64_t granule)
    : granule_(granule), free_bytes_(size & ~(granule - 1)) {
  CUZK_REQUIRE(std::has_single_bit(granule));
  if (free_bytes_ > 0) free_.emplace(0, free_bytes_);
}

std::optional<std::uint64_t> RangeAllocator::take(std::uint64_t bytes, End end) {
  const std::uint64_t size = padded(bytes);
  if (size < bytes || size == 0) return std::nullopt;
  const auto fits = [&](const auto& piece) { return piece.second >= size; };
  auto at = free_.end();
  if (end == End::low) {
    at = std::ranges::find_if(free_, fits);
  } else if (const auto found = std::find_if(free_.rbegin(), free_.rend(), fits); found != free_.rend()) {
    at = std::prev(found.base());
  }
  if (at == free_.end()) return std::nullopt;
  const auto [begin, length] = *at;
  const std::uint64_t offset = end == End::low ? begin : begin + length - size;
  free_.erase(at);
  if (length > size) free_.emplace(end == End::low ? begin + size : begin, length - size);
  free_bytes_ -= size;
  if (end == End::high) high_.emplace(offset, size);
  return offset;
}

void RangeAllocator::give_back(std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t begin = offset;
  std::uint64_t size = padded(bytes);
  free_bytes_ += size;
  high_.erase(offset);
  const auto after = free_.lower_bound(offset);
  CUZK_REQUIRE(after == free_.end() || offset + size <= after->first);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    CUZK_REQUIRE(before->first + before->second <= offset);
    if (before->first + before->second == offset) {
      begin = before->first;
      size += before->second;
      free_.erase(before);
    }
  }
  if (after != free_.end() && after->first == begin + size) {
    size += after->second;
    free_.erase(after);
  }
  free_.emplace(begin, size);
}

std::uint64_t RangeAllocator::largest_free_bytes() const noexcept {
  std::uint64_t largest = 0;
  for (const auto& [offset, size] : free_) largest = std::max(largest, size);
  return largest;
}

bool RangeAllocator::leaves_room(std::uint64_t bytes, std::uint64_t room) const {
  const auto longest_without_high = [](RangeAllocator ranges) {
    for (const auto& [offset, size] : std::map(ranges.high_)) ranges.give_back(offset, size);
    return ranges.largest_free_bytes();
  };
  RangeAllocator then = *this;
  if (!then.take(bytes, End::low)) return false;
  const std::uint64_t left = longest_without_high(then);
  return left >= room || left == longest_without_high(*this);
}

}  // namespace cuzk::memory
