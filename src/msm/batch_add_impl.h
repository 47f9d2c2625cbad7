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
#include "field/fp_mul.h"
#include "msm/digits.h"

namespace cuzk::msm_detail {

inline constexpr std::size_t kLanes = 4;
/// Additions that share an inversion: its 350 products are 0.1 products of each.
inline constexpr std::size_t kBatch = 4096;

/// out[target] = left + right; what left and right mean is the source's affair.
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

/// Branch-free: signs are random bits.
template <class P, class Isa> Fp<P, Isa> negated_if(bool negative, const Fp<P, Isa>& y) noexcept {
  const auto minus = (-y).montgomery();
  auto chosen = y.montgomery();
  const u64 mask = u64{0} - static_cast<u64>(negative);
  for (std::size_t i = 0; i < chosen.limbs; ++i) chosen.limb[i] ^= (chosen.limb[i] ^ minus.limb[i]) & mask;
  return Fp<P, Isa>::from_montgomery(chosen);
}
template <class B> Fq2<B> negated_if(bool negative, const Fq2<B>& y) noexcept {
  return {negated_if(negative, y.c0), negated_if(negative, y.c1)};
}

/// Operands are signed indices of points at any address.
template <class F> class IndexedPoints {
 public:
  using Operand = SignedIndex;

  explicit IndexedPoints(const std::byte* points) noexcept : points_(points) {}

  F x(Operand i) const noexcept {
    F x;
    std::memcpy(&x, at(i), sizeof x);
    return x;
  }
  Affine<F> point(Operand i) const noexcept {
    Affine<F> p;
    std::memcpy(&p, at(i), sizeof p);
    p.y = negated_if(i.negative(), p.y);
    return p;
  }
  void prefetch(Operand i) const noexcept {
    for (std::size_t line = 0; line < sizeof(Affine<F>); line += 64) __builtin_prefetch(at(i) + line);
    __builtin_prefetch(at(i) + sizeof(Affine<F>) - 1);
  }

 private:
  const std::byte* at(Operand i) const noexcept { return points_ + i.index() * sizeof(Affine<F>); }

  const std::byte* points_;
};

/// Operands are positions in an array.
template <class F> class ArrayPoints {
 public:
  using Operand = std::uint32_t;

  explicit ArrayPoints(const Affine<F>* points) noexcept : points_(points) {}

  const F& x(Operand i) const noexcept { return points_[i].x; }
  const Affine<F>& point(Operand i) const noexcept { return points_[i]; }
  void prefetch(Operand i) const noexcept { __builtin_prefetch(points_ + i); }

 private:
  const Affine<F>* points_;
};

/// Adds in batches. Holds the norms of a batch and their running products: 64 or 96 bytes an addition.
template <class F> class BatchAdder {
 public:
  using Base = typename Denominator<F>::Base;

  BatchAdder()
      : norms_(std::make_unique_for_overwrite<Base[]>(kBatch)),
        products_(std::make_unique_for_overwrite<Base[]>(kBatch)) {}

  /// All additions of the list. Targets are distinct; a target may be an operand of its own addition but of no other.
  template <class Source>
  void add(const Source& source, std::span<const Addition<typename Source::Operand>> additions,
           Affine<F>* out) noexcept {
    while (!additions.empty()) {
      const std::size_t count = std::min(kBatch, additions.size());
      add_batch(source, additions.first(count), out);
      additions = additions.subspan(count);
    }
  }

 private:
  using Lanes = std::array<Base, kLanes>;

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

  template <class Source>
  [[gnu::noinline]] static Base special_norm(const Source& source,
                                             const Addition<typename Source::Operand>& a) noexcept {
    return Denominator<F>::norm(special_line(source.point(a.left), source.point(a.right)).denominator);
  }

  /// norms_[i] = the norm of addition i, 0 if it is special; products_[i] = norms of its lane before it.
  template <class Source>
  void multiply_norms(const Source& source, std::span<const Addition<typename Source::Operand>> additions,
                      Lanes& running) noexcept {
    constexpr std::size_t ahead = 16;
    const std::size_t count = additions.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) {
        source.prefetch(additions[i + ahead].left);
        source.prefetch(additions[i + ahead].right);
      }
      const F& x = source.x(additions[i].left);
      const F& other_x = source.x(additions[i].right);
      const F difference = other_x - x;
      Base norm = Denominator<F>::norm(difference);
      const bool special = difference.is_zero() | x.is_zero() | other_x.is_zero();
      norms_[i] = norm;
      if (special) [[unlikely]] {
        norms_[i] = Base::zero();
        norm = special_norm(source, additions[i]);
      }
      Base& product = running[i % kLanes];
      products_[i] = product;
      product = product * norm;
    }
  }

  static void invert(Lanes& running) noexcept {
    std::array<Base, kLanes> before;
    Base all = Base::one();
    for (std::size_t k = 0; k < kLanes; ++k) {
      before[k] = all;
      all = all * running[k];
    }
    Base inverse = all.inverse();
    for (std::size_t k = kLanes; k-- > 0;) {
      const Base lane_inverse = inverse * before[k];
      inverse = inverse * running[k];
      running[k] = lane_inverse;
    }
  }

  /// Additions [first, first + count) of one group; `running` holds the inverses of their lanes' products so far.
  template <class Source>
  void add_group(const Source& source, std::span<const Addition<typename Source::Operand>> additions, std::size_t first,
                 Lanes& running, Affine<F>* out) noexcept {
    const std::size_t count = additions.size();
    std::array<F, kLanes> x, y, other_x, slope, denominator;
    std::array<Base, kLanes> norm, inverse;
    bool trivial = false;
    for (std::size_t k = 0; k < count; ++k) {
      const Affine<F>& p = source.point(additions[k].left);
      const Affine<F>& q = source.point(additions[k].right);
      x[k] = p.x, y[k] = p.y, other_x[k] = q.x;
      slope[k] = q.y - p.y;
      denominator[k] = q.x - p.x;
      norm[k] = norms_[first + k];
      if (norm[k].is_zero()) [[unlikely]] {
        const Line line = special_line(p, q);
        slope[k] = line.numerator;
        denominator[k] = line.denominator;
        norm[k] = Denominator<F>::norm(line.denominator);
        trivial |= line.trivial;
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      inverse[k] = running[k] * products_[first + k];
      running[k] = running[k] * norm[k];
    }
    for (std::size_t k = 0; k < count; ++k) slope[k] = slope[k] * Denominator<F>::inverse(denominator[k], inverse[k]);
    for (std::size_t k = 0; k < count; ++k) other_x[k] = slope[k].squared() - x[k] - other_x[k];
    if (trivial) [[unlikely]]
      return store_with_trivial(source, additions, x, y, other_x, slope, out);
    for (std::size_t k = 0; k < count; ++k)
      out[additions[k].target] = {other_x[k], slope[k] * (x[k] - other_x[k]) - y[k]};
  }

  template <class Source>
  [[gnu::noinline]] static void store_with_trivial(const Source& source,
                                                   std::span<const Addition<typename Source::Operand>> additions,
                                                   const std::array<F, kLanes>& x, const std::array<F, kLanes>& y,
                                                   const std::array<F, kLanes>& sum_x,
                                                   const std::array<F, kLanes>& slope, Affine<F>* out) noexcept {
    for (std::size_t k = 0; k < additions.size(); ++k) {
      const Affine<F> p = source.point(additions[k].left);
      const Affine<F> q = source.point(additions[k].right);
      const bool line = !p.is_identity() && !q.is_identity() && !(p.x == q.x && !(p.y == q.y));
      out[additions[k].target] = line ? Affine<F>{sum_x[k], slope[k] * (x[k] - sum_x[k]) - y[k]} : trivial_sum(p, q);
    }
  }

  template <class Source>
  void add_batch(const Source& source, std::span<const Addition<typename Source::Operand>> additions,
                 Affine<F>* out) noexcept {
    Lanes running;
    running.fill(Base::one());
    multiply_norms(source, additions, running);
    invert(running);
    for (std::size_t first = (additions.size() - 1) / kLanes * kLanes;; first -= kLanes) {
      add_group(source, additions.subspan(first, std::min(kLanes, additions.size() - first)), first, running, out);
      if (first == 0) break;
    }
  }

  std::unique_ptr<Base[]> norms_, products_;
};

}  // namespace cuzk::msm_detail
