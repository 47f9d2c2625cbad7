// Bodies of curve/fixed_base.h for one field and Isa; included by fixed_base_inst.cpp alone.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "curve/fixed_base.h"

namespace cuzk::fixed_base_detail {

/// Scalars below 2^255 cut into windows of w bits. To a scalar is added sum 2^(w i + w - 1) over all windows but the
/// last, so that the digit of window i, in [-2^(w-1), 2^(w-1)), is the value of its own bits less 2^(w-1); the last
/// one's is the value itself, at most 2^(w-1).
class SignedWindows {
 public:
  explicit SignedWindows(unsigned bits) noexcept : bits_(bits) {
    for (unsigned i = 0; i + 1 < count(); ++i) {
      const unsigned top = i * bits + bits - 1;
      shift_.limb[top / 64] |= u64{1} << (top % 64);
    }
  }

  unsigned bits() const noexcept { return bits_; }
  unsigned count() const noexcept { return (256 + bits_ - 1) / bits_; }
  std::size_t entries() const noexcept { return std::size_t{1} << (bits_ - 1); }
  U256 shifted(const U256& scalar) const noexcept {
    U256 sum = scalar;
    sum.add(shift_);
    return sum;
  }
  std::int32_t digit(const U256& shifted, unsigned window) const noexcept {
    const auto value = static_cast<std::int32_t>(shifted.window(window * bits_, bits_));
    return window + 1 < count() ? value - static_cast<std::int32_t>(entries()) : value;
  }

  /// The cheapest choice for n scalars; windows beyond 14 bits leave the second-level cache.
  static SignedWindows for_count(std::size_t n) noexcept {
    unsigned best = 4;
    const auto additions = [n](unsigned bits) {
      const SignedWindows windows(bits);
      return windows.count() * (n + windows.entries());
    };
    for (unsigned bits = 5; bits <= 14; ++bits)
      if (additions(bits) < additions(best)) best = bits;
    return SignedWindows(best);
  }

