// Bodies of curve/pairing.h for one Isa; included by pairing_inst.cpp alone.
//
// Lines in homogeneous projective coordinates of the twist: Costello, Lange, Naehrig, Faster pairing computations on
// curves with high-degree twists (https://eprint.iacr.org/2009/615). Final exponentiation: Hayashida, Hayasaka, Teruya,
// Efficient final exponentiation via cyclotomic structure (https://eprint.iacr.org/2020/875) for BLS12-381;
// Fuentes-Castaneda, Knapp, Rodriguez-Henriquez, Faster hashing to G2 (SAC 2011) for BN254.
#pragma once

#include <cstdint>
#include <vector>

#include "curve/endomorphism.h"
#include "curve/fq12_impl.h"
#include "curve/pairing.h"

namespace cuzk {

/// The line l(x, y) = a y + b x + c through points of the twist, up to a factor that the final exponentiation removes.
template <class F2> struct [[gnu::may_alias]] Line {
  F2 a, b, c;
};
template <class F2, class Isa> struct RebindIsa<Line<F2>, Isa> {
  using type = Line<rebind_isa<F2, Isa>>;
};

/// In the order in which the Miller loop meets them; none for the identity.
template <class C> struct G2Prepared<C>::Lines {
  std::vector<Line<typename C::Fq2>> lines;
};

namespace pairing_detail {

/// Non-adjacent form, least significant digit first; the top digit is 1.
struct Naf {
  std::array<std::int8_t, 66> digit{};
  std::size_t size = 0;

