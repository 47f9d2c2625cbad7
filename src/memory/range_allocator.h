// RangeAllocator: which parts of one large block of memory are in use; it touches none of it.
//
// Ranges are taken from either end: what stays for long from the low one, what is given back soon from the high one, so
// that the middle stays in one piece. A range is as close to its end as it can be. Units: bytes; sizes are rounded up
// to the granule. Complexity: linear in the number of free pieces. Thread-safety: external.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace cuzk::memory {

class RangeAllocator {
 public:
  enum class End : std::uint8_t { low, high };

  /// Of offsets [0, size). precondition: granule a power of two.
  RangeAllocator(std::uint64_t size, std::uint64_t granule);

  /// Its offset, a multiple of the granule; none: no free piece is as long. precondition: bytes > 0.
  std::optional<std::uint64_t> take(std::uint64_t bytes, End end);
  /// precondition: taken with that size, not yet given back.
  void give_back(std::uint64_t offset, std::uint64_t bytes);

  std::uint64_t free_bytes() const noexcept { return free_bytes_; }
  /// The longest range that can be had.
  std::uint64_t largest_free_bytes() const noexcept;
  /// Whether so many bytes more can be had from the low end without taking a range of `room` from those at the high
  /// end: with all that they have given back one is left that is as long, or the longest one is what it was before.
  bool leaves_room(std::uint64_t bytes, std::uint64_t room) const;
  std::uint64_t padded(std::uint64_t bytes) const noexcept { return (bytes + granule_ - 1) & ~(granule_ - 1); }

 private:
  const std::uint64_t granule_;
  std::uint64_t free_bytes_;
  std::map<std::uint64_t, std::uint64_t> free_;  // offset -> size; no two touch
  std::map<std::uint64_t, std::uint64_t> high_;  // offset -> size of what was taken from the high end
};

}  // namespace cuzk::memory
