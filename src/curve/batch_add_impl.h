// Additions of affine points in batches that share one inversion (Montgomery's trick): 5 products and a square each.
//
// P + Q = (l^2 - x_P - x_Q, l (x_P - x) - y_P) with l = (y_Q - y_P)/(x_Q - x_P), or 3 x^2/2y where P = Q. The first
// pass multiplies all denominators, the second takes their inverses apart again. Over Fq2 it is the norms that are
// multiplied and inverted: 7 products of Fq an addition instead of 9. Both passes work on groups of kLanes independent
// additions, stage by stage, so that the chains of a group overlap in the processor (a product's latency is several
// times its throughput). Where the caller says so, lanes take over (batch_add_lanes.h). Complete: equal, opposite and
// identity operands are noticed by a zero difference or a zero x and leave the common path. Users: sums of buckets
// (msm/) and fixed-base multiples (fixed_base_impl.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "curve/batch_add_lanes.h"
#include "curve/fq2.h"
#include "curve/lazy_impl.h"
#include "curve/point.h"

namespace cuzk::affine_detail {

inline constexpr std::size_t kLanes = 4;

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

/// Slope of the line through P and Q, and whether the sum needs none.
template <class F> struct Line {
  F numerator, denominator;
  bool trivial;
};

/// For operands that leave the common path.
template <class F> [[gnu::noinline]] Line<F> special_line(const Affine<F>& p, const Affine<F>& q) noexcept {
  if (!p.is_identity() && !q.is_identity()) {
    if (!(p.x == q.x)) return {q.y - p.y, q.x - p.x, false};  // a point with x = 0
    if (p.y == q.y) {
      const F xx = p.x.squared();
      return {xx.doubled() + xx, p.y.doubled(), false};
    }
  }
  return {F::zero(), F::one(), true};
}
template <class F> Affine<F> trivial_sum(const Affine<F>& p, const Affine<F>& q) noexcept {
  if (p.is_identity()) return q;
  return q.is_identity() ? p : Affine<F>::identity();
}

/// Adds batches of at most `capacity` points. Working memory: 2 elements of Fq an addition.
///
/// Operands: size(), left(i), right(i): the points of addition i; target(i): where in `out` its sum goes. Targets are
/// distinct; one may be an operand of its own addition but of no other. Lookahead: step(), called once an addition, may
/// prefetch what is wanted next.
template <class F> class BatchAdder {
 public:
  using Base = typename Denominator<F>::Base;

  /// lanes: whether has_lanes() was true where the work began.
  explicit BatchAdder(std::size_t capacity, bool lanes = false)
      : norms_(std::make_unique_for_overwrite<Base[]>(capacity)),
        products_(std::make_unique_for_overwrite<Base[]>(capacity + kLanes)) {
    if constexpr (kHasLaneAdder<F>) {
      if (lanes) lanes_ = std::make_unique<LaneAdder<F>>(capacity);
    }
  }

  /// precondition: 0 < operands.size() <= capacity.
  template <class Operands, class Lookahead>
  void add_batch(const Operands& operands, Affine<F>* out, Lookahead& lookahead) noexcept {
    if constexpr (kHasLaneAdder<F>) {
      if (lanes_ != nullptr && operands.size() >= LaneAdder<F>::kMinimum) return add_by_lanes(operands, out, lookahead);
    }
    multiply_norms(operands);
    Lanes running = inverses(operands.size());
    for (std::size_t first = (operands.size() - 1) / kLanes * kLanes;; first -= kLanes) {
      add_group(operands, first, std::min(kLanes, operands.size() - first), running, out, lookahead);
      if (first == 0) break;
    }
  }

 private:
  using Lanes = std::array<Base, kLanes>;  // below 2p
  static constexpr bool kExtension = !std::is_same_v<F, Base>;

  template <class Operands, class Lookahead>
  void add_by_lanes(const Operands& operands, Affine<F>* out, Lookahead& lookahead) noexcept {
    AdditionPlaces<F>* const places = lanes_->places();
    for (std::size_t i = 0; i < operands.size(); ++i)
      places[i] = {&operands.left(i), &operands.right(i), out + operands.target(i)};
    lanes_->add_batch(operands.size(), [&] {
      for (int i = 0; i < 8; ++i) lookahead.step();
    });
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
        const Line<F> line = special_line(operands.left(i), operands.right(i));
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
  template <class Operands, class Lookahead>
  [[gnu::flatten]] void add_group(const Operands& operands, std::size_t first, std::size_t count, Lanes& running,
                                  Affine<F>* out, Lookahead& lookahead) noexcept {
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
        const Line<F> line = special_line(p, q);
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

  std::unique_ptr<Base[]> norms_, products_;
  std::conditional_t<kHasLaneAdder<F>, std::unique_ptr<LaneAdder<F>>, std::nullptr_t> lanes_{};
};

}  // namespace cuzk::affine_detail