  explicit constexpr Naf(u128 k) noexcept {
    for (; k != 0; k >>= 1) {
      if ((k & 1) != 0) {
        digit[size] = (k & 3) == 1 ? std::int8_t{1} : std::int8_t{-1};
        k = digit[size] == 1 ? k - 1 : k + 1;
      }
      ++size;
    }
  }
};

template <class C> inline constexpr Naf kNafOfX{CurveParams<C>::x};

/// |6x + 2| for BN curves, |x| for BLS curves.
template <class C>
inline constexpr Naf kMillerLoop{C::id == CurveId::bn254 ? u128{6} * CurveParams<C>::x + 2 : u128{CurveParams<C>::x}};

template <class F2> struct Homogeneous {  // x = X/Z, y = Y/Z
  F2 x, y, z;
};

/// T = 2T; the tangent at T.
template <class F2> Line<F2> double_step(Homogeneous<F2>& t, const F2& triple_b) noexcept {
  const F2 xy = t.x * t.y;
  const F2 xx = t.x.squared();
  const F2 b = t.y.squared();
  const F2 c = t.z.squared();
  const F2 e = triple_b * c;
  const F2 f = e.doubled() + e;
  const F2 h = (t.y + t.z).squared() - b - c;
  const F2 ee = e.squared();
  t = {(xy * (b - f)).doubled(), (b + f).squared() - (ee.doubled() + ee).doubled().doubled(),
       (b * h).doubled().doubled()};
  return {-h, xx.doubled() + xx, e - b};
}

/// T = T + q; the line through both. T is neither q, -q nor the identity: its multiple is between 2 and r - 2.
template <class F2> Line<F2> add_step(Homogeneous<F2>& t, const Affine<F2>& q) noexcept {
  const F2 theta = t.y - q.y * t.z;
  const F2 lambda = t.x - q.x * t.z;
  const F2 c = theta.squared();
  const F2 d = lambda.squared();
  const F2 e = lambda * d;
  const F2 g = t.x * d;
  const F2 h = e + t.z * c - g.doubled();
  t = {lambda * h, theta * (g - h) - e * t.y, t.z * e};
  return {lambda, -theta, theta * q.x - lambda * q.y};
}

template <class C, class Isa>
std::vector<Line<typename C::Fq2>> prepare(const rebind_isa<typename C::G2Affine, Isa>& q) {
  using F2 = rebind_isa<typename C::Fq2, Isa>;
  std::vector<Line<typename C::Fq2>> lines;
  const auto keep = [&](const Line<F2>& line) { lines.push_back(with_arithmetic<Portable>(line)); };
  const auto b = twist_b<C>();
  const F2 triple_b = with_arithmetic<Isa>(b.doubled() + b);
  Homogeneous<F2> t{q.x, q.y, F2::one()};
  for (std::size_t i = kMillerLoop<C>.size - 1; i-- > 0;) {
    keep(double_step(t, triple_b));
    if (const int digit = kMillerLoop<C>.digit[i]; digit != 0) keep(add_step(t, digit > 0 ? q : -q));
  }
  if constexpr (C::id == CurveId::bn254) {
    const auto q1 = psi<C>(q);
    keep(add_step(t, q1));
    keep(add_step(t, -psi<C>(q1)));
  }
  return lines;
}

/// f times the line at p. D-type: a yP + b xP w + c w^3. M-type, times w^3: c + b xP w^2 + a yP w^3.
template <class C, class Isa>
void apply(Fq12<C, Isa>& f, const Line<rebind_isa<typename C::Fq2, Isa>>& line,
           const rebind_isa<typename C::G1Affine, Isa>& p) noexcept {
  const auto a = line.a * p.y;
  const auto b = line.b * p.x;
  if constexpr (CurveParams<C>::twist == TwistType::divide) {
    const auto low = f.c0.times(a);
    const auto high = f.c1.times_01(b, line.c);
    const auto cross = (f.c0 + f.c1).times_01(a + b, line.c);
    f = {low + high.times_v(), cross - low - high};
  } else {
    const auto low = f.c0.times_01(line.c, b);
    const auto high = f.c1.times(a).times_v();
    const auto cross = (f.c0 + f.c1).times_01(line.c, a + b);
    f = {low + high.times_v(), cross - low - high};
  }
}

/// One pair's place in its lines.
template <class C, class Isa> struct Walk {
  rebind_isa<typename C::G1Affine, Isa> p;
  const Line<rebind_isa<typename C::Fq2, Isa>>* next;
};

template <class C, class Isa>
Fq12<C, Isa> miller_loop(std::span<const typename C::G1Affine> p, std::span<const G2Prepared<C>> q) noexcept {
  std::vector<Walk<C, Isa>> walks;
  walks.reserve(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto lines = view_as<Isa>(std::span(q[i].lines().lines));
    if (!p[i].is_identity() && !lines.empty()) walks.push_back({with_arithmetic<Isa>(p[i]), lines.data()});
  }
  auto f = Fq12<C, Isa>::one();
  const auto step = [&] {
    for (Walk<C, Isa>& walk : walks) apply<C, Isa>(f, *walk.next++, walk.p);
  };
  for (std::size_t i = kMillerLoop<C>.size - 1; i-- > 0;) {
    f = f.squared();
    step();
    if (kMillerLoop<C>.digit[i] != 0) step();
  }
  if constexpr (C::id == CurveId::bn254) {
    step();
    step();
  }
  return CurveParams<C>::x_is_negative ? f.conjugate() : f;
}

/// g^x in the cyclotomic subgroup.
template <class C, class Isa> Fq12<C, Isa> power_x(const Fq12<C, Isa>& g) noexcept {
  const auto inverse = g.conjugate();
  auto result = g;
  for (std::size_t i = kNafOfX<C>.size - 1; i-- > 0;) {
    result = result.cyclotomic_squared();
    if (const int digit = kNafOfX<C>.digit[i]; digit != 0) result *= digit > 0 ? g : inverse;
  }
  return CurveParams<C>::x_is_negative ? result.conjugate() : result;
}

/// g^((x - 1)^2 (x + q) (x^2 + q^2 - 1) + 3) = g^(3 (q^4 - q^2 + 1)/r).
template <class Isa> Fq12<Bls12_381, Isa> hard_part(const Fq12<Bls12_381, Isa>& g) noexcept {
  auto t = power_x(g) * g.conjugate();
  t = power_x(t) * t.conjugate();
  t = power_x(t) * t.frobenius();
  t = power_x(power_x(t)) * t.frobenius().frobenius() * t.conjugate();
  return t * g.cyclotomic_squared() * g;
}

/// g^(2x (6x^2 + 3x + 1) (q^4 - q^2 + 1)/r); exponents of g in the comments.
template <class Isa> Fq12<Bn254, Isa> hard_part(const Fq12<Bn254, Isa>& g) noexcept {
  const auto x2 = power_x(g).cyclotomic_squared();       // 2x
  const auto x6 = x2.cyclotomic_squared() * x2;          // 6x
  const auto xx6 = power_x(x6);                          // 6x^2
  const auto xxx12 = power_x(xx6.cyclotomic_squared());  // 12x^3
  const auto k = xxx12 * xx6 * x6;                       // 12x^3 + 6x^2 + 6x
  const auto l = k * x2.conjugate();                     // 12x^3 + 6x^2 + 4x
  const auto n = k * xx6 * g;                            // 12x^3 + 12x^2 + 6x + 1
  const auto last = (l * g.conjugate()).frobenius();     // (12x^3 + 6x^2 + 4x - 1) q
  return n * l.frobenius() * (k * last).frobenius().frobenius();
}

/// f^((q^6 - 1)(q^2 + 1)), then the hard part.
template <class C, class Isa> Fq12<C, Isa> final_exponentiation(const Fq12<C, Isa>& f) noexcept {
  const auto t = f.conjugate() * f.inverse();
  return hard_part(t.frobenius().frobenius() * t);
}

}  // namespace pairing_detail

}  // namespace cuzk
