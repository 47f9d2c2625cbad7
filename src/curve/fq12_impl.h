// Bodies of curve/fq6.h and curve/fq12.h; included by pairing_inst.cpp alone.
#pragma once

#include "curve/curve_params.h"
#include "curve/fq12.h"

namespace cuzk {

template <class C, class Isa> Fq6<C, Isa> Fq6<C, Isa>::times_v() const noexcept { return {times_xi<C>(c2), c0, c1}; }

template <class C, class Isa> Fq6<C, Isa> Fq6<C, Isa>::mul(const Fq6& a, const Fq6& b) noexcept {
  const F2 t0 = a.c0 * b.c0;
  const F2 t1 = a.c1 * b.c1;
  const F2 t2 = a.c2 * b.c2;
  const F2 s12 = (a.c1 + a.c2) * (b.c1 + b.c2) - t1 - t2;
  const F2 s01 = (a.c0 + a.c1) * (b.c0 + b.c1) - t0 - t1;
  const F2 s02 = (a.c0 + a.c2) * (b.c0 + b.c2) - t0 - t2;
  return {t0 + times_xi<C>(s12), s01 + times_xi<C>(t2), s02 + t1};
}

template <class C, class Isa> Fq6<C, Isa> Fq6<C, Isa>::times_01(const F2& b0, const F2& b1) const noexcept {
  const F2 t0 = c0 * b0;
  const F2 t1 = c1 * b1;
  const F2 s12 = (c1 + c2) * b1 - t1;
  const F2 s01 = (c0 + c1) * (b0 + b1) - t0 - t1;
  const F2 s02 = (c0 + c2) * b0 - t0;
  return {t0 + times_xi<C>(s12), s01, s02 + t1};
}

template <class C, class Isa> Fq6<C, Isa> Fq6<C, Isa>::inverse() const noexcept {
  const F2 t0 = c0.squared() - times_xi<C>(c1 * c2);
  const F2 t1 = times_xi<C>(c2.squared()) - c0 * c1;
  const F2 t2 = c1.squared() - c0 * c2;
  const F2 norm = c0 * t0 + times_xi<C>(c2 * t1 + c1 * t2);
  return Fq6{t0, t1, t2}.times(norm.inverse());
}

template <class C, class Isa> Fq12<C, Isa> Fq12<C, Isa>::mul(const Fq12& a, const Fq12& b) noexcept {
  const F6 low = a.c0 * b.c0;
  const F6 high = a.c1 * b.c1;
  const F6 cross = (a.c0 + a.c1) * (b.c0 + b.c1);
  return {low + high.times_v(), cross - low - high};
}

template <class C, class Isa> Fq12<C, Isa> Fq12<C, Isa>::squared() const noexcept {
  const F6 product = c0 * c1;
  const F6 mixed = (c0 + c1) * (c0 + c1.times_v());
  return {mixed - product - product.times_v(), product.doubled()};
}

template <class C, class Isa> Fq12<C, Isa> Fq12<C, Isa>::inverse() const noexcept {
  const F6 norm = c0 * c0 - (c1 * c1).times_v();
  const F6 norm_inverse = norm.inverse();
  return {c0 * norm_inverse, -(c1 * norm_inverse)};
}

template <class C, class Isa> Fq12<C, Isa> Fq12<C, Isa>::frobenius() const noexcept {
  const auto& portable = frobenius_coefficients<C>();
  const auto power = [&](std::size_t k) { return with_arithmetic<Isa>(portable[k]); };
  return {{c0.c0.conjugate(), c0.c1.conjugate() * power(2), c0.c2.conjugate() * power(4)},
          {c1.c0.conjugate() * power(1), c1.c1.conjugate() * power(3), c1.c2.conjugate() * power(5)}};
}

namespace fq12_detail {

/// (a + b s)^2 in Fq4 = Fq2[s]/(s^2 - xi).
template <class C, class F2> struct Fq4Square {
  F2 c0, c1;
  Fq4Square(const F2& a, const F2& b) noexcept {
    const F2 aa = a.squared();
    const F2 bb = b.squared();
    c0 = aa + times_xi<C>(bb);
    c1 = (a + b).squared() - aa - bb;
  }
};

/// 3 square - 2 z and 3 square + 2 z.
template <class F2> F2 triple_less(const F2& square, const F2& z) noexcept { return (square - z).doubled() + square; }
template <class F2> F2 triple_more(const F2& square, const F2& z) noexcept { return (square + z).doubled() + square; }

}  // namespace fq12_detail

template <class C, class Isa> Fq12<C, Isa> Fq12<C, Isa>::cyclotomic_squared() const noexcept {
  using fq12_detail::triple_less;
  using fq12_detail::triple_more;
  const fq12_detail::Fq4Square<C, F2> a(c0.c0, c1.c1);
  const fq12_detail::Fq4Square<C, F2> b(c1.c0, c0.c2);
  const fq12_detail::Fq4Square<C, F2> c(c0.c1, c1.c2);
  return {{triple_less(a.c0, c0.c0), triple_less(b.c0, c0.c1), triple_less(c.c0, c0.c2)},
          {triple_more(times_xi<C>(c.c1), c1.c0), triple_more(a.c1, c1.c1), triple_more(b.c1, c1.c2)}};
}

template <class C, class Isa> Fq12<C, Isa> Fq12<C, Isa>::cyclotomic_pow(const U256& k) const noexcept {
  constexpr unsigned kWindow = 4;
  std::array<Fq12, 1u << kWindow> powers;
  powers[0] = one();
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * *this;
  Fq12 result = one();
  for (std::size_t at = (k.bit_length() + kWindow - 1) / kWindow * kWindow; at > 0;) {
    at -= kWindow;
    for (unsigned i = 0; i < kWindow; ++i) result = result.cyclotomic_squared();
    if (const std::uint32_t digit = k.window(at, kWindow); digit != 0) result = result * powers[digit];
  }
  return result;
}

template <class C, class Isa> typename Fq12<C, Isa>::Coefficients Fq12<C, Isa>::canonical() const noexcept {
  const auto pair = [](const F2& z) { return std::array{z.c0.canonical(), z.c1.canonical()}; };
  const auto triple = [&](const F6& z) { return std::array{pair(z.c0), pair(z.c1), pair(z.c2)}; };
  return {triple(c0), triple(c1)};
}

}  // namespace cuzk
