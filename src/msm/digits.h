// Scalars as the bucket method reads them: zeros dropped, negative when that is shorter, signed digits by a shift.
//
// A scalar k of Z/r becomes sign and magnitude m = min(k, r - k): -1, -2, ... are as short as 1, 2, ... To m is added
// sum_w 2^(at_w + bits_w - 1) over all windows w but the last, so that the digit of window w, in
// [-2^(bits-1), 2^(bits-1)), is read from its own bits alone: those bits minus 2^(bits-1). The last window's digit is
// read as it is; m < r/2 keeps it within 2^(bits-1). The scalars are ordered by how many windows they need, most first:
// window w reads a prefix. Memory: 36 bytes a non-zero scalar. Thread-safety: const functions concurrently.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "field/big_int.h"
#include "msm/window.h"
#include "support/parallel.h"

namespace cuzk {

/// A point of a sum: its index and whether it is subtracted.
class SignedIndex {
 public:
  SignedIndex() = default;
  constexpr SignedIndex(std::size_t index, bool negative) noexcept
      : code_(static_cast<std::uint32_t>(index << 1) | static_cast<std::uint32_t>(negative)) {}

  constexpr std::size_t index() const noexcept { return code_ >> 1; }
  constexpr bool negative() const noexcept { return (code_ & 1) != 0; }
  constexpr SignedIndex negated_if(bool flip) const noexcept {
    SignedIndex s = *this;
    s.code_ ^= static_cast<std::uint32_t>(flip);
    return s;
  }

 private:
  std::uint32_t code_;
};

class Digits {
 public:
  static constexpr std::size_t kMaxScalars = std::size_t{1} << 31;

  /// Precondition: at most kMaxScalars scalars. Values not below r count modulo r.
  Digits(Arena& arena, std::span<const U256> scalars, const U256& r);

  std::span<const Window> windows() const noexcept { return windows_; }
  /// Non-zero scalars.
  std::span<const SignedIndex> indices() const noexcept { return {indices_.get(), size_}; }
  /// How many of them, from the first, can have a digit other than 0 in window w.
  std::size_t entries(std::size_t w) const noexcept { return entries_[w]; }
  /// Shifted magnitudes, in the order of indices().
  std::span<const U256> shifted() const noexcept { return {shifted_.get(), size_}; }

 private:
  std::vector<Window> windows_;
  std::vector<std::size_t> entries_;
  std::size_t size_ = 0;
  std::unique_ptr<SignedIndex[]> indices_;
  std::unique_ptr<U256[]> shifted_;
};

/// A digit other than 0: where its point goes.
struct BucketEntry {
  std::uint32_t bucket;  // |digit| - 1
  SignedIndex index;
};

/// The entries of one window, in chunks of consecutive scalars, each chunk in the order of its buckets (a counting
/// sort). A chunk's points are close to each other in memory: they are read once, in order, and then found in the
/// cache. Reused from window to window. Memory: 8 bytes an entry.
class BucketOrder {
 public:
  void sort(const Digits& digits, std::size_t w);

  std::uint32_t buckets() const noexcept { return buckets_; }
  std::size_t chunks() const noexcept { return counts_.size(); }
  std::span<const BucketEntry> chunk(std::size_t c) const noexcept { return {entries_.get() + c * kChunk, counts_[c]}; }

  /// Scalars a chunk: 256 KiB of points of G1 (4 limbs).
  static constexpr std::size_t kChunk = 4096;

 private:
  std::uint32_t buckets_ = 0;
  std::vector<std::uint32_t> counts_;  // entries of each chunk
  std::size_t capacity_ = 0;
  std::unique_ptr<BucketEntry[]> entries_;
  std::vector<std::uint32_t> next_;
};

}  // namespace cuzk
