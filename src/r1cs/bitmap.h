// A set of indices below a fixed size, one bit each: bit i is bit i % 64 of word i / 64; bits behind the last are zero.
//
// Thread-safety: const methods concurrently.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "support/result.h"

namespace cuzk::r1cs {

class Bitmap {
 public:
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t words_for(std::size_t bits) noexcept { return (bits + kWordBits - 1) / kWordBits; }

  Bitmap() = default;
  explicit Bitmap(std::size_t size) : size_(size), words_(words_for(size)) {}

  std::size_t size() const noexcept { return size_; }
  std::span<const std::uint64_t> words() const noexcept { return words_; }
  /// precondition: i < size().
  bool test(std::size_t i) const noexcept { return (words_[i / kWordBits] >> (i % kWordBits) & 1) != 0; }
  void set(std::size_t i) noexcept {
    CUZK_ASSERT(i < size_);
    words_[i / kWordBits] |= std::uint64_t{1} << (i % kWordBits);
  }
  /// Sets at + i for each i of `other`. precondition: at + other.size() <= size().
  void set_all(const Bitmap& other, std::size_t at) noexcept {
    CUZK_ASSERT(at + other.size() <= size_);
    const std::size_t shift = at % kWordBits;
    std::uint64_t* to = words_.data() + at / kWordBits;
    for (const std::uint64_t word : other.words_) {
      *to++ |= word << shift;
      if (shift != 0 && word >> (kWordBits - shift) != 0) *to |= word >> (kWordBits - shift);
    }
  }

  std::size_t count() const noexcept {
    std::size_t total = 0;
    for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  /// Of the indices below `end`. precondition: end <= size().
  std::size_t count_below(std::size_t end) const noexcept {
    std::size_t total = 0;
    for (std::size_t at = 0; at < end / kWordBits; ++at) total += static_cast<std::size_t>(std::popcount(words_[at]));
    if (end % kWordBits == 0) return total;
    const std::uint64_t below = (std::uint64_t{1} << (end % kWordBits)) - 1;
    return total + static_cast<std::size_t>(std::popcount(words_[end / kWordBits] & below));
  }
  /// f(i) for each index of the set, ascending.
  template <class F> void for_each(F&& f) const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      for (std::uint64_t rest = words_[at]; rest != 0; rest &= rest - 1) {
        f(at * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  friend bool operator==(const Bitmap&, const Bitmap&) noexcept = default;

 private:
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace cuzk::r1cs
