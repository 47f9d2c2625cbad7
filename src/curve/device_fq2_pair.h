// Fq2 = Fq[u]/(u^2 + 1) as two lanes compute it: neighbouring threads of a warp, c0 in the even one, c1 in the odd one.
//
// A lane's component of a product is a sum of two products of components with one reduction
// (DeviceFp::sum_of_products); what it needs of the other lane comes word by word as the rows go. So an element takes
// the registers of an element of Fq, where one thread for both components (DeviceFq2) has too few of them for the
// addition of points.
//
// Lanes: how the two are told apart and exchange words, and what they and others in step with them (InStep) agree on;
// all call at the same place. Compiles for host and device; the tests play the lanes with two threads. Thread-safety:
// values.
#pragma once

#include "curve/device_fq2.h"

namespace cuzk {

template <class P, class Lanes> struct PairedFq2 {
  using Base = DeviceFp<P>;
  Base own;

  static CUZK_DEVICE PairedFq2 zero() { return {Base::zero()}; }
  static CUZK_DEVICE PairedFq2 one() {
    PairedFq2 r{Base::one()};
    CUZK_UNROLL for (u32& word : r.own.w) word = Lanes::is_odd() ? 0 : word;
    return r;
  }
  /// Of the whole element, the same in both lanes.
  CUZK_DEVICE bool is_zero() const {
    u32 any = 0;
    CUZK_UNROLL for (const u32 word : own.w) any |= word;
    return (any | Lanes::other(any)) == 0;
  }
  friend CUZK_DEVICE PairedFq2 operator+(const PairedFq2& a, const PairedFq2& b) { return {a.own + b.own}; }
  friend CUZK_DEVICE PairedFq2 operator-(const PairedFq2& a, const PairedFq2& b) { return {a.own - b.own}; }
  CUZK_DEVICE PairedFq2 operator-() const { return {-own}; }
  CUZK_DEVICE PairedFq2 doubled() const { return {own.doubled()}; }

  /// a0 b0 + (-a1) b1 in the even lane, a1 b0 + a0 b1 in the odd one.
  friend CUZK_DEVICE PairedFq2 operator*(const PairedFq2& a, const PairedFq2& b) {
    return {Base::template sum_of_products<2>({a.own, a.across()}, [&](unsigned i) { return b.row(i); })};
  }
  /// (a0 + a1) (a0 - a1) in the even lane, (a1 + a1) a0 in the odd one.
  CUZK_DEVICE PairedFq2 squared() const {
    const bool odd = Lanes::is_odd();
    const Base theirs = swapped();
    const Base difference = own - theirs;
    Base second, factor;
    CUZK_UNROLL for (unsigned i = 0; i < Base::kWords; ++i) second.w[i] = odd ? own.w[i] : theirs.w[i];
    CUZK_UNROLL for (unsigned i = 0; i < Base::kWords; ++i) factor.w[i] = odd ? theirs.w[i] : difference.w[i];
    return {(own + second) * factor};
  }
  /// a b + c d, of four products in each lane.
  static CUZK_DEVICE PairedFq2 sum_of_products(const PairedFq2& a, const PairedFq2& b, const PairedFq2& c,
                                               const PairedFq2& d) {
    return {Base::template sum_of_products<4>({a.own, a.across(), c.own, c.across()}, [&](unsigned i) {
      const auto of_b = b.row(i), of_d = d.row(i);
      return typename Base::template Row<4>{{of_b.w[0], of_b.w[1], of_d.w[0], of_d.w[1]}};
    })};
  }

 private:
  /// The other lane's component.
  CUZK_DEVICE Base swapped() const {
    Base r;
    CUZK_UNROLL for (unsigned i = 0; i < Base::kWords; ++i) r.w[i] = Lanes::other(own.w[i]);
    return r;
  }
  /// What is multiplied by c1: the other lane's component, with the sign of u^2 in the even lane.
  CUZK_DEVICE Base across() const { return swapped().factor_negated(!Lanes::is_odd()); }
  /// Word i of what a lane's own component is multiplied by, c0, and of c1.
  CUZK_DEVICE typename Base::template Row<2> row(unsigned i) const {
    const u32 mine = own.w[i], theirs = Lanes::other(mine);
    return {{Lanes::is_odd() ? theirs : mine, Lanes::is_odd() ? mine : theirs}};
  }
};

template <class P, class Lanes> struct InStep<PairedFq2<P, Lanes>> {
  static CUZK_DEVICE bool any(bool condition) { return Lanes::any(condition); }
  static CUZK_DEVICE bool all(bool condition) { return Lanes::all(condition); }
};

}  // namespace cuzk
