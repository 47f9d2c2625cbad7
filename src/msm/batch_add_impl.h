// The lists of additions that sums of buckets are made of, and how their operands are reached; the additions themselves
// are curve/batch_add_impl.h's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "curve/batch_add_impl.h"
#include "msm/digits.h"

namespace cuzk::msm_detail {

/// Additions that share an inversion. All that a batch touches stays in the second-level cache.
inline constexpr std::size_t kBatch = 1024;

/// Sum of the points at left and right, for out[target].
template <class Operand> struct Addition {
  Operand left, right;
  std::uint32_t target;
};

/// Points at any address, by signed index.
template <class F> class IndexedPoints {
 public:
  explicit IndexedPoints(const std::byte* points) noexcept : points_(points) {}

  void load(SignedIndex i, Affine<F>& to) const noexcept {
    std::memcpy(&to, at(i), sizeof to);
    affine_detail::negate_if(i.negative(), to.y);
  }
  void prefetch(SignedIndex i) const noexcept {
    for (std::size_t byte = 0; byte < sizeof(Affine<F>); byte += 64) __builtin_prefetch(at(i) + byte);
    __builtin_prefetch(at(i) + sizeof(Affine<F>) - 1);  // unaligned points end in one line more
  }

 private:
  const std::byte* at(SignedIndex i) const noexcept { return points_ + i.index() * sizeof(Affine<F>); }

  const std::byte* points_;
};

/// Points that will be wanted soon, fetched one by one while additions run.
template <class F> class Lookahead {
 public:
  Lookahead(IndexedPoints<F> points, std::span<const SignedIndex> wanted) noexcept
      : points_(points), next_(wanted.data()), end_(next_ + wanted.size()) {}

  void step() noexcept {
    if (next_ != end_) points_.prefetch(*next_++);
  }

 private:
  IndexedPoints<F> points_;
  const SignedIndex *next_, *end_;
};

/// The operands of a batch where they lie.
template <class F> struct ListedOperands {
  const Affine<F>*left_points, *right_points;
  std::span<const Addition<std::uint32_t>> additions;

  std::size_t size() const noexcept { return additions.size(); }
  const Affine<F>& left(std::size_t i) const noexcept { return left_points[additions[i].left]; }
  const Affine<F>& right(std::size_t i) const noexcept { return right_points[additions[i].right]; }
  std::uint32_t target(std::size_t i) const noexcept { return additions[i].target; }
};

/// The operands of a batch copied side by side.
template <class F> struct CopiedOperands {
  const Affine<F>* operands;
  std::span<const Addition<SignedIndex>> additions;

  std::size_t size() const noexcept { return additions.size(); }
  const Affine<F>& left(std::size_t i) const noexcept { return operands[2 * i]; }
  const Affine<F>& right(std::size_t i) const noexcept { return operands[2 * i + 1]; }
  std::uint32_t target(std::size_t i) const noexcept { return additions[i].target; }
};

/// Adds lists of any length in batches. Working memory: that of a batch, and its copied operands.
template <class F> class ListAdder {
 public:
  /// lanes: as for BatchAdder.
  explicit ListAdder(bool lanes = false)
      : adder_(kBatch, lanes), operands_(std::make_unique_for_overwrite<Affine<F>[]>(2 * kBatch)) {}

  /// out[target] = left[..] + right[..]. Targets are distinct; where `out` is one of the operand arrays, a target may
  /// be an operand of its own addition but of no other.
  void add(const Affine<F>* left, const Affine<F>* right, std::span<const Addition<std::uint32_t>> additions,
           Affine<F>* out, Lookahead<F>& lookahead) noexcept {
    for_each_batch(additions,
                   [&](auto batch) { adder_.add_batch(ListedOperands<F>{left, right, batch}, out, lookahead); });
  }

  void add(IndexedPoints<F> points, std::span<const Addition<SignedIndex>> additions, Affine<F>* out,
           Lookahead<F>& lookahead) noexcept {
    for_each_batch(additions, [&](auto batch) {
      copy_operands(points, batch);
      adder_.add_batch(CopiedOperands<F>{operands_.get(), batch}, out, lookahead);
    });
  }

 private:
  template <class List, class Body> static void for_each_batch(List list, Body body) noexcept {
    for (; !list.empty(); list = list.subspan(std::min(kBatch, list.size())))
      body(list.first(std::min(kBatch, list.size())));
  }

  void copy_operands(IndexedPoints<F> points, std::span<const Addition<SignedIndex>> batch) noexcept {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      points.load(batch[i].left, operands_[2 * i]);
      points.load(batch[i].right, operands_[2 * i + 1]);
    }
  }

  affine_detail::BatchAdder<F> adder_;
  std::unique_ptr<Affine<F>[]> operands_;
};

}  // namespace cuzk::msm_detail
