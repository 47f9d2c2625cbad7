// Bodies of curve/point.h; included by point_inst.cpp and by hot units that may inline them.
#pragma once

#include <array>

#include "curve/point.h"
#include "support/result.h"

namespace cuzk {

template <class F> Point<F> Point<F>::doubled() const noexcept {  // dbl-2009-l; Z = 0 gives Z = 0
  const F a = x.squared();
  const F b = y.squared();
  const F c = b.squared();
  const F d = ((x + b).squared() - a - c).doubled();
  const F e = a.doubled() + a;
  const F x3 = e.squared() - d.doubled();
  const F y3 = e * (d - x3) - c.doubled().doubled().doubled();
  return {x3, y3, (y * z).doubled()};
}

template <class F> Point<F> Point<F>::plus(const Point& q) const noexcept {  // add-2007-bl
  if (is_identity()) return q;
  if (q.is_identity()) return *this;
  const F zz1 = z.squared();
  const F zz2 = q.z.squared();
  const F u1 = x * zz2;
  const F s1 = y * q.z * zz2;
  const F h = q.x * zz1 - u1;
  const F r_half = q.y * z * zz1 - s1;
  if (h.is_zero()) return r_half.is_zero() ? doubled() : identity();
  const F i = h.doubled().squared();
  const F j = h * i;
  const F r = r_half.doubled();
  const F v = u1 * i;
  const F x3 = r.squared() - j - v.doubled();
  const F y3 = r * (v - x3) - (s1 * j).doubled();
  return {x3, y3, ((z + q.z).squared() - zz1 - zz2) * h};
}

template <class F> Point<F> Point<F>::plus(const Affine<F>& q) const noexcept {  // madd-2007-bl
  if (q.is_identity()) return *this;
  if (is_identity()) return {q.x, q.y, F::one()};
  const F zz = z.squared();
  const F h = q.x * zz - x;
  const F r_half = q.y * z * zz - y;
  if (h.is_zero()) return r_half.is_zero() ? doubled() : identity();
  const F hh = h.squared();
  const F i = hh.doubled().doubled();
  const F j = h * i;
  const F r = r_half.doubled();
  const F v = x * i;
  const F x3 = r.squared() - j - v.doubled();
  const F y3 = r * (v - x3) - (y * j).doubled();
  return {x3, y3, (z + h).squared() - zz - hh};
}

template <class F> bool Point<F>::equals(const Point& q) const noexcept {
  if (is_identity() || q.is_identity()) return is_identity() == q.is_identity();
  const F zz1 = z.squared();
  const F zz2 = q.z.squared();
  return x * zz2 == q.x * zz1 && y * zz2 * q.z == q.y * zz1 * z;
}

namespace point_detail {

template <class F> Affine<F> scale(const Point<F>& p, const F& z_inverse) noexcept {
  const F zz = z_inverse.squared();
  return {p.x * zz, p.y * zz * z_inverse};
}

}  // namespace point_detail

template <class F> Affine<F> Point<F>::to_affine() const noexcept {
  return is_identity() ? Affine<F>::identity() : point_detail::scale(*this, z.inverse());
}

template <class F> Point<F> Point<F>::times(const U256& k) const noexcept {
  constexpr unsigned kWindow = 4;
  std::array<Point, 1u << kWindow> multiples;  // the first is never read
  multiples[1] = *this;
  for (std::size_t i = 2; i < multiples.size(); ++i)
    multiples[i] = i % 2 == 0 ? multiples[i / 2].doubled() : multiples[i - 1].plus(*this);
  Point sum = identity();
  for (std::size_t at = (k.bit_length() + kWindow - 1) / kWindow * kWindow; at > 0;) {
    at -= kWindow;
    for (unsigned i = 0; i < kWindow; ++i) sum = sum.doubled();
    if (const std::uint32_t digit = k.window(at, kWindow); digit != 0) sum = sum.plus(multiples[digit]);
  }
  return sum;
}

/// Montgomery's trick; the running products wait in out[i].x.
template <class F> void to_affine_n(std::span<const Point<F>> in, std::span<Affine<F>> out) noexcept {
  CUZK_ASSERT(in.size() == out.size());
  F product = F::one();
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i].x = product;
    if (!in[i].is_identity()) product = product * in[i].z;
  }
  F inverse = product.inverse();
  for (std::size_t i = in.size(); i-- > 0;) {
    if (in[i].is_identity()) {
      out[i] = Affine<F>::identity();
      continue;
    }
    const F z_inverse = inverse * out[i].x;
    inverse = inverse * in[i].z;
    out[i] = point_detail::scale(in[i], z_inverse);
  }
}

}  // namespace cuzk
