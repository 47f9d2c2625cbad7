// Points as a device adds them up: XYZZ coordinates, x = X / ZZ, y = Y / ZZZ with ZZ^3 = ZZZ^2; the identity has ZZ =
// 0.
//
// Formulas: Bernstein, Lange, Explicit-Formulas Database, short Weierstrass a = 0: madd-2008-s, add-2008-s,
// dbl-2008-s-1, mdbl-2008-s-1. Complete: equal, opposite and identity operands are told apart. F is a DeviceFp or a
// DeviceFq2. Compiles for host and device. Thread-safety: values.
#pragma once

#include "field/device_fp.h"

namespace cuzk {

template <class F> struct DeviceAffine {
  F x, y;
  CUZK_DEVICE bool is_identity() const { return x.is_zero() && y.is_zero(); }
};

template <class F> struct DeviceXyzz {
  F x, y, zz, zzz;

  static CUZK_DEVICE DeviceXyzz identity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
  static CUZK_DEVICE DeviceXyzz from_affine(const DeviceAffine<F>& p) {
    return p.is_identity() ? identity() : DeviceXyzz{p.x, p.y, F::one(), F::one()};
  }
  CUZK_DEVICE bool is_identity() const { return zz.is_zero(); }

  CUZK_DEVICE DeviceXyzz doubled() const {
    if (is_identity()) return *this;
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

  /// q is not the identity.
  CUZK_DEVICE void add(const DeviceAffine<F>& q) {
    if (is_identity()) {
      *this = {q.x, q.y, F::one(), F::one()};
      return;
    }
    F p = q.x * zz - x;
    F r = q.y * zzz - y;
    if (p.is_zero()) {
      *this = r.is_zero() ? twice(q) : identity();
      return;
    }
    const F pp = p.squared();
    p = p * pp;
    const F qx = x * pp;
    zz = zz * pp;
    zzz = zzz * p;
    x = r.squared() - p - qx.doubled();
    y = F::sum_of_products(r, qx - x, -y, p);
  }

  CUZK_DEVICE void add(const DeviceXyzz& q) {
    if (q.is_identity()) return;
    if (is_identity()) {
      *this = q;
      return;
    }
    const F u = x * q.zz;
    const F s = y * q.zzz;
    F p = q.x * zz - u;
    const F r = q.y * zzz - s;
    if (p.is_zero()) {
      *this = r.is_zero() ? twice(q) : identity();
      return;
    }
    const F pp = p.squared();
    p = p * pp;
    const F qx = u * pp;
    zz = zz * q.zz * pp;
    zzz = zzz * q.zzz * p;
    x = r.squared() - p - qx.doubled();
    y = F::sum_of_products(r, qx - x, -s, p);
  }

 private:
  // Rare: calls cost the hot path neither registers nor instructions.
  static CUZK_DEVICE_CALL DeviceXyzz twice(const DeviceAffine<F>& q) { return from_affine(q).doubled(); }
  static CUZK_DEVICE_CALL DeviceXyzz twice(const DeviceXyzz& q) { return q.doubled(); }
};

}  // namespace cuzk
