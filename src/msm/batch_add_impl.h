// Additions of affine points in batches that share one inversion (Montgomery's trick): 5 products and a square each.
//
// P + Q = (l^2 - x_P - x_Q, l (x_P - x) - y_P) with l = (y_Q - y_P)/(x_Q - x_P), or 3 x^2/2y where P = Q. The first
// pass multiplies all denominators, the second takes their inverses apart again. Over Fq2 it is the norms that are
// multiplied and inverted: 7 products of Fq an addition instead of 9. Both passes work on groups of kLanes independent
// additions, stage by stage, so that the chains of a group overlap in the processor (a product's latency is several
// times its throughput); a kernel for vector lanes takes the same arrays. Complete: equal, opposite and identity
// operands are noticed by a zero difference or a zero x and leave the common path.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "curve/fq2.h"
#include "curve/point.h"
#include "msm/digits.h"
#include "msm/lazy_impl.h"

namespace cuzk::msm_detail {

inline constexpr std::size_t kLanes = 4;
/// Additions that share an inversion. All that a batch touches stays in the second-level cache.
inline constexpr std::size_t kBatch = 1024;

/// Sum of the points at left and right, for out[target].
template <class Operand> struct Addition {
  Operand left, right;
  std::uint32_t target;
};

/// What is inverted in place of a denominator, and the denominator's inverse from it.
template <class F> struct Denominator {
  using Base = F;
  static Base norm(const F& d) noexcept { return d; }
  static F inverse(const F&, const Base& norm_inverse) noexcept { return norm_inverse; }
};
template <class B> struct Denominator<Fq2<B>> {
  using Base = B;
  static Base norm(const Fq2<B>& d) noexcept { return d.c0.squared() + d.c1.squared(); }
  static Fq2<B> inverse(const Fq2<B>& d, const Base& norm_inverse) noexcept {
    return {d.c0 * norm_inverse, -(d.c1 * norm_inverse)};
  }
};

/// Points at any address, by signed index.
template <class F> class IndexedPoints {
 public:
  explicit IndexedPoints(const std::byte* points) noexcept : points_(points) {}

  void load(SignedIndex i, Affine<F>& to) const noexcept {
    std::memcpy(&to, at(i), sizeof to);
    negate_if(i.negative(), to.y);
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

/// Adds in batches. Working memory: 4 (6) field elements of Fq (Fq2) an addition of a batch, and its copied operands.
template <class F> class BatchAdder {
 public:
  using Base = typename Denominator<F>::Base;

  BatchAdder()
      : norms_(std::make_unique_for_overwrite<Base[]>(kBatch)),
        products_(std::make_unique_for_overwrite<Base[]>(kBatch + kLanes)),
        operands_(std::make_unique_for_overwrite<Affine<F>[]>(2 * kBatch)) {}

  /// out[target] = left[..] + right[..]. Targets are distinct; where `out` is one of the operand arrays, a target may
  /// be an operand of its own addition but of no other.
  void add(const Affine<F>* left, const Affine<F>* right, std::span<const Addition<std::uint32_t>> additions,
           Affine<F>* out, Lookahead<F>& lookahead) noexcept {
    for_each_batch(additions, [&](auto batch) { add_batch(ListedOperands<F>{left, right, batch}, out, lookahead); });
  }

  void add(IndexedPoints<F> points, std::span<const Addition<SignedIndex>> additions, Affine<F>* out,
           Lookahead<F>& lookahead) noexcept {
    for_each_batch(additions, [&](auto batch) {
      copy_operands(points, batch);
      add_batch(CopiedOperands<F>{operands_.get(), batch}, out, lookahead);
    });
  }

 private:
  using Lanes = std::array<Base, kLanes>;  // below 2p
  static constexpr bool kExtension = !std::is_same_v<F, Base>;

  /// Slope of the line through P and Q, and whether the sum needs none.
  struct Line {
    F numerator, denominator;
    bool trivial;
  };

  [[gnu::noinline]] static Line special_line(const Affine<F>& p, const Affine<F>& q) noexcept {
    if (!p.is_identity() && !q.is_identity()) {
      if (!(p.x == q.x)) return {q.y - p.y, q.x - p.x, false};  // a point with x = 0
      if (p.y == q.y) {
        const F xx = p.x.squared();
        return {xx.doubled() + xx, p.y.doubled(), false};
      }
    }
    return {F::zero(), F::one(), true};
  }
  static Affine<F> trivial_sum(const Affine<F>& p, const Affine<F>& q) noexcept {
    if (p.is_identity()) return q;
    return q.is_identity() ? p : Affine<F>::identity();
  }

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

  /// norms_[i] = the norm of addition i, 0 if it is special; products_[i] = norms of its lane before it. The products
  /// of all norms of the lanes follow the last.
  template <class Operands> [[gnu::flatten]] void multiply_norms(const Operands& operands) noexcept {
    for (std::size_t k = 0; k < kLanes; ++k) products_[k] = Base::one();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const F& x = operands.left(i).x;
      const F& other_x = operands.right(i).x;
      norms_[i] = Denominator<F>::norm(lazy_difference(other_x, x));
      if (maybe_equal(other_x, x) || maybe_zero(x) || maybe_zero(other_x)) [[unlikely]] {
        const Line line = special_line(operands.left(i), operands.right(i));
        products_[i + kLanes] = lazy_product(products_[i], Denominator<F>::norm(line.denominator));
        norms_[i] = Base::zero();
        continue;
      }
      products_[i + kLanes] = lazy_product(products_[i], norms_[i]);
    }
  }

  /// The inverses of the lanes' products; those of `count` additions end at products_[count + kLanes - 1].
  [[gnu::flatten]] Lanes inverses(std::size_t count) const noexcept {
    Lanes running, before;
    Base all = Base::one();
    for (std::size_t i = count; i < count + kLanes; ++i) {
      running[i % kLanes] = products_[i];
      before[i % kLanes] = all;
      all = all * products_[i];
    }
    Base inverse = all.inverse();
    for (std::size_t i = count + kLanes; i-- > count;) {
      running[i % kLanes] = inverse * before[i % kLanes];
      inverse = inverse * products_[i];
    }
    return running;
  }

  /// Additions [first, first + count) of one group; `running` holds the inverses of their lanes' products so far.
  template <class Operands>
  [[gnu::flatten]] void add_group(const Operands& operands, std::size_t first, std::size_t count, Lanes& running,
                                  Affine<F>* out, Lookahead<F>& lookahead) noexcept {
    std::array<F, kLanes> x, slope, denominator;
    Lanes inverse;
    bool trivial = false;
    for (std::size_t k = 0; k < count; ++k) {
      const Affine<F>& p = operands.left(first + k);
      const Affine<F>& q = operands.right(first + k);
      Base& norm = norms_[first + k];
      x[k] = p.x;
      slope[k] = factor_difference(q.y, p.y);
      if constexpr (kExtension) denominator[k] = lazy_difference(q.x, p.x);
      if (maybe_zero(norm)) [[unlikely]] {
        const Line line = special_line(p, q);
        slope[k] = line.numerator;
        denominator[k] = line.denominator;
        norm = Denominator<F>::norm(line.denominator);
        trivial |= line.trivial;
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      lookahead.step();
      inverse[k] = lazy_product(running[k], products_[first + k]);
      running[k] = lazy_product(running[k], norms_[first + k]);
    }
    for (std::size_t k = 0; k < count; ++k) {
      if constexpr (kExtension) {
        slope[k] = lazy_product(slope[k], Denominator<F>::inverse(denominator[k], inverse[k]));
      } else {
        slope[k] = lazy_product(slope[k], inverse[k]);
      }
    }
    if (trivial) [[unlikely]]
      return store_with_trivial(operands, first, count, slope, out);
    for (std::size_t k = 0; k < count; ++k) {
      out[operands.target(first + k)].x = square_minus(slope[k], x[k], operands.right(first + k).x);
    }
    for (std::size_t k = 0; k < count; ++k) {
      Affine<F>& sum = out[operands.target(first + k)];
      sum.y = slope[k] * factor_difference(x[k], sum.x) - operands.left(first + k).y;
    }
  }

  template <class Operands>
  [[gnu::noinline]] static void store_with_trivial(const Operands& operands, std::size_t first, std::size_t count,
                                                   const std::array<F, kLanes>& slope, Affine<F>* out) noexcept {
    for (std::size_t i = first; i < first + count; ++i) {
      const Affine<F> p = operands.left(i);
      const Affine<F> q = operands.right(i);
      Affine<F>& sum = out[operands.target(i)];
      if (p.is_identity() || q.is_identity() || (p.x == q.x && !(p.y == q.y))) {
        sum = trivial_sum(p, q);
      } else {
        const F x = slope[i - first].squared() - p.x - q.x;
        sum = {x, slope[i - first] * (p.x - x) - p.y};
      }
    }
  }

  template <class Operands> void add_batch(const Operands& operands, Affine<F>* out, Lookahead<F>& lookahead) noexcept {
    multiply_norms(operands);
    Lanes running = inverses(operands.size());
    for (std::size_t first = (operands.size() - 1) / kLanes * kLanes;; first -= kLanes) {
      add_group(operands, first, std::min(kLanes, operands.size() - first), running, out, lookahead);
      if (first == 0) break;
    }
  }

  std::unique_ptr<Base[]> norms_, products_;
  std::unique_ptr<Affine<F>[]> operands_;
};

}  // namespace cuzk::msm_detail
