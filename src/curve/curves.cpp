#include "curve/curves.h"

#include "curve/curve_params.h"

namespace cuzk {

std::string_view name(CurveId id) noexcept {
  return with_curve(id, []<class C>() { return C::name; });
}

template <class C> const typename C::G1Affine& g1_generator() noexcept {
  using P = CurveParams<C>;
  static const typename C::G1Affine generator{C::Fq::from_canonical(P::g1_x), C::Fq::from_canonical(P::g1_y)};
  return generator;
}

template <class C> const typename C::G2Affine& g2_generator() noexcept {
  using P = CurveParams<C>;
  using Fq = typename C::Fq;
  static const typename C::G2Affine generator{{Fq::from_canonical(P::g2_x0), Fq::from_canonical(P::g2_x1)},
                                              {Fq::from_canonical(P::g2_y0), Fq::from_canonical(P::g2_y1)}};
  return generator;
}

namespace {

template <class F> bool satisfies(const Affine<F>& p, const F& b) noexcept {
  return p.is_identity() || p.y.squared() == p.x.squared() * p.x + b;
}

}  // namespace

template <class C> bool is_on_curve(const typename C::G1Affine& p) noexcept {
  constexpr auto b = C::Fq::from_u64(CurveParams<C>::b);
  return satisfies(p, b);
}

template <class C> bool is_on_curve(const typename C::G2Affine& p) noexcept {
  static const typename C::Fq2 b = twist_b<C>();
  return satisfies(p, b);
}

template <class C> const std::array<typename C::Fq2, 6>& frobenius_coefficients() noexcept {
  static const auto coefficients = [] {
    constexpr auto exponent = [] {  // (q - 1)/6
      auto rest = FpConstants<typename C::Fq::Params>::p_minus_1;
      auto quotient = rest;
      u64 remainder = 0;
      for (std::size_t i = C::Fq::limbs; i-- > 0;) {
        const u128 part = static_cast<u128>(remainder) << 64 | rest.limb[i];
        quotient.limb[i] = static_cast<u64>(part / 6);
        remainder = static_cast<u64>(part % 6);
      }
      return quotient;
    }();
    std::array<typename C::Fq2, 6> powers;
    powers[0] = C::Fq2::one();
    powers[1] = C::Fq2::one();
    for (std::size_t i = exponent.bit_length(); i-- > 0;) {
      powers[1] = powers[1].squared();
      if (exponent.bit(i)) powers[1] *= xi<C>();
    }
    for (std::size_t k = 2; k < powers.size(); ++k) powers[k] = powers[k - 1] * powers[1];
    return powers;
  }();
  return coefficients;
}

#define CUZK_INSTANTIATE(C)                                  \
  template const C::G1Affine& g1_generator<C>() noexcept;    \
  template const C::G2Affine& g2_generator<C>() noexcept;    \
  template bool is_on_curve<C>(const C::G1Affine&) noexcept; \
  template bool is_on_curve<C>(const C::G2Affine&) noexcept; \
  template const std::array<C::Fq2, 6>& frobenius_coefficients<C>() noexcept;

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
