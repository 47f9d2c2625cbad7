// Fq2 = Fq[u]/(u^2 + 1) as a device computes it: the same bytes as Fq2 (curve/fq2.h).
//
// The two products of a component share one reduction (DeviceFp::sum_of_products). On a device they are calls
// (CalledFp): inlined, a point addition would be too long for any cache of instructions.
// Compiles for host and device. Thread-safety: values.
#pragma once

#include "curve/fq2.h"
#include "field/device_fp.h"

namespace cuzk {

template <class P> struct DeviceFq2 {
  using Base = CalledFp<P>;
  Base c0, c1;

  static CUZK_DEVICE DeviceFq2 zero() { return {Base::zero(), Base::zero()}; }
  static CUZK_DEVICE DeviceFq2 one() { return {Base::one(), Base::zero()}; }
  CUZK_DEVICE bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  friend CUZK_DEVICE DeviceFq2 operator+(const DeviceFq2& a, const DeviceFq2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend CUZK_DEVICE DeviceFq2 operator-(const DeviceFq2& a, const DeviceFq2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  CUZK_DEVICE DeviceFq2 operator-() const { return {-c0, -c1}; }
  CUZK_DEVICE DeviceFq2 doubled() const { return {c0.doubled(), c1.doubled()}; }
  friend CUZK_DEVICE DeviceFq2 operator*(const DeviceFq2& a, const DeviceFq2& b) {
    return {Base::sum_of_products(a.c0, b.c0, -a.c1, b.c1), Base::sum_of_products(a.c0, b.c1, a.c1, b.c0)};
  }
  CUZK_DEVICE DeviceFq2 squared() const { return {(c0 + c1) * (c0 - c1), c0.doubled() * c1}; }
  static CUZK_DEVICE DeviceFq2 sum_of_products(const DeviceFq2& a, const DeviceFq2& b, const DeviceFq2& c,
                                               const DeviceFq2& d) {
    return a * b + c * d;
  }
};

template <class P> struct CalledAs<DeviceFq2<P>> {
  using type = DeviceFq2<P>;
};

template <class Base> struct DeviceTwinOf<Fq2<Base>> {
  using type = DeviceFq2<typename Base::Params>;
};

}  // namespace cuzk
