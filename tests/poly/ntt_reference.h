// Slow twins of the transforms, and seeded field elements.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <span>
#include <vector>

#include "field/fp.h"

namespace cuzk::test {

/// The seed of this run, printed once: CUZK_SEED, else a random one.
inline std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char* chosen = std::getenv("CUZK_SEED");
    const std::uint64_t s = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : std::random_device{}();
    std::cout << "seed " << s << " (repeat with CUZK_SEED)" << std::endl;
    return s;
  }();
  return seed;
}

/// Uniform limbs below p, with an eighth of edge values: 0, 1, p - 1.
template <class F> F random_element(std::mt19937_64& random) {
  if (random() % 8 == 0) {
    const F edges[] = {F::zero(), F::one(), -F::one()};
    return edges[random() % 3];
  }
  typename F::Repr value;
  do {
    for (u64& limb : value.limb) limb = random();
    value.limb[F::limbs - 1] &= ~u64{0} >> std::countl_zero(F::modulus.limb[F::limbs - 1]);
  } while (!(value < F::modulus));
  return F::from_montgomery(value);
}

template <class F> std::vector<F> random_elements(std::size_t count, std::mt19937_64& random) {
  std::vector<F> v(count);
  for (F& x : v) x = random_element<F>(random);
  return v;
}

/// A(x) by Horner's rule.
template <class F> F evaluate(std::span<const F> coefficients, const F& x) {
  F value = F::zero();
  for (std::size_t i = coefficients.size(); i-- > 0;) value = value * x + coefficients[i];
  return value;
}

/// A(shift omega^j) for j < coefficients.size(); quadratic.
template <class F>
std::vector<F> naive_values(const std::vector<F>& coefficients, const F& omega, const F& shift = F::one()) {
  std::vector<F> values;
  F x = shift;
  for (std::size_t j = 0; j < coefficients.size(); ++j, x = x * omega)
    values.push_back(evaluate(std::span<const F>(coefficients), x));
  return values;
}

}  // namespace cuzk::test
