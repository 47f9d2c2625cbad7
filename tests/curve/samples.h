// Random field elements and points for the tests of this folder.
#pragma once

#include <random>

#include "curve/curves.h"
#include "tests/gen/field_values.h"

namespace cuzk::test {

/// A generator of its own for each test (salt).
class Samples {
 public:
  explicit Samples(std::uint64_t salt = 0) : engine_(run_seed() + salt) {}

  std::uint64_t word() { return engine_(); }
  U256 scalar() {
    U256 k;
    for (u64& limb : k.limb) limb = word();
    return k;
  }
  /// Often at an edge.
  template <class F> F element() { return biased_element<F>(engine_); }
  template <class F2>
    requires requires { typename F2::Base; }
  F2 element() {
    return {element<typename F2::Base>(), element<typename F2::Base>()};
  }

 private:
  std::mt19937_64 engine_;
};

template <class C> struct G1Of {
  using Curve = C;
  using Affine = typename C::G1Affine;
  using Point = typename C::G1;
  static const Affine& generator() { return g1_generator<C>(); }
  static typename C::Fq b() { return C::Fq::from_u64(C::id == CurveId::bn254 ? 3 : 4); }
};

template <class C> struct G2Of {
  using Curve = C;
  using Affine = typename C::G2Affine;
  using Point = typename C::G2;
  static const Affine& generator() { return g2_generator<C>(); }
  static typename C::Fq2 b() {
    const auto u = [](u64 n) { return C::Fq::from_u64(n); };
    if constexpr (C::id == CurveId::bn254) {
      return typename C::Fq2{u(9), u(1)}.inverse() * u(3);
    } else {
      return {u(4), u(4)};
    }
  }
};

/// A point of the group of order r.
template <class Group> typename Group::Affine random_member(Samples& samples) {
  return Group::Point::from_affine(Group::generator()).times(samples.scalar()).to_affine();
}

/// Any point of the curve: a random x whose y exists. Outside the subgroup but for a chance of 1/cofactor.
template <class Group> typename Group::Affine random_curve_point(Samples& samples) {
  using F = typename Group::Affine::Field;
  for (;;) {
    const F x = samples.element<F>();
    bool ok = false;
    const F y = (x.squared() * x + Group::b()).sqrt(ok);
    if (ok) return {x, samples.word() % 2 == 0 ? y : -y};
  }
}

}  // namespace cuzk::test