 private:
  unsigned bits_;
  U256 shift_{};
};

/// Sums of a block of points with another block, sharing one inversion.
template <class F> class BlockAdder {
 public:
  explicit BlockAdder(std::size_t block)
      : denominators_(std::make_unique_for_overwrite<F[]>(block)),
        scratch_(std::make_unique_for_overwrite<F[]>(block)) {}

  /// sums[i] = left[i] + right(i); sums may be left, right(i) is an affine point.
  template <class Right> void add(std::span<const Affine<F>> left, Right&& right, std::span<Affine<F>> sums) noexcept {
    const std::size_t n = left.size();
    for (std::size_t i = 0; i < n; ++i) denominators_[i] = denominator(left[i], right(i));
    batch_inverse(std::span<F>(denominators_.get(), n), std::span<F>(scratch_.get(), n));
    for (std::size_t i = 0; i < n; ++i) sums[i] = sum(left[i], right(i), denominators_[i]);
  }

 private:
  /// Of the slope; zero when the sum needs none.
  static F denominator(const Affine<F>& p, const Affine<F>& q) noexcept {
    if (p.is_identity() || q.is_identity()) return F::zero();
    if (!(p.x == q.x)) return q.x - p.x;
    return p.y == q.y ? p.y.doubled() : F::zero();
  }
  static Affine<F> sum(const Affine<F>& p, const Affine<F>& q, const F& inverse) noexcept {
    if (inverse.is_zero()) return trivial_sum(p, q);
    const F numerator = p.x == q.x ? triple(p.x.squared()) : q.y - p.y;
    const F slope = numerator * inverse;
    const F x = slope.squared() - p.x - q.x;
    return {x, slope * (p.x - x) - p.y};
  }
  static Affine<F> trivial_sum(const Affine<F>& p, const Affine<F>& q) noexcept {
    if (p.is_identity()) return q;
    return q.is_identity() ? p : Affine<F>::identity();
  }
  static F triple(const F& z) noexcept { return z.doubled() + z; }

  std::unique_ptr<F[]> denominators_, scratch_;
};

/// Row i, entry j: (j + 1) 2^(w i) base.
template <class F> class Table {
 public:
  Table(Arena& arena, const SignedWindows& windows, const Affine<F>& base)
      : windows_(windows), entries_(std::make_unique_for_overwrite<Affine<F>[]>(windows.count() * windows.entries())) {
    std::vector<Point<F>> firsts{Point<F>::from_affine(base)};
    while (firsts.size() < windows.count()) {
      Point<F> next = firsts.back();
      for (unsigned i = 0; i < windows.bits(); ++i) next = next.doubled();
      firsts.push_back(next);
    }
    parallel_tasks(arena, windows.count(), [&](std::size_t i) { fill_row(row(i), firsts[i].to_affine()); });
  }

  const Affine<F>* row(std::size_t i) const noexcept { return entries_.get() + i * windows_.entries(); }

 private:
  Affine<F>* row(std::size_t i) noexcept { return entries_.get() + i * windows_.entries(); }

  /// From the first m entries the next m: each plus the m-th.
  void fill_row(Affine<F>* row, const Affine<F>& first) noexcept {
    BlockAdder<F> adder(windows_.entries() / 2);
    row[0] = first;
    for (std::size_t m = 1; m < windows_.entries(); m *= 2) {
      const Affine<F> step = row[m - 1];
      adder.add(
          std::span<const Affine<F>>(row, m), [&](std::size_t) -> const Affine<F>& { return step; },
          std::span<Affine<F>>(row + m, m));
    }
  }

  SignedWindows windows_;
  std::unique_ptr<Affine<F>[]> entries_;
};

/// Scalars that share inversions; a block's sums and table entries stay in the second-level cache.
inline constexpr std::size_t kBlock = 1024;

/// Multiples of one block.
template <class F> class BlockMultiplier {
 public:
  BlockMultiplier(const SignedWindows& windows, const Table<F>& table)
      : windows_(windows), table_(table), adder_(kBlock), addends_(kBlock), shifted_(kBlock) {}

  void run(std::span<const U256> scalars, std::span<Affine<F>> out) noexcept {
    std::fill(out.begin(), out.end(), Affine<F>::identity());
    for (std::size_t i = 0; i < scalars.size(); ++i) shifted_[i] = windows_.shifted(scalars[i]);
    for (unsigned window = 0; window < windows_.count(); ++window) {
      collect(window, scalars.size());
      adder_.add(std::span<const Affine<F>>(out), [&](std::size_t i) -> const Affine<F>& { return addends_[i]; }, out);
    }
  }

 private:
  void collect(unsigned window, std::size_t n) noexcept {
    constexpr std::size_t kAhead = 8;
    const Affine<F>* const row = table_.row(window);
    const auto entry = [&](std::int32_t digit) { return row + (digit < 0 ? -digit : digit) - 1; };
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        const std::int32_t next = windows_.digit(shifted_[i + kAhead], window);
        if (next != 0) prefetch(entry(next));
      }
      const std::int32_t digit = windows_.digit(shifted_[i], window);
      if (digit == 0) {
        addends_[i] = Affine<F>::identity();
      } else {
        addends_[i] = digit < 0 ? -*entry(digit) : *entry(digit);
      }
    }
  }
  static void prefetch(const Affine<F>* p) noexcept {
    const auto* bytes = reinterpret_cast<const std::byte*>(p);
    for (std::size_t at = 0; at < sizeof(*p); at += 64) __builtin_prefetch(bytes + at);
  }

  const SignedWindows& windows_;
  const Table<F>& table_;
  BlockAdder<F> adder_;
  std::vector<Affine<F>> addends_;
  std::vector<U256> shifted_;
};

template <class F>
void multiply_n(Arena& arena, const Affine<F>& base, std::span<const U256> scalars, std::span<Affine<F>> out) noexcept {
  const SignedWindows windows = SignedWindows::for_count(scalars.size());
  const Table<F> table(arena, windows, base);
  parallel_for(arena, 0, scalars.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    BlockMultiplier<F>(windows, table).run(scalars.subspan(begin, end - begin), out.subspan(begin, end - begin));
  });
}

}  // namespace cuzk::fixed_base_detail
