// Points as a device adds them up: XYZZ coordinates, x = X / ZZ, y = Y / ZZZ with ZZ^3 = ZZZ^2; the identity has ZZ =
// 0.
//
// Formulas: Bernstein, Lange, Explicit-Formulas Database, short Weierstrass a = 0: madd-2008-s, add-2008-s,
// dbl-2008-s-1. Complete: equal, opposite and identity operands are told apart. The identity's coordinates are all
// zero, which the formula for doubling keeps. F is a DeviceFp, a DeviceFq2 or a PairedFq2; threads in step (InStep) add
// at the same time, the identity where one has nothing to add. Compiles for host and device. Thread-safety: values.
#pragma once

#include <bit>

#include "field/device_fp.h"

namespace cuzk {

template <class F> struct DeviceAffine {
  F x, y;

  static CUZK_DEVICE DeviceAffine identity() { return {F::zero(), F::zero()}; }
  CUZK_DEVICE bool is_identity() const {
    const bool x_is_zero = x.is_zero(), y_is_zero = y.is_zero();
    return x_is_zero && y_is_zero;
  }
};

template <class F> struct DeviceXyzz {
  F x, y, zz, zzz;

  static CUZK_DEVICE DeviceXyzz identity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
  static CUZK_DEVICE DeviceXyzz from_affine(const DeviceAffine<F>& p) {
    const F one_or_zero = p.is_identity() ? F::zero() : F::one();
    return {p.x, p.y, one_or_zero, one_or_zero};
  }
  CUZK_DEVICE bool is_identity() const { return zz.is_zero(); }

  CUZK_DEVICE DeviceXyzz doubled() const {
    const F u = y.doubled();
    const F v = u.squared();
    const F w = u * v;
    const F s = x * v;
    const F xx = x.squared();
    const F m = xx.doubled() + xx;
    DeviceXyzz r;
    r.x = m.squared() - s.doubled();
    r.y = F::sum_of_products(m, s - r.x, -w, y);
    r.zz = v * zz;
    r.zzz = w * zzz;
    return r;
  }

  CUZK_DEVICE void add(const DeviceAffine<F>& q) {
    const bool q_is_identity = q.is_identity();
    if (InStep<F>::all(q_is_identity)) return;
    if (InStep<F>::all(is_identity())) {
      *this = from_affine(q);
      return;
    }
    F p = q.x * zz - x;
    F r = q.y * zzz - y;
    const bool x_are_equal = p.is_zero();
    const bool special = q_is_identity || x_are_equal;
    const bool any_special = InStep<F>::any(special);
    DeviceXyzz sum;
    if (any_special) {
      add_special(*this, from_affine(q), r.is_zero(), &sum);
      if (InStep<F>::all(special)) {
        *this = sum;
        return;
      }
    }
    const F pp = p.squared();
    p = p * pp;
    const F qx = x * pp;
    zz = zz * pp;
    zzz = zzz * p;
    x = r.squared() - p - qx.doubled();
    y = F::sum_of_products(r, qx - x, -y, p);
    if (any_special && special) *this = sum;
  }

  CUZK_DEVICE void add(const DeviceXyzz& q) {
    if (InStep<F>::all(q.is_identity())) return;
    if (InStep<F>::all(is_identity())) {
      *this = q;
      return;
    }
    const F u = x * q.zz;
    const F s = y * q.zzz;
    F p = q.x * zz - u;
    const F r = q.y * zzz - s;
    const bool special = p.is_zero();
    const bool any_special = InStep<F>::any(special);
    DeviceXyzz sum;
    if (any_special) {
      add_special(*this, q, r.is_zero(), &sum);
      if (InStep<F>::all(special)) {
        *this = sum;
        return;
      }
    }
    const F pp = p.squared();
    p = p * pp;
    const F qx = u * pp;
    zz = zz * q.zz * pp;
    zzz = zzz * q.zzz * p;
    x = r.squared() - p - qx.doubled();
    y = F::sum_of_products(r, qx - x, -s, p);
    if (any_special && special) *this = sum;
  }

 private:
  /// The sum of points of which one is the identity or whose x are equal, and then perhaps their y. Rare: a call, and a
  /// sum in memory, cost the hot path neither registers nor instructions.
  static CUZK_DEVICE_CALL void add_special(DeviceXyzz p, DeviceXyzz q, bool equal, DeviceXyzz* sum) {
    const bool p_is_identity = p.is_identity(), q_is_identity = q.is_identity();
    *sum = p_is_identity ? q : q_is_identity ? p : identity();
    const bool twice = equal && !p_is_identity && !q_is_identity;
    if (!InStep<F>::any(twice)) return;
    const auto doubled = std::bit_cast<DeviceXyzz>(std::bit_cast<DeviceXyzz<Called<F>>>(q).doubled());
    if (twice) *sum = doubled;
  }
};

}  // namespace cuzk
