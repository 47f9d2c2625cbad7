// Bodies of curve/fixed_base.h for one field and Isa; included by fixed_base_inst.cpp alone.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "curve/batch_add_impl.h"
#include "curve/fixed_base.h"

namespace cuzk::fixed_base_detail {

inline constexpr unsigned kMaxWindow = 16;

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

  /// The cheapest choice for n scalars; wider tables cost more in memory than they save.
  static SignedWindows for_count(std::size_t n) noexcept {
    unsigned best = 4;
    const auto additions = [n](unsigned bits) {
      const SignedWindows windows(bits);
      return windows.count() * (n + windows.entries());
    };
    for (unsigned bits = 5; bits <= kMaxWindow; ++bits)
      if (additions(bits) < additions(best)) best = bits;
    return SignedWindows(best);
  }

 private:
  unsigned bits_;
  U256 shift_{};
};

/// Operands of additions that stand side by side: sums[i] = left[i] + right[i].
template <class F> struct Pairs {
  const Affine<F>*left_points, *right_points;
  std::size_t count;

  std::size_t size() const noexcept { return count; }
  const Affine<F>& left(std::size_t i) const noexcept { return left_points[i]; }
  const Affine<F>& right(std::size_t i) const noexcept { return right_points[i]; }
  static std::uint32_t target(std::size_t i) noexcept { return static_cast<std::uint32_t>(i); }
};
/// The same with one right point for all.
template <class F> struct Translates {
  const Affine<F>* left_points;
  Affine<F> step;
  std::size_t count;

  std::size_t size() const noexcept { return count; }
  const Affine<F>& left(std::size_t i) const noexcept { return left_points[i]; }
  const Affine<F>& right(std::size_t) const noexcept { return step; }
  static std::uint32_t target(std::size_t i) noexcept { return static_cast<std::uint32_t>(i); }
};

struct NoLookahead {
  static void step() noexcept {}
};

/// Row i, entry j: (j + 1) 2^(w i) base.
template <class F> class WindowTable {
 public:
  WindowTable(Arena& arena, const SignedWindows& windows, const Affine<F>& base)
      : windows_(windows), entries_(std::make_unique_for_overwrite<Affine<F>[]>(windows.count() * windows.entries())) {
    std::vector<Point<F>> firsts{Point<F>::from_affine(base)};
    while (firsts.size() < windows.count()) {
      Point<F> next = firsts.back();
      for (unsigned i = 0; i < windows.bits(); ++i) next = next.doubled();
      firsts.push_back(next);
    }
    parallel_tasks(arena, windows.count(), [&](std::size_t i) { fill_row(row(i), firsts[i].to_affine()); });
  }

  const SignedWindows& windows() const noexcept { return windows_; }
  const Affine<F>* row(std::size_t i) const noexcept { return entries_.get() + i * windows_.entries(); }

 private:
  Affine<F>* row(std::size_t i) noexcept { return entries_.get() + i * windows_.entries(); }

  /// From the first m entries the next m: each plus the m-th.
  void fill_row(Affine<F>* row, const Affine<F>& first) noexcept {
    affine_detail::BatchAdder<F> adder(windows_.entries() / 2);
    NoLookahead none;
    row[0] = first;
    for (std::size_t m = 1; m < windows_.entries(); m *= 2)
      adder.add_batch(Translates<F>{row, row[m - 1], m}, row + m, none);
  }

  SignedWindows windows_;
  std::unique_ptr<Affine<F>[]> entries_;
};

/// Scalars that share inversions; a block's sums and table entries stay in the second-level cache.
inline constexpr std::size_t kBlock = 2048;

/// Multiples of one block.
template <class F> class BlockMultiplier {
 public:
  explicit BlockMultiplier(const WindowTable<F>& table)
      : table_(table), adder_(kBlock), addends_(kBlock), shifted_(kBlock) {}

  /// precondition: 0 < scalars.size() = out.size() <= kBlock.
  void run(std::span<const U256> scalars, std::span<Affine<F>> out) noexcept {
    const SignedWindows& windows = table_.windows();
    for (std::size_t i = 0; i < scalars.size(); ++i) shifted_[i] = windows.shifted(scalars[i]);
    collect(0, out);
    NoLookahead none;
    for (unsigned window = 1; window < windows.count(); ++window) {
      collect(window, std::span(addends_).first(out.size()));
      adder_.add_batch(Pairs<F>{out.data(), addends_.data(), out.size()}, out.data(), none);
    }
  }

 private:
  /// The entries of one window.
  void collect(unsigned window, std::span<Affine<F>> to) noexcept {
    constexpr std::size_t kAhead = 16;
    const Affine<F>* const row = table_.row(window);
    const auto digit_of = [&](std::size_t i) { return table_.windows().digit(shifted_[i], window); };
    const auto entry = [&](std::int32_t digit) { return row + (digit < 0 ? -digit : digit) - 1; };
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (i + kAhead < to.size()) {
        if (const std::int32_t next = digit_of(i + kAhead); next != 0) prefetch(entry(next));
      }
      const std::int32_t digit = digit_of(i);
      to[i] = digit == 0 ? Affine<F>::identity() : *entry(digit);
      if (digit != 0) affine_detail::negate_if(digit < 0, to[i].y);
    }
  }
  static void prefetch(const Affine<F>* p) noexcept {
    const auto* bytes = reinterpret_cast<const std::byte*>(p);
    for (std::size_t at = 0; at < sizeof(*p); at += 64) __builtin_prefetch(bytes + at);
  }

  const WindowTable<F>& table_;
  affine_detail::BatchAdder<F> adder_;
  std::vector<Affine<F>> addends_;
  std::vector<U256> shifted_;
};

template <class F>
void multiply_n(Arena& arena, const WindowTable<F>& table, std::span<const U256> scalars,
                std::span<Affine<F>> out) noexcept {
  parallel_for(arena, 0, scalars.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    BlockMultiplier<F>(table).run(scalars.subspan(begin, end - begin), out.subspan(begin, end - begin));
  });
}

}  // namespace cuzk::fixed_base_detail
